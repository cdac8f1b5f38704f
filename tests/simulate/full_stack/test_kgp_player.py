"""Clients of the Kalah Game Protocol play over the full stack, and what they hear is compared."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from mancala.bot.client.bot import GameResult
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Reason
from mancala.protocol.rules import KALAH
from tests.simulate.campaign import make_template, simulate
from tests.simulate.faults import POLITE
from tests.simulate.full_stack.kgp_player import KgpPlayer
from tests.simulate.full_stack.program import Venue
from tests.simulate.plan import FaultPlan, Mode
from tests.simulate.promises import BrokenPromiseError, Promise
from tests.simulate.reading import StoredGame

STORED = StoredGame(
    *("g", "m", 0, ("ben", "kgp0-ab12"), True, "kgp", KALAH, TimeControl(move_ms=1000)),
    winner=1,
    stores=(18, 30),
    reason=Reason.NORMAL,
    pits=(),
    entrants=("ben", "kgp0-ab12"),
    is_annulled=False,
)


def test_clients_play_their_games(tmp_path: Path) -> None:
    """They hear how each of them ended."""
    plan = FaultPlan.of(4, mode=Mode.FULL_STACK).changed("bots=2,kills=0,storm_s=20")
    outcome = simulate(plan, make_template(tmp_path), trace=True)
    assert outcome.fault is None
    assert any("kgp" in line and "is over" in line for line in outcome.lines)


def test_a_result_is_the_one_that_is_stored() -> None:
    """The protocol shows each client itself as player 0, and a guest's name may grow."""
    venue = cast("Venue", SimpleNamespace(trace=SimpleNamespace(tell=lambda *_: None)))
    player = KgpPlayer(venue, "kgp0", POLITE, "203.0.113.1")
    player.game_over(GameResult("g", "", "ben", 0, 0, (30, 18), Reason.NORMAL))
    player.check({"g": STORED})
    player.game_over(GameResult("g", "", "ben", 0, 1, (30, 18), Reason.NORMAL))
    with pytest.raises(BrokenPromiseError, match=Promise.FINAL):
        player.check({"g": STORED})
