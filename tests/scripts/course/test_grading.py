"""Grades of a course: what changed is measured, what is known is not."""

import csv
import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from mancala.protocol.loss import ProvenPosition
from mancala.protocol.messages import Reason
from mancala.protocol.rules import Board
from mancala.scripts.conformance.robot import Times
from mancala.scripts.course import grading as grading_module
from mancala.scripts.course.games import RunEvidence, RunFailure
from mancala.scripts.course.grading import (
    GradedTeam,
    Grading,
    MarkEvidence,
    keep_positions,
    kept_positions,
)
from mancala.scripts.course.marks import TeamMark, grades_table
from mancala.scripts.course.measured import Measured
from mancala.scripts.course.report import write_report
from mancala.scripts.course.settings import CountingVersion, CourseSettings, Exercise, Override
from mancala.scripts.hosting.admission import Admission
from mancala.scripts.hosting.handin import digest_of, read_hand_in
from mancala.scripts.hosting.host import HostedFolder
from mancala.scripts.hosting.shelf import STATE, HostedVersion, Shelf
from mancala.scripts.sandbox.limits import SandboxLimits
from mancala.server.contest.rate.answers import PositionAnswer
from mancala.server.contest.workers.cluster import ClusterError
from tests import node
from tests.patience import PATIENCE_S

LAST = """import sys
for line in sys.stdin:
    rows = list(map(int, line.split()[0].strip("<>").split(",")))
    print(max(pit for pit in range(rows[0]) if rows[3 + pit]), "\\ndone", flush=True)
"""


FIGURES = Measured(passed=1, failed=0, loss=1, loss_low=1, loss_high=1, elo=0, elo_error=9)
DIED = RunFailure(ending="exited", why="it ended with exit code 1", times=1)


class _KilledError(BaseException):
    """Stands for the end of the process."""


def _hand_in(course: Path, team: str, text: str = LAST) -> None:
    folder = course / "teams" / team
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bot.py").write_text(text)
    manifest = f'name = "{team}"\ncommand = "python3 bot.py"\nprotocol = "cmd"\n'
    (folder / "bot.toml").write_text(manifest)


async def _admitted(course: Path) -> HostedFolder:
    if shutil.which("bwrap") is None:
        node.skip("not installed: bubblewrap")
    times = Times(move_s=60.0, late_s=PATIENCE_S, come_s=PATIENCE_S)
    admission = Admission(SandboxLimits(), times, ["the rehearsal"])
    teams = HostedFolder(course / "teams", admission, lambda _: None)
    await teams.admit_all()
    return teams


def _marks(graded: Iterable[GradedTeam]) -> list[TeamMark]:
    return [team.mark for team in graded]


def positions_of(boards: Iterable[int]) -> list[ProvenPosition]:
    texts = [f"<6,{seeds},0{',4' * 12}>" for seeds in boards]
    return [ProvenPosition(n, "early", text, {0: 0, 1: -2}) for n, text in enumerate(texts)]


