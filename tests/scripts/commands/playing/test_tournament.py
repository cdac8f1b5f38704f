"""``mancala tournament`` as a user types it."""

import json
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import typer

from mancala.protocol.record import verify
from mancala.scripts.commands.playing.tournament import PairingOptions
from mancala.server.config.events import TieBreak
from mancala.server.contest.events.terms import Attendance
from mancala.server.contest.headless.journal import GAMES, EventJournal
from mancala.server.contest.headless.standings import STANDINGS_FILE
from tests.drills import tournament as drill
from tests.scripts.commands.results import by_one_worker, refusal_of, result_of


def tournament(*arguments: str) -> dict[str, Any]:
    return result_of("tournament", *by_one_worker(arguments))


def test_an_event_tells_standings_and_crosstable_and_keeps_its_games(tmp_path: Path) -> None:
    """Three players meet twice each; all is in the directory, and each record proves itself."""
    told = tournament("random", "fast=engine:nodes=20", "greedy", "--dir", str(tmp_path))
    assert {"standings", "crosstable", "openings"} <= told.keys()
    assert [line["name"] for line in told["standings"]] == told["crosstable"]["players"]
    assert {line["name"] for line in told["standings"]} == {"random", "fast", "greedy"}
    assert told["complete"]
    kept = EventJournal(tmp_path)
    kept.close()
    assert len(kept.games) == told["games"] == 6
    for game in kept.games.values():
        verify(game.record)
    assert json.loads((tmp_path / STANDINGS_FILE).read_text()) == told


@pytest.mark.parametrize("format_", ["gauntlet", "swiss", "double-knockout", "arena"])
def test_an_event_cut_short_ends_like_one_left_in_peace(tmp_path: Path, format_: str) -> None:
    """Wherever the journal was cut, taking the event up again gives the same table."""
    players = ("random", "greedy", "captures", "mcts:playouts=3")
    asked = (*players, "--format", format_, "--games", "4", "--rules", "kalah:pits=4,seeds=3")
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    told = tournament(*asked, "--dir", str(whole))
    shutil.copytree(whole, cut)
    (cut / STANDINGS_FILE).unlink()
    lines = (cut / GAMES).read_bytes().splitlines(keepends=True)
    (cut / GAMES).write_bytes(b"".join(lines[:5]) + lines[5][:40])
    assert tournament("--resume", str(cut)) == told
    assert (cut / STANDINGS_FILE).read_bytes() == (whole / STANDINGS_FILE).read_bytes()


def test_an_arena_pairs_as_many_waves_as_rounds(tmp_path: Path) -> None:
    """One rests in each; who comes late or leaves is paired in the waves between."""
    page = tmp_path / "event.html"
    told = tournament(
        *("random", "greedy", "captures", "defend", "--format", "arena", "--rounds", "5"),
        *("--late", "random=3", "--leaves", "defend=4", "--rules", "kalah:pits=3,seeds=2"),
        *("--dir", str(tmp_path / "event"), "--report", str(page)),
    )
    # 3 players in waves 1, 2 and 5, one of them resting for 1 point; 4 in waves 3 and 4.
    assert told["games"] == 2 * 3 + 4 * 2
    assert sum(line["points"] for line in told["standings"]) == told["games"] + 3
    assert "Arena" in page.read_text()


def test_a_swiss_takes_late_entries_and_names_its_tie_breaks(tmp_path: Path) -> None:
    """Who enters in round 2 has half the points of round 1; the order asked for is in the table."""
    page = tmp_path / "event.html"
    asked = ("random", "greedy", "captures", "defend", "--format", "swiss", "--rounds", "2")
    order = "direct,buchholz-1,buchholz,sonneborn-berger,wins,progressive"
    told = tournament(
        *asked,
        *("--late", "random=2", "--leaves", "defend=1", "--tie-breaks", order),
        *("--rules", "kalah:pits=3,seeds=2", "--dir", str(tmp_path / "event")),
        *("--report", str(page)),
    )
    assert told["tie_breaks"] == order.split(",")
    lines = {line["name"]: line for line in told["standings"]}
    assert {"direct", "buchholz_1", "progressive"} <= lines["random"].keys()
    # 3 players in round 1, one of them with the bye; 3 in round 2, and random's half bye.
    assert sum(line["points"] for line in lines.values()) == told["games"] + 2 + 1 + 2
    assert "buchholz-1" in page.read_text()


