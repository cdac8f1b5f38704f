"""What a bot hears of its games, and what its clocks say, is checked."""

import pytest

from mancala.protocol.clock import ClockState, TimeControl
from mancala.protocol.messages import GameStart, Moved, Opponent, Turn
from mancala.protocol.rules import KALAH, Board
from tests.simulate.hearing import Hearing
from tests.simulate.promises import BrokenPromiseError, Promise

STATE = Board.start(KALAH).state
CONTROL = TimeControl(move_ms=None, bank_ms=5000, increment_ms=100)
FULL = ClockState((5000, 5000), (300, 300))


def start(moves: tuple[int, ...] = (), clocks: ClockState = FULL) -> GameStart:
    return GameStart(
        "g", "m", 0, KALAH, CONTROL, Opponent("ben"), STATE, moves, clocks, ("ann", "ben")
    )


def turn(ply: int, clock: ClockState, deadline_ms: int = 5000) -> Turn:
    return Turn("g", ply, STATE, (0, 1), clock, deadline_ms)


def moved(ply: int, clock: ClockState, *, elapsed_ms: int = 0, lag_ms: int = 0) -> Moved:
    return Moved(
        *("g", ply, 0, 1, 0),
        again=True,
        state=STATE,
        clock=clock,
        elapsed_ms=elapsed_ms,
        lag_ms=lag_ms,
    )


def after(elapsed_ms: int, lag_ms: int) -> ClockState:
    gain = CONTROL.gain_ms
    quota = min(7 * gain, 300 - lag_ms + gain)
    return ClockState((5000 - elapsed_ms + lag_ms + 100, 5000), (int(quota), 300))


def test_a_clock_that_adds_up_breaks_nothing() -> None:
    """Also over a snapshot, and the question that it leads to."""
    hearing, clock = Hearing(), after(1000, 40)
    hearing.shown("ann", start())
    hearing.asked("ann", turn(0, FULL))
    hearing.moved("ann", moved(0, clock, elapsed_ms=1000, lag_ms=40))
    hearing.asked("ann", turn(1, clock))
    hearing.shown("ann", start((1,), clock))


@pytest.mark.parametrize(
    "clock", [FULL, after(1000, 80), after(1000, 0)], ids=["uncharged", "twice", "uncredited"]
)
def test_a_clock_shows_what_a_move_took(clock: ClockState) -> None:
    """The bank pays the time without the lag that is credited, and the quota pays that."""
    hearing = Hearing()
    hearing.shown("ann", start())
    with pytest.raises(BrokenPromiseError, match=Promise.CLOCK):
        hearing.moved("ann", moved(0, clock, elapsed_ms=1000, lag_ms=40))


def test_a_clock_is_the_same_after_a_restart() -> None:
    """What was announced with the last move still holds."""
    hearing = Hearing()
    hearing.shown("ann", start())
    hearing.moved("ann", moved(0, after(2000, 0), elapsed_ms=2000))
    with pytest.raises(BrokenPromiseError, match=Promise.CLOCK):
        hearing.shown("ann", start((1,), FULL))


def test_a_bot_hears_every_move() -> None:
    """Neither a move nor a question may pass over one."""
    hearing = Hearing()
    hearing.shown("ann", start())
    hearing.moved("ann", moved(0, after(0, 0)))
    with pytest.raises(BrokenPromiseError, match=Promise.HEARD):
        hearing.asked("ann", turn(2, after(0, 0)))
    with pytest.raises(BrokenPromiseError, match=Promise.HEARD):
        hearing.moved("ann", moved(2, after(0, 0)))


def test_a_new_question_leaves_the_whole_time() -> None:
    """One that is asked again, after a snapshot, may leave less."""
    hearing, clock = Hearing(), after(0, 0)
    hearing.shown("ann", start())
    hearing.moved("ann", moved(0, clock))
    with pytest.raises(BrokenPromiseError, match=Promise.WHOLE_TIME):
        hearing.asked("ann", turn(1, clock, deadline_ms=5050))
    hearing.shown("ann", start((1,), clock))
    hearing.asked("ann", turn(1, clock, deadline_ms=3000))