async def test_only_what_changed_is_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A grading that was killed goes on, and its table is that of an undisturbed one."""
    for team in ("ada", "bob", "cyd"):
        _hand_in(tmp_path, team)
    _hand_in(tmp_path, "dan", "raise SystemExit(1)")
    measured: list[str] = []
    said: list[str] = []

    def measure(_self: Grading, version: HostedVersion, _shelf: object) -> MarkEvidence:
        if version.name == "bob" and not said:
            said.append("killed")
            raise _KilledError
        measured.append(version.name)
        return MarkEvidence(measured=FIGURES, rating={})

    monkeypatch.setattr(Grading, "_measured", measure)
    grading = Grading(tmp_path, CourseSettings(), 7, lambda _: None)
    with pytest.raises(_KilledError):
        list(grading.graded(await _admitted(tmp_path)))
    first = grades_table(_marks(grading.graded(await _admitted(tmp_path))))
    again = grades_table(_marks(grading.graded(await _admitted(tmp_path))))
    assert measured == ["ada", "bob", "cyd"]
    assert first == again
    assert "dan" in first
    _hand_in(tmp_path, "cyd", f"{LAST}# better\n")
    list(grading.graded(await _admitted(tmp_path)))
    assert measured == ["ada", "bob", "cyd", "cyd"]


async def test_a_program_in_the_sandbox_is_measured(tmp_path: Path) -> None:
    """Its answers lose seeds against proven values, and no answer is forfeited."""
    _hand_in(tmp_path, "ada")
    settings = CourseSettings(positions=3, games=2, movetime_s=60.0)
    grading = Grading(tmp_path, settings, 7, lambda _: None)
    teams = await _admitted(tmp_path)
    (mark,) = _marks(grading.graded(teams))
    evidence = json.loads((tmp_path / mark.evidence).read_bytes())
    assert mark.loss is not None
    assert mark.loss_high is not None
    assert 0 <= mark.loss <= mark.loss_high
    assert evidence["measured"]["faults"] == {}
    assert evidence["rating"]["games"] == 2
    assert "seed" not in evidence["rating"]


def test_what_was_late_is_asked_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A first answer and a busy machine cost nothing; what stays late is a fault.

    So does a machine that stops a program before its last word: what counted was its first one.
    """
    keep_positions(tmp_path, "first", 7, positions_of(range(6)))
    asked: list[list[int]] = []

    def answers(
        _contender: object,
        _conditions: object,
        positions: Sequence[ProvenPosition],
        **_options: object,
    ) -> Iterator[PositionAnswer]:
        asked.append([position.number for position in positions])
        late = {0: (0, 1, 2), 1: (0, 1), 2: (0, 1)}[len(asked) - 1]
        for each in positions:
            is_late, took_ms = (
                each.number in late,
                1e6 if (len(asked), each.number) == (1, 3) else 1.0,
            )
            yield PositionAnswer(
                each, None if is_late else 0, took_ms, Reason.TIMEOUT if is_late else None
            )

    monkeypatch.setattr("mancala.gauntlet.ask", answers)
    monkeypatch.setattr("mancala.gauntlet.meet_levels", lambda *_: iter(()))
    grading = Grading(tmp_path, CourseSettings(positions=6), 7, lambda _: None)
    rating, repeated = grading._rated("greedy")
    assert asked == [[0, 1, 2, 3, 4, 5], [0, 0, 1, 2, 3], [0, 0, 1]]
    assert repeated == 6
    assert [each.fault for each in rating.asked] == [*[Reason.TIMEOUT] * 2, *[None] * 4]
    assert {each.elapsed_ms for each in rating.asked} == {1.0}