def test_a_knockout_says_what_decided_each_encounter(tmp_path: Path) -> None:
    """The bracket is in the table and in the report; drawn encounters were replayed."""
    page = tmp_path / "event.html"
    told = tournament(
        *("random", "greedy", "captures", "--format", "knockout", "--report", str(page)),
        *("--rules", "kalah:pits=3,seeds=2", "--dir", str(tmp_path / "event")),
    )
    assert [tie["stage"] for tie in told["ties"]] == ["round 1", "final"]
    assert {tie["decided_by"] for tie in told["ties"]} <= {"points", "replay", "margin", "lot"}
    assert told["ties"][-1]["winner"] == told["standings"][0]["name"]
    assert "decided_by" in page.read_text()


def test_a_program_that_crashes_again_and_again_is_disabled(tmp_path: Path) -> None:
    """After as many crashes in a row as were allowed, its games are lost without being played."""
    players = ("random", "greedy", "crasher=cmd:/bin/false")
    asked = (*players, "--games", "6", "--rules", "kalah:pits=3,seeds=2", "--concurrency", "1")
    page = tmp_path / "event.html"
    told = tournament(
        *asked, "--disable-after", "2", "--dir", str(tmp_path / "event"), "--report", str(page)
    )
    lines = {line["name"]: line for line in told["standings"]}
    assert told["complete"]
    assert list(told["disabled"]) == ["crasher"]
    assert lines["crasher"]["forfeits"] == lines["crasher"]["games"] == 12
    assert lines["random"]["forfeits"] == lines["greedy"]["forfeits"] == 0
    with closing(EventJournal(tmp_path / "event")) as kept:
        assert len(kept.games) < told["games"] == 18
    assert "Disabled, with later games forfeited or void: crasher" in page.read_text()


def test_killed_again_and_again_it_ends_the_same() -> None:
    """The drill in short: kills at random moments lose no game, repeat none, change no byte."""
    report = drill.drill(games=40, kills=2, seed=1)
    assert report.ok, (report.seed, report.promises, report.figures)


def test_another_event_is_not_taken_up_by_mistake(tmp_path: Path) -> None:
    """The same directory with other players is a mistake, and is reported."""
    tournament("random", "greedy", "--dir", str(tmp_path), "--rules", "kalah:pits=3,seeds=2")
    asked = ("tournament", "random", "captures")
    assert "with other players" in refusal_of(*asked, "--resume", str(tmp_path))
    assert "take it up with --resume" in refusal_of(*asked, "--dir", str(tmp_path))


def test_rounds_missed_are_gathered_by_player() -> None:
    """One player may enter late, have byes and withdraw."""
    options = PairingOptions(late=["a=2"], leaves=["a=5", "b=1"], bye=["a=3", "a=4"])
    assert options.attendance() == {
        "a": Attendance(joins=2, leaves=5, byes=(3, 4)),
        "b": Attendance(leaves=1),
    }


def test_tie_breaks_keep_their_order() -> None:
    """As asked for; without the option the format decides."""
    options = PairingOptions(tie_breaks="wins,direct")
    assert options.order_of_tie_breaks() == (TieBreak.WINS, TieBreak.DIRECT)
    assert PairingOptions().order_of_tie_breaks() == ()


@pytest.mark.parametrize("text", ["a", "=1", "a=", "a=0", "a=one"])
def test_a_round_that_cannot_be_read_is_refused(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The option and its text are named."""
    with pytest.raises(typer.Exit):
        PairingOptions(bye=[text]).attendance()
    assert f"--bye: {text!r} is not NAME=ROUND" in capsys.readouterr().err
