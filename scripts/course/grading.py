"""Grades of a course: each team's program is admitted, measured, and marked.

What was measured is kept under the version's hash and that of all that the measure depends on, so
only what changed is measured again, and a grading that was killed goes on with the next team.
"""

from __future__ import annotations

import asyncio
import hashlib
import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from mancala.protocol.loss import ProvenPosition
from mancala.protocol.messages import Reason
from mancala.protocol.player import PlayerError
from mancala.protocol.text import quantity

from ..hosting.admission import manifest_of, order_for
from ..hosting.handin import (
    HandInError,
    HostFaultError,
    blamed_on_host,
    host_fault,
    late_reason,
    read_hand_in,
)
from ..hosting.shelf import STATE, HostedVersion, Shelf, write_whole
from ..hosting.soundness import require_sound_host
from ..sandbox.run import command_of
from .exercises import ExerciseResult, results_of
from .games import PLAYER, GameEvidence, RunEvidence, games_of, run_evidence
from .marks import TeamMark, mark_of, overridden
from .measured import Measured
from .mistakes import JudgedAnswer, judged
from .settings import SEED, CountingVersion, CourseSettings
from .tree_search import TreeAnswer, answered, trees_of

if TYPE_CHECKING:
    from mancala.server.contest.rate.answers import PositionAnswer
    from mancala.server.contest.rate.rating import PlayerRating

    from ..hosting.host import HostedFolder

EVIDENCE: Final = "grades"
FORMAT: Final = 3
"""Of the evidence; figures kept in another one are measured again."""
PROVEN_AT_A_TIME: Final = 20
"""Positions that are kept together while a season's are proven; a kill loses no more."""
RUNS: Final = "grade-runs.jsonl"
START_UP_S: Final = 30.0
REPEATS: Final = 2
"""How often what was late is asked for again: a busy machine and a first answer cost nothing.

It is four times as often where most was in time.
"""
TO_BE_CHECKED: Final = "it waits to be built and checked"
TO_BE_MEASURED: Final = "it waits to be measured"
MARGIN_S: Final = 0.2
RESTS: Final = 4.0
"""How many times as long as a measure took that a fault of this machine spoiled none follows."""
ATTEMPTS: Final = 3
"""Measures spoiled after which the lecturer is asked to look at the machine."""


class _KeptPositions(msgspec.Struct, frozen=True):
    """The file: a season whose seed was drawn anew has other positions."""

    seed: int
    positions: tuple[ProvenPosition, ...]


def kept_positions(course: Path, season: str, seed: int) -> dict[int, ProvenPosition]:
    """Return the positions of a season that are proven already, by number."""
    file = _file(course, season)
    if not file.exists():
        return {}
    kept = msgspec.json.decode(file.read_bytes(), type=_KeptPositions)
    known = kept.positions if kept.seed == seed else ()
    return {each.number: each._replace(choices={}) for each in known}


def keep_positions(
    course: Path, season: str, seed: int, positions: Iterable[ProvenPosition]
) -> None:
    known = kept_positions(course, season, seed)
    every = known | {each.number: each for each in positions}
    if len(every) > len(known):
        kept = _KeptPositions(seed, tuple(every[number] for number in sorted(every)))
        write_whole(_file(course, season), msgspec.json.encode(kept))


def _file(course: Path, season: str) -> Path:
    return course / STATE / SEED / f"{season}.positions"


class MarkEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """All figures behind a mark.

    Attributes:
        rating: the whole rating, as ``mancala rate`` prints it.
    """

    measured: Measured
    rating: dict[str, Any]
    runs: RunEvidence = RunEvidence()
    answers: tuple[JudgedAnswer, ...] = ()
    games: tuple[GameEvidence, ...] = ()
    trees: tuple[TreeAnswer, ...] = ()


class GradedTeam(msgspec.Struct, frozen=True, kw_only=True):
    """A team with its mark, and all that was found.

    Attributes:
        refused: why its newest version is refused; empty if it is not.
        history: the marks of all versions that were measured, in the order in which they came.
        waits: whether the version that counts is still to be built, checked or measured.
    """

    mark: TeamMark
    owner: str = ""
    refused: str = ""
    found: MarkEvidence | None = None
    exercises: tuple[ExerciseResult, ...] = ()
    program: Path | None = None
    history: tuple[TeamMark, ...] = ()
    waits: bool = False


class _SpoiledMeasure(NamedTuple):
    """What a fault of this machine last did to the measure of a version."""

    why: str = TO_BE_MEASURED
    attempts: int = 0
    rests_until: float = 0.0


