"""Options of an event's pairings."""

from __future__ import annotations

import pytest
import typer

from mancala.scripts.tournament.runs.pairing_options import PairingOptions
from mancala.server.contest.events.plan import Attendance
from mancala.server.contest.events.standings import TieBreak


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
