"""What the duellists' tally makes of what they see."""

import pytest

from mancala.protocol.clock import ClockState
from mancala.protocol.messages import Move, Moved
from mancala.protocol.rules import Board
from tests.drills.duellists import DuelTally

MOVED = Moved(
    game="g",
    ply=3,
    player=1,
    pit=2,
    captured=0,
    again=False,
    state=Board.start().state,
    clock=ClockState(None, (0, 0)),
    elapsed_ms=250,
    lag_ms=0,
)


@pytest.mark.parametrize("own_first", [True, False])
async def test_each_move_counts_once_in_any_order_of_arrival(*, own_first: bool) -> None:
    """A regression: where the opponent heard first, the move was not counted at all."""
    tally = DuelTally()
    tally.sent(Move("g", 3, 2), now=10.0)
    if own_first:
        tally.own(MOVED, took_s=0.2)
    tally.other(MOVED, now=10.5)
    if not own_first:
        tally.own(MOVED, took_s=0.2)
    assert tally.plies == 1
    assert tally.relay_ms == [500.0]
    assert tally.clock_error_ms == [pytest.approx(50.0)]