class Grading:
    """The marks of a course.

    Args:
        course: its folder.
        settings: how it marks.
        seed: the season's.
        say: receives a sentence when a team is measured.
        cluster: address of a Dask scheduler whose workers prove the season's positions. Programs
            are measured here, in the sandbox, all on one machine.
    """

    def __init__(
        self,
        course: Path,
        settings: CourseSettings,
        seed: int,
        say: Callable[[str], None],
        *,
        cluster: str | None = None,
    ) -> None:
        self._course = course
        self._settings = settings
        self._seed = seed
        self._say = say
        self._cluster = cluster
        self._spoiled: dict[str, _SpoiledMeasure] = {}

    def graded(self, teams: HostedFolder, *, measures: bool = True) -> Iterator[GradedTeam]:
        """Yield each team in order, graded; what is known is not measured again.

        Args:
            teams: what they handed in.
            measures: whether what is not known is measured; otherwise the team waits.
        """
        lines = teams.report()
        for number, line in enumerate(lines, start=1):
            team, place = line["folder"], f"team {number} of {len(lines)}"
            found = self._graded(line, teams.shelf_of(team), place if measures else "")
            mark = overridden(found.mark, self._settings.override_of(team))
            yield msgspec.structs.replace(found, mark=mark)

    def _graded(self, line: dict[str, Any], shelf: Shelf, place: str) -> GradedTeam:
        team, current = line["folder"], shelf.current
        in_time = [each for each in shelf.verdicts if self._can_count(team, each, shelf)]
        version, chosen = self._counting(team, in_time, current), self._settings.chosen_of(team)
        if place and chosen and (version is None or version.version != chosen):
            self._say(f"{team}: version {chosen} cannot be marked, so the last one counts")
        owner, refused = line["owner"], "" if line["good"] else line["why"]

        def unmarked(bot: str, version: str, why: str, *, unjudged: bool) -> GradedTeam:
            mark = TeamMark(id=team, bot=bot, version=version, why=why, unjudged=unjudged)
            return GradedTeam(mark=mark, owner=owner, refused=refused, waits=waits)

        if version is None:
            why = line["why"] if current is None else late_reason(current.handed_in)
            waits = not why
            unjudged = waits or (current is None and line["unjudged"])
            return unmarked(line["name"], line["version"], why or TO_BE_CHECKED, unjudged=unjudged)
        if not refused and current is not None and current not in in_time:
            refused = late_reason(current.handed_in)
        waits = not place and not self._is_measured(version)
        if waits and version.version not in self._spoiled:
            version = _last(filter(self._is_measured, in_time)) or version
        try:
            if not self._is_measured(version):
                resting = self._resting(team, version.version, waits=waits)
                with resting, blamed_on_host(PlayerError, HandInError):
                    self._measure(team, version, shelf, place)
        except (PlayerError, HandInError, HostFaultError) as error:
            unjudged = isinstance(error, HostFaultError)
            return unmarked(version.name, version.version, str(error), unjudged=unjudged)
        if self._settings.counts is CountingVersion.BEST and version.version != chosen:
            version = max(filter(self._is_measured, in_time), key=partial(self._total, team))
        found = self._kept(version)
        return GradedTeam(
            mark=self._mark(team, version, found),
            owner=owner,
            refused=refused,
            found=found,
            exercises=self._exercises(found),
            program=program if (program := shelf.program(version.version)).exists() else None,
            history=tuple(
                self._mark(team, each, self._kept(each))
                for each in sorted(shelf.verdicts, key=lambda each: each.handed_in)
                if self._is_measured(each)
            ),
            waits=waits,
        )

    def _counting(
        self, team: str, in_time: Sequence[HostedVersion], current: HostedVersion | None
    ) -> HostedVersion | None:
        """Return the version to be marked: the one the lecturer chose, or the last, if any."""
        chosen = self._settings.chosen_of(team)
        for each in in_time:
            if each.version == chosen:
                return each
        return current if current in in_time else _last(in_time)

    def _is_measured(self, version: HostedVersion) -> bool:
        return self._file(version).exists()

    def _total(self, team: str, version: HostedVersion) -> float:
        return self._mark(team, version, self._kept(version)).total

    def _can_count(self, team: str, version: HostedVersion, shelf: Shelf) -> bool:
        is_in_time = version.is_good and version.handed_in <= self._settings.closes(team)
        is_kept = self._is_measured(version) or shelf.program(version.version).exists()
        return is_in_time and is_kept

    def _mark(self, team: str, version: HostedVersion, found: MarkEvidence) -> TeamMark:
        evidence = str(self._file(version).relative_to(self._course))
        exercises = self._exercises(found)
        return mark_of(team, version, found.measured, self._settings, evidence, exercises)

    def _exercises(self, found: MarkEvidence) -> tuple[ExerciseResult, ...]:
        asked = self._settings.exercises
        return results_of(asked, found.measured, found.answers, found.trees)

    @contextmanager
    def _resting(self, team: str, version: str, *, waits: bool) -> Iterator[None]:
        """Raise `HostFaultError` while a measure waits or rests, and when it is spoiled again."""
        spoiled, began = self._spoiled.get(version, _SpoiledMeasure()), time.monotonic()
        if waits or began < spoiled.rests_until:
            raise HostFaultError(spoiled.why)
        try:
            yield
        except HostFaultError as error:
            now, attempts = time.monotonic(), spoiled.attempts + 1
            until = now + RESTS * (now - began)
            self._spoiled[version] = _SpoiledMeasure(str(error), attempts, until)
            look = f" (attempt {attempts}: look at this machine)"
            self._say(f"{team}: {error}{look if attempts >= ATTEMPTS else ''}")
            raise

    def _measure(self, team: str, version: HostedVersion, shelf: Shelf, place: str) -> None:
        self._say(f"{team}: measuring {version.name} {version.version}, {place}")
        found = self._soundly_measured(version, shelf)
        if _is_disturbed(found):
            self._say(f"{team}: a process was killed, so all is measured once more")
            found = self._soundly_measured(version, shelf)
        write_whole(self._file(version), msgspec.json.format(msgspec.json.encode(found)))

    def _soundly_measured(self, version: HostedVersion, shelf: Shelf) -> MarkEvidence:
        """Measure a version; what it failed counts only if this machine runs programs.

        Raises:
            PlayerError: when it cannot play at all.
            HostFaultError: when no program can.
        """
        limits, folder = self._settings.limits, shelf.folder(version.version)
        try:
            found = self._measured(version, shelf)
        except PlayerError:
            require_sound_host(limits, folder, folder / RUNS)
            raise
        if found.measured.faults or any(each.is_missing for each in found.trees):
            require_sound_host(limits, folder, folder / RUNS)
        return found

    def _kept(self, version: HostedVersion) -> MarkEvidence:
        return msgspec.json.decode(self._file(version).read_bytes(), type=MarkEvidence)

    def _file(self, version: HostedVersion) -> Path:
        return self._course / STATE / EVIDENCE / f"{version.version}-{self._key()}.json"

    def _key(self) -> str:
        """Return a hash of all but the version on which a measure depends."""
        settings = self._settings
        parts = (FORMAT, self._seed, settings.positions, settings.games, settings.movetime_s)
        text = f"{parts} {settings.limits}"
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def _measured(self, version: HostedVersion, shelf: Shelf) -> MarkEvidence:
        runs = shelf.folder(version.version) / RUNS
        runs.unlink(missing_ok=True)
        spec = _spec(version, shelf, self._settings, runs.absolute())
        rating, repeated = self._rated(spec)
        if rating.meetings and rating.elo is None and not rating.silence:
            raise host_fault(rating.no_verdict)  # levels were too late for its place to be known
        summary = rating.to_dict()
        low, high = summary["loss_interval"]
        measured = Measured(
            passed=version.passed,
            failed=len(version.failed),
            loss=summary["loss"],
            loss_low=low,
            loss_high=high,
            elo=summary["elo"],
            elo_error=summary["elo_error"],
            asked=summary["positions"] + summary["games"],
            faults=summary["faults"],
            repeated=repeated,
        )
        shown = {name: figure for name, figure in summary.items() if name != "seed"}
        found = run_evidence(runs, self._settings.limits)
        return MarkEvidence(
            measured=measured,
            rating=shown,
            runs=found,
            answers=tuple(map(judged, rating.answers)),
            games=games_of(rating.meetings),
            trees=self._solved(shelf.program(version.version)),
        )

    def _solved(self, program: Path) -> tuple[TreeAnswer, ...]:
        manifest = manifest_of(read_hand_in(program))
        if not manifest.trees:
            return ()
        limits, trees = self._settings.limits, trees_of(self._seed)
        return asyncio.run(answered(manifest, program, limits, trees))

    def _rated(self, spec: str) -> tuple[PlayerRating, int]:
        from mancala.gauntlet import ask, meet_levels
        from mancala.headless import conditions_of, contenders_of
        from mancala.server.contest.rate.gauntlet import GauntletLimits, is_worth_repeating
        from mancala.server.contest.rate.rating import PlayerRating

        settings = self._settings
        conditions = conditions_of(
            movetime=settings.movetime_s, margin=MARGIN_S, start_up=START_UP_S, seed=self._seed
        )
        (contender,) = contenders_of((f"{PLAYER}={spec}",))
        rating = PlayerRating(PLAYER, self._seed, conditions.margin_ms)
        answers = {_number(each): each for each in ask(contender, conditions, self._proven())}
        repeated = 0
        for times in count():
            late = [each.position for each in answers.values() if each.fault == Reason.TIMEOUT]
            cut = [
                each.position
                for each in answers.values()
                if each.fault is None and (each.elapsed_ms or 0.0) >= 1000 * conditions.budget_s
            ]
            if times < REPEATS and 4 * len(cut) < len(answers):
                late += cut  # the machine may have stopped it before its last word
            if not is_worth_repeating(times, len(late), len(answers), REPEATS):
                break
            first_too = (late[0], *late)  # whose answer warms the program up
            again = ask(contender, conditions, first_too, workers=1)
            answers |= {_number(each): each for each in again}
            repeated += len(late)
        rating.asked += sorted(answers.values(), key=_number)
        limits = GauntletLimits(settings.games // 2, repeats=REPEATS)
        for played in meet_levels(contender, conditions, limits):
            rating.meetings += played
            repeated += sum(each.repeated for each in played)
        return rating, repeated

    def _proven(self) -> list[ProvenPosition]:
        from mancala.engine.yardstick import distinct
        from mancala.server.contest.headless.executor import WorkerLostError
        from mancala.server.contest.workers.cluster import ClusterError

        known, wanted = kept_positions(*self._season), self._settings.positions
        if wanted > (done := len(distinct(known.values()))):
            self._say(f"proving {quantity(wanted, 'position')}, once a season: {done} done")
        if self._cluster is not None:
            try:
                self._prove(known, self._cluster)
            except (ClusterError, WorkerLostError) as error:
                self._say(f"{error}; the positions are proven here")
        self._prove(known)
        return distinct(known.values())[:wanted]

    def _prove(self, known: dict[int, ProvenPosition], cluster: str | None = None) -> None:
        """Prove what is missing, keep it, and say how many there are."""
        from mancala.engine.yardstick import AS_GAMES_HAVE_THEM, distinct
        from mancala.gauntlet import prove_positions

        wanted = self._settings.positions
        if len(distinct(known.values())) >= wanted:
            return
        proven = prove_positions(self._seed, wanted, known, AS_GAMES_HAVE_THEM, cluster=cluster)
        try:
            for proofs, _ in enumerate(proven, 1):
                if proofs % PROVEN_AT_A_TIME == 0:
                    keep_positions(*self._season, known.values())
                    done = len(distinct(known.values()))
                    self._say(f"{done} of {quantity(wanted, 'position')} proven")
        finally:
            keep_positions(*self._season, known.values())

    @property
    def _season(self) -> tuple[Path, str, int]:
        return self._course, self._settings.season, self._seed


def _last(versions: Iterable[HostedVersion]) -> HostedVersion | None:
    return max(versions, key=lambda each: each.handed_in, default=None)


def _is_disturbed(found: MarkEvidence) -> bool:
    """Return whether a process was killed, or ended and did not leave how."""
    ended = found.measured.faults.get(Reason.DISCONNECTED, 0)
    return found.runs.killed > 0 or ended > found.runs.failed


def _number(answer: PositionAnswer) -> int:
    return answer.position.number


def _spec(version: HostedVersion, shelf: Shelf, settings: CourseSettings, runs: Path) -> str:
    """Return a version as a player in the sandbox, whose runs leave their outcomes in a file."""
    program = shelf.program(version.version)
    manifest = manifest_of(read_hand_in(program))
    order = order_for(manifest, program, settings.limits)
    order = msgspec.structs.replace(order, outcome="", log="", runs=str(runs))
    file = shelf.folder(version.version) / "grade.json"
    write_whole(file, msgspec.json.encode(order))
    command = shlex.join(command_of(file.absolute()))
    return f"net:{command} {{url}}" if manifest.how.protocol.connects else f"cmd:{command}"
