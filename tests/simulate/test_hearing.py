"""What a bot hears of its games, what its clocks say, and what is played at a flag, are checked."""

import pytest

from mancala.protocol.clock import ClockState, TimeControl, TimeoutPolicy
from mancala.protocol.messages import GameStart, Moved, Opponent, Turn
from mancala.protocol.rules import KALAH, Board
from tests.simulate.hearing import Hearing
from tests.simulate.promises import BrokenPromiseError, Promise
from tests.simulate.questions import OpenQuestion, ProvisionalAnswer

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


FORFEIT, PROVISIONAL, RANDOM = (
    TimeoutPolicy.FORFEIT,
    TimeoutPolicy.PROVISIONAL,
    TimeoutPolicy.RANDOM,
)


def asked(*answers: tuple[int, float]) -> OpenQuestion:
    """Return a question whose flag falls between 10.0 and 10.1, with provisional answers."""
    question = OpenQuestion(9.0, 10.0, 0.1)
    question.provisional = [ProvisionalAnswer(pit, at, is_known=True) for pit, at in answers]
    return question


@pytest.mark.parametrize(
    ("pit", "timeout", "answers"),
    [
        (2, PROVISIONAL, ((1, 9.2), (2, 9.5), (3, 10.5))),
        (3, PROVISIONAL, ((2, 9.5), (3, 10.05))),
        (2, PROVISIONAL, ((2, 9.5), (3, 10.05))),
        (0, RANDOM, ((3, 10.5),)),
    ],
)
def test_the_last_provisional_move_before_the_flag_may_be_played(
    pit: int, timeout: TimeoutPolicy, answers: tuple[tuple[int, float], ...]
) -> None:
    """Or one that came while the flag fell; a random one where none came."""
    asked(*answers).check_forced(pit, timeout, "here")


@pytest.mark.parametrize(
    ("pit", "timeout", "answers"),
    [
        (1, PROVISIONAL, ((1, 9.2), (2, 9.5))),
        (3, PROVISIONAL, ((2, 9.5), (3, 10.5))),
        (0, RANDOM, ((1, 9.2),)),
    ],
)
def test_no_other_move_may_be_played_at_the_flag(
    pit: int, timeout: TimeoutPolicy, answers: tuple[tuple[int, float], ...]
) -> None:
    """No former one, none that came after the flag, and no random one beside a given one."""
    with pytest.raises(BrokenPromiseError, match=Promise.AS_GIVEN):
        asked(*answers).check_forced(pit, timeout, "here")


def test_a_game_with_a_provisional_move_is_not_lost() -> None:
    """Unless its clock plays none, or it came late."""
    asked((1, 9.2)).check_forfeited(FORFEIT, "here")
    asked((1, 10.2)).check_forfeited(PROVISIONAL, "here")
    with pytest.raises(BrokenPromiseError, match=Promise.AS_GIVEN):
        asked((1, 9.2)).check_forfeited(PROVISIONAL, "here")
