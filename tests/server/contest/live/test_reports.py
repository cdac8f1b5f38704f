"""Events as files that others read: a published event comes out as it came in."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from mancala.server.config.events import EventSettings, TieBreak
from mancala.server.contest.events.dutch import paired_here
from mancala.server.contest.live.archives import imported
from mancala.server.contest.live.reports import ReportError, archive_of_report, csv_of, trf_of
from mancala.server.contest.live.state import ContestState, prepared, restored
from mancala.server.contest.live.views import event_view, stored_event
from mancala.server.model.contests import EventGameRow

HEADING = """\
012 Open of Skåne, 2026
042 2026/04/02
062 6
092 Individual: Swiss-System
XXR 5
212 PTS,BH/C1,BH,SB
"""
PLAYERS = (
    ("Ångström, Åse", 2.0, "   4 w 1  0000 - H     2 b ="),
    ("Berg, Bo", 1.5, "   5 b 1     6 w 0     1 w ="),
    ("Carlsen", 1.5, "   6 w =  0000 - U     5 b -"),
    ("Dahl, D.", 0.0, "   1 b 0     5 w 0  0000 - Z"),
    ("Dahl, D.", 2.0, "   2 w 0     4 b 1     3 w +"),
    ("(?)", 1.5, "   3 b =     2 b 1  0000 - Z"),
)
PUBLISHED = HEADING + "".join(
    f"001 {number:4}      {name:33} 2000 {'':27}{points:4.1f} {number:4}  {rounds}\n"
    for number, (name, points, rounds) in enumerate(PLAYERS, start=1)
)
NAMES = ("Angstrom-Ase", "Berg-Bo", "Carlsen", "Dahl-D", "Dahl-D-5", "player-6")


def read(text: str) -> tuple[EventSettings, ContestState]:
    settings, kept = imported(archive_of_report(text))
    return settings, restored(kept, settings)


def rows(text: str) -> list[tuple[str, str]]:
    lines = [line.replace("0000", "    ") for line in text.splitlines() if line[:3] == "001"]
    return [(line[80:84], line[89:]) for line in lines]


def tie_breaks(folder: Path, text: str) -> Any:  # noqa: ANN401  # as gacrux has it
    """Return what gacrux makes of a report: each player's tie-breaks after three rounds."""
    file = folder / "event.trf"
    file.write_text(text, "latin-1")
    command = [sys.executable, "-P", "-m", "gacrux.tiebreakchecker", "-i", str(file), "-n", "3"]
    ended = subprocess.run(
        [*command, "-t", "PTS", "BH", "BH/C1", "SB", "DE"],
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(ended.stdout)["tiebreakResult"]["competitors"]


def test_a_published_event_comes_out_as_it_came_in(tmp_path: Path) -> None:
    """The same rounds and points, tie-breaks by gacrux, and the next round that it pairs."""
    settings, state = read(PUBLISHED)
    assert (settings.name, settings.starts) == ("Open-of-Skane-2026", "2026-04-02T00:00:00Z")
    assert state.phase.round == len(state.rounds) == 3
    assert settings.tie_breaks == tuple(
        map(TieBreak, ("buchholz-1", "buchholz", "sonneborn-berger"))
    )
    assert settings.entrants == NAMES
    out = trf_of(settings, state)
    assert rows(out) == rows(PUBLISHED)
    assert tie_breaks(tmp_path, out) == tie_breaks(tmp_path, PUBLISHED)
    assert paired_here(out, 4, (4,)) == paired_here(PUBLISHED + "152 W\n", 4, (4,))
    again = trf_of(*read(out))
    assert again == out


def test_byes_forfeits_and_absence_are_those_of_an_event_here() -> None:
    """A requested bye, one of an odd number, a win by absence and a round that was missed."""
    settings, state = read(PUBLISHED)
    assert state.rows[0] == EventGameRow(0, NAMES[0], NAMES[3], 0, 0, "normal", None, 0)
    points = {row.name: row.points for row in state.standings(settings)}
    assert points == dict(zip(NAMES, (2.0, 1.5, 1.5, 0.0, 2.0, 1.5), strict=True))
    assert state.half_byes(2) == ("Angstrom-Ase",)
    assert state.rounds[1].round.byes == ("Carlsen",)
    assert [each.name for each in state.entrants if each.has_withdrawn] == ["Dahl-D", "player-6"]
    assert csv_of(event_view(settings, state)).splitlines()[-4:] == [
        "2,,Carlsen,,,,bye,",
        "2,,Angstrom-Ase,,,,half-point bye,",
        "3,1,Berg-Bo,Angstrom-Ase,0.5,0.5,played,",
        "3,2,Dahl-D-5,Carlsen,1,0,absent,",
    ]


def test_long_names_of_a_report_stay_names_of_their_own() -> None:
    """Letters that stand for several make them longer than a report's field."""
    text = PUBLISHED.replace(f"{'Dahl, D.':33}", "Ⅷ" * 33)
    long = ("VIII" * 12, f"{('VIII' * 12)[:43]}-5")
    assert read(text)[0].entrants == (*NAMES[:3], *long, NAMES[5])


def test_an_event_of_a_report_shows_no_rules_and_no_seeds() -> None:
    """It may be one of chess; what the server's own events say stays theirs."""
    archive = archive_of_report(PUBLISHED.replace("212 PTS,BH/C1,BH,SB\n", ""))
    settings, kept = imported(archive)
    assert settings.tie_breaks == (TieBreak.BUCHHOLZ, TieBreak.SONNEBORN_BERGER)
    assert stored_event(settings, kept).is_report
    assert not stored_event(settings, kept._replace(origin=None)).is_report


def test_an_archive_that_could_not_be_shown_is_refused() -> None:
    """Some came in, and each request for their pages failed; one kept the server busy for good."""
    archive = archive_of_report(PUBLISHED)
    settings, rules, first = archive.settings, archive.regulations or {}, archive.games[0]
    for said, broken in (
        ("no rules named 'x'", replace(archive, settings=settings | {"rules": "x"})),
        ("'x' is not a valid Format", replace(archive, settings=settings | {"format": "x"})),
        ("has other players", replace(archive, games=(first._replace(second="Carlsen"),))),
        ("64-bit", replace(archive, games=(first._replace(margin=2**64),))),
        ("<= 10000", replace(archive, regulations=rules | {"games": 10**9})),
        ("64-bit", replace(archive, regulations=rules | {"seed": 2**64})),
        ("64-bit", replace(archive, settings=settings | {"seed": 2**64})),
        (
            "6 players would have up to 150,000",
            replace(archive, regulations=rules | {"games": 10_000}),
        ),
        ("<= 1000", replace(archive, regulations=rules | {"rounds": 10**9})),
        ("<= 10000", replace(archive, settings=settings | {"games": 10**9})),
    ):
        with pytest.raises(ValueError, match=said):
            imported(broken)


def test_older_reports_are_read_as_newer_ones() -> None:
    """A win without an opponent was a bye; each player has a name of its own."""
    assert read(PUBLISHED.replace("0000 - U", "0000 - +")) == read(PUBLISHED)
    settings, _ = read(PUBLISHED.replace(f"{'Berg, Bo':33}", f"{'Dahl D 5':33}"))
    assert settings.entrants[1:5] == ("Dahl-D-5", "Carlsen", "Dahl-D", "Dahl-D-1")


def test_the_format_of_2016_has_what_it_knows() -> None:
    """Rounds and initial colour by its own records; an accelerated event by a record of 2026."""
    settings, state = read(PUBLISHED + "250      1.0   1   2    1    4\n")
    lines = trf_of(settings, state, of_2016=True).splitlines()
    assert {line[:3] for line in lines} == {"001", "012", "042", "062", "092", "XXC", "XXR"}
    assert "XXR 5" in lines
    assert "XXC white1" in lines
    accelerated = [line for line in trf_of(settings, state).splitlines() if line[:3] == "250"]
    assert accelerated[:2] == ["250       1.0   1   1    1    4", "250       1.0   2   2    1    4"]


def test_a_game_that_is_annulled_takes_only_its_own_points_from_a_report() -> None:
    """The byes of its round kept no points, and the table of boards counted it."""
    settings, state = read(PUBLISHED)
    [row] = [it for it in state.rows.values() if {it.first, it.second} == {"Dahl-D", "Dahl-D-5"}]
    state.rows[row.number] = row._replace(annulled=True)
    out = trf_of(settings, state)
    assert [points for points, _ in rows(out)] == [
        *(" 2.0", " 1.5", " 1.5", " 0.0", " 1.0", " 1.5")
    ]
    assert "\n250 " not in out
    assert "2,2,Dahl-D,Dahl-D-5,,,annulled," in csv_of(event_view(settings, state)).splitlines()


def test_a_round_that_is_played_is_in_no_report_and_its_boards_are_open() -> None:
    """One of an accelerated event names that system."""
    settings, state = read(PUBLISHED + "250      1.0   1   2    1    4\n")
    for number in state.numbers_of(1):
        state.rows[number] = state.rows[number]._replace(reason="aborted")
    lines = trf_of(settings, state).splitlines()
    assert "192 FIDE_DUTCH_BAKU" in lines
    assert max(len(line) for line in lines if line[:3] == "001") == 89 + 2 * 10
    boards = csv_of(event_view(settings, state)).splitlines()
    assert boards[-2:] == [
        "3,1,Berg-Bo,Angstrom-Ase,0.5,0.5,played,",
        "3,2,Dahl-D-5,Carlsen,,,to be played,",
    ]


def test_boards_of_a_hidden_round_have_no_points() -> None:
    """They were 0 and 0, as if both had lost."""
    settings, state = read(PUBLISHED)
    view = event_view(settings, state)
    hidden = replace(
        view.rounds[-1],
        hidden=True,
        encounters=tuple(replace(met, games=()) for met in view.rounds[-1].encounters),
    )
    lines = csv_of(replace(view, rounds=(*view.rounds[:-1], hidden))).splitlines()
    assert lines[-2:] == ["3,1,Berg-Bo,Angstrom-Ase,,,hidden,", "3,2,Dahl-D-5,Carlsen,,,hidden,"]


@pytest.mark.parametrize(
    "played", [("   4 w 1", "   3 w 1", "   2 b 0", "   1 b 0"), ("   2 w 1", "   1 b 0", "")]
)
def test_the_rounds_of_a_round_robin_are_not_its_laps(played: tuple[str, ...]) -> None:
    """A report of three or four players who have met once has three rounds, the event one lap."""
    text = "012 cup\n092 Individual: Round-Robin\n142 3\n" + "".join(
        f"001 {number:4}      {f'bot{number}':33} 2000 {'':27}{'':4} {number:4}  {rounds}\n"
        for number, rounds in enumerate(played, start=1)
    )
    settings, state = read(text)
    assert settings.rounds == 1
    assert "142 3" in trf_of(settings, state).splitlines()


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (" 0.0    4", " 0.5    4", "player 4 has 0.5, and 0 by its rounds"),
        ("2 w 0     4 b 1", "2 w 0     4 b 9", "player 5, round 2: '4 b 9' is not read"),
        ("     2 b =", "     3 b =", "players 1 and 3 contradict each other in round 3"),
        ("001    6", "001    5", "two players have one number"),
        ("XXR 5", "XXR five", "record 142: rounds are a number, not 'five'"),
        ("062 6", "162 W 3.0    D 1.0", "record 162: W is worth 3.0, where 1 is read"),
        ("062 6", "013 Team", "events of teams are not read"),
        ("Swiss-System", "Round-Robin", "a round robin has no byes with points"),
    ],
)
def test_what_can_not_be_an_event_here_is_refused(old: str, new: str, why: str) -> None:
    """The sentence names the record, and who or what is wrong in it."""
    assert old in PUBLISHED
    with pytest.raises(ValueError, match=why):
        archive_of_report(PUBLISHED.replace(old, new))


def test_a_report_without_a_round_is_refused() -> None:
    """Players alone are no event that could be shown; nor are rounds that all of them missed."""
    for rounds in ("", "  0000 - Z"):
        text = "".join(
            f"001 {at:4}      {'Dahl':33} {'':32} 0.0 {at:4}  {rounds}\n" for at in (1, 2)
        )
        with pytest.raises(ValueError, match="record 001: no round was played"):
            archive_of_report(text)


def test_a_knockout_has_no_report() -> None:
    """Reports have rounds of pairs, and no brackets."""
    settings = EventSettings(name="cup", format="knockout", entrants=("ann", "bob"))
    with pytest.raises(ReportError, match="a report has Swiss events and round robins, not knock"):
        trf_of(settings, prepared(settings))