@pytest.mark.parametrize("ends_after", [2, 5])
def test_a_cluster_proves_a_season_once(
    ends_after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what is missing is asked of it; when it fails, that is said, and the rest made here.

    A board that comes again is kept, not asked about.
    """
    made = positions_of([0, 1, 2, 0, 3])
    keep_positions(tmp_path, "first", 7, made[:1])
    proving: list[tuple[int, str | None]] = []

    def prove(
        _seed: int,
        _count: int,
        proven: dict[int, ProvenPosition],
        _demands: object,
        *,
        cluster: str | None,
    ) -> Iterator[ProvenPosition]:
        for number in range(len(proven), len(made)):
            if number == ends_after and cluster:
                raise ClusterError("the cluster is gone")
            proving.append((number, cluster))
            proven[number] = made[number]
            yield made[number]

    def answers(
        _contender: object, _conditions: object, positions: Sequence[ProvenPosition]
    ) -> Iterator[PositionAnswer]:
        asked.append([each.number for each in positions])
        return (PositionAnswer(each, 0, 1.0) for each in positions)

    asked, said = list[list[int]](), list[str]()
    monkeypatch.setattr("mancala.gauntlet.prove_positions", prove)
    monkeypatch.setattr("mancala.gauntlet.ask", answers)
    monkeypatch.setattr("mancala.gauntlet.meet_levels", lambda *_: iter(()))
    settings = CourseSettings(positions=4)
    for _ in range(2):
        Grading(tmp_path, settings, 7, said.append, cluster="tcp://there")._rated("greedy")
    there = "tcp://there"
    assert proving == [(number, there if number < ends_after else None) for number in range(1, 5)]
    assert asked == [[0, 1, 2, 4]] * 2
    assert any("gone; the positions are proven here" in each for each in said) == (ends_after == 2)


async def test_a_program_that_dies_is_told_why(tmp_path: Path) -> None:
    """The evidence and the feedback have its exit code and stderr, not just a lost game."""
    dies = LAST.replace("    print(", "    rows[3] or sys.exit('no seeds in pit 0')\n    print(")
    _hand_in(tmp_path, "ada", dies)
    texts = (Board.start().text, "<6,0,0,0,5,5,5,5,4,4,4,4,4,4,4>")
    kept = [ProvenPosition(n, "early", text, {1: 0, 5: -2}) for n, text in enumerate(texts)]
    keep_positions(tmp_path, "first", 7, kept)
    settings = CourseSettings(positions=2, games=2, movetime_s=60.0)
    grading = Grading(tmp_path, settings, 7, lambda _: None)
    graded = list(grading.graded(await _admitted(tmp_path)))
    write_report(tmp_path, settings, graded)
    (mark,) = _marks(graded)
    evidence = json.loads((tmp_path / mark.evidence).read_bytes())
    (failure,) = evidence["runs"]["failures"]
    assert failure["why"] == "it ended with exit code 1"
    assert failure["stderr"] == "no seeds in pit 0\n"
    assert mark.faults.startswith("disconnected ")
    assert mark.reliability < 1
    assert "no seeds in pit 0" in (tmp_path / "feedback" / "ada.md").read_text()


async def test_what_comes_too_late_leaves_the_version_before(tmp_path: Path) -> None:
    """It is refused with the time at which it came."""
    _hand_in(tmp_path, "ada")
    await _admitted(tmp_path)
    _hand_in(tmp_path, "ada", f"{LAST}# better\n")
    admission = Admission(SandboxLimits(), Times(), ["the rehearsal"], closes=lambda _: closed)
    teams = HostedFolder(tmp_path / "teams", admission, lambda _: None)
    before = teams.shelf_of("ada").current
    assert before is not None
    closed = before.handed_in
    await teams.admit_all()
    (line,) = teams.report()
    assert line["why"].endswith("UTC, too late")
    assert line["plays"] == before.version


async def test_the_last_version_in_time_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the deadline was set or moved when a later one was admitted already."""
    evidence = MarkEvidence(measured=FIGURES, rating={})
    monkeypatch.setattr(Grading, "_measured", lambda *_: evidence)
    shelf = Shelf(tmp_path / "teams" / STATE / "ada")
    for number in range(3):
        _hand_in(tmp_path, "ada", f"{LAST}# {number}\n")
        version = digest_of(read_hand_in(tmp_path / "teams" / "ada"))
        shelf.keep_arrival(version, 1000.0 * number)
        teams = await _admitted(tmp_path)
    deadline = datetime.fromtimestamp(1500, UTC)
    settings = CourseSettings(deadline=deadline)
    (team,) = Grading(tmp_path, settings, 7, lambda _: None).graded(teams)
    assert (team.mark.handed_in, team.mark.late_days) == ("1970-01-01T00:16:40Z", 0)
    assert team.refused == "it came at 1970-01-01 00:33 UTC, too late"
    early = CourseSettings(deadline=datetime.fromtimestamp(-1, UTC))
    (team,) = Grading(tmp_path, early, 7, lambda _: None).graded(teams)
    assert team.mark.why.endswith("too late")
    assert team.mark.total == 0


async def test_a_fault_of_ours_is_no_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was 0 points; the others are marked, and the next grading tries again."""
    for team in ("ada", "bob"):
        _hand_in(tmp_path, team)

    def measure(_self: Grading, version: HostedVersion, _shelf: object) -> MarkEvidence:
        if version.name == "ada" and not mended:
            raise AttributeError("no such name")
        return MarkEvidence(measured=FIGURES, rating={})

    monkeypatch.setattr(Grading, "_measured", measure)
    grading = Grading(tmp_path, CourseSettings(), 7, lambda _: None)
    mended = False
    teams = await _admitted(tmp_path)
    graded = list(grading.graded(teams))
    ada, bob = _marks(graded)
    assert ada.why.endswith("a fault of the host, and tried again: AttributeError: no such name")
    assert (ada.unjudged, bob.unjudged, bob.why) == (True, False, "")
    assert bob.total > 0
    exercises = (Exercise(name="Legal", conformance=1),)
    write_report(tmp_path, CourseSettings(exercises=exercises), graded[:1])
    assert (tmp_path / "exercises.csv").read_text() == "id,Legal\nada,\n"
    row, other = csv.DictReader(grades_table((ada, bob)).splitlines())
    assert {key for key, cell in row.items() if cell} == {"id", "bot", "version", "why", "unjudged"}
    assert other["total"] == str(bob.total)
    assert (tmp_path / "feedback" / "ada.md").read_text().startswith("# ada: not judged yet\n")
    override = CourseSettings(overrides={"ada": Override(points=70, comment="seen")})
    by_hand = next(Grading(tmp_path, override, 7, lambda _: None).graded(teams)).mark
    assert (by_hand.total, by_hand.unjudged) == (70, False)
    mended = True
    assert next(grading.graded(teams)).mark.total == bob.total


async def test_a_measure_that_is_spoiled_rests_in_proportion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Minutes were spent on it whenever another team handed in, without an end."""
    _hand_in(tmp_path, "ada")
    now, began, said = [0.0], list[float](), list[str]()

    def measure(*_: object) -> MarkEvidence:
        began.append(now[0])
        now[0] += 300
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Grading, "_measured", measure)
    monkeypatch.setattr(grading_module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    grading = Grading(tmp_path, CourseSettings(), 7, said.append)
    teams = await _admitted(tmp_path)
    while now[0] < 4500:
        (mark,) = _marks(grading.graded(teams))
        assert (mark.unjudged, mark.why.endswith("No space left on device")) == (True, True)
        now[0] += 100
    assert began == [0, 1500, 3000]
    assert [each.endswith("(attempt 3: look at this machine)") for each in said[1::2]] == [
        *(False, False, True)
    ]


async def test_levels_that_forfeit_cost_no_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a machine so busy that levels were late, a program had 0 points for its place."""
    _hand_in(tmp_path, "ada")
    why = "9 of 20 pairs of games are void: no Elo is stated"
    rating = SimpleNamespace(meetings=["a pair"], elo=None, silence="", no_verdict=why)
    monkeypatch.setattr(Grading, "_rated", lambda *_: (rating, 0))
    grading = Grading(tmp_path, CourseSettings(), 7, lambda _: None)
    (mark,) = _marks(grading.graded(await _admitted(tmp_path)))
    assert mark.unjudged
    assert mark.why.endswith(why)


async def test_a_killed_process_is_measured_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine may have run out of memory; who kills itself does so again."""
    _hand_in(tmp_path, "ada")
    ended = {"disconnected": 1}
    whys = {
        "killed": ({"timeout": 1}, RunEvidence(killed=1)),
        "lost": (ended, RunEvidence()),
        "": (ended, RunEvidence(failures=(DIED,))),
    }
    for why, times in (("killed", 2), ("lost", 2), ("", 1)):
        measured = list[str]()

        def measure(*_: object, why: str = why, measured: list[str] = measured) -> MarkEvidence:
            measured.append(why)
            faults, runs = whys[why]
            figures = replace(FIGURES, asked=9, faults=faults)
            return MarkEvidence(measured=figures, rating={}, runs=runs)

        monkeypatch.setattr(Grading, "_measured", measure)
        settings = CourseSettings(games=2 * len(why) + 2)
        list(Grading(tmp_path, settings, 7, lambda _: None).graded(await _admitted(tmp_path)))
        assert len(measured) == times


async def test_the_best_or_a_chosen_version_may_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The default is the last one; a chosen one that is not kept leaves it."""
    losses = iter((1.0, 3.0))

    def measure(*_: object) -> MarkEvidence:
        loss = next(losses)
        figures = replace(FIGURES, loss=loss, loss_low=loss, loss_high=loss)
        return MarkEvidence(measured=figures, rating={})

    monkeypatch.setattr(Grading, "_measured", measure)
    said: list[str] = []
    for number in range(2):
        _hand_in(tmp_path, "ada", f"{LAST}# {number}\n")
        teams = await _admitted(tmp_path)
        (last,) = _marks(Grading(tmp_path, CourseSettings(), 7, said.append).graded(teams))
    first = min(teams.shelf_of("ada").verdicts, key=lambda each: each.handed_in).version
    marked = [
        next(Grading(tmp_path, settings, 7, said.append).graded(teams)).mark
        for settings in (
            CourseSettings(counts=CountingVersion.BEST),
            CourseSettings(chosen={"ada": first}),
            CourseSettings(counts=CountingVersion.BEST, chosen={"ada": last.version}),
            CourseSettings(chosen={"ada": "gone"}),
        )
    ]
    assert [(mark.version, mark.loss) for mark in marked] == [
        (first, 1.0),
        (first, 1.0),
        (last.version, 3.0),
        (last.version, 3.0),
    ]
    assert said[-1] == "ada: version gone cannot be marked, so the last one counts"


async def test_the_lecturer_has_the_last_word(tmp_path: Path) -> None:
    """The team reads why, and the table has it."""
    _hand_in(tmp_path, "ada", "raise SystemExit(1)")
    override = Override(points=70, comment="shown in person")
    settings = CourseSettings(overrides={"ada": override})
    graded = list(Grading(tmp_path, settings, 7, lambda _: None).graded(await _admitted(tmp_path)))
    write_report(tmp_path, settings, graded)
    assert _marks(graded)[0].total == 70
    assert (
        "Your lecturer set the points: shown in person"
        in (tmp_path / "feedback" / "ada.md").read_text()
    )
    assert (tmp_path / "grades.csv").read_text().endswith(",shown in person,no\n")


async def test_an_upload_counts_by_its_last_byte(tmp_path: Path) -> None:
    """Not by when its files were written here; a second upload of a version changes nothing."""
    _hand_in(tmp_path, "ada")
    shelf = Shelf(tmp_path / "teams" / STATE / "ada")
    version = digest_of(read_hand_in(tmp_path / "teams" / "ada"))
    shelf.keep_arrival(version, 1000.0)
    shelf.keep_arrival(version, 2000.0)
    await _admitted(tmp_path)
    assert shelf.current is not None
    assert (shelf.current.version, shelf.current.handed_in) == (version, 1000.0)


async def test_a_killed_grading_keeps_what_it_proved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Minutes of proofs began anew; how far they are is said, and which team is measured."""
    _hand_in(tmp_path, "ada")
    monkeypatch.setattr(grading_module, "PROVEN_AT_A_TIME", 2)
    settings = CourseSettings(positions=6, games=2, movetime_s=60.0)
    said: list[str] = []

    def say(text: str) -> None:
        said.append(text)
        if text == "4 of 6 positions proven":
            raise _KilledError

    teams = await _admitted(tmp_path)
    with pytest.raises(_KilledError):
        list(Grading(tmp_path, settings, 7, say).graded(teams))
    assert len(kept_positions(tmp_path, settings.season, 7)) == 4
    list(Grading(tmp_path, settings, 7, said.append).graded(teams))
    assert said[0].endswith(", team 1 of 1")
    assert "proving 6 positions, once a season: 4 done" in said
    assert len(kept_positions(tmp_path, settings.season, 7)) == 6
