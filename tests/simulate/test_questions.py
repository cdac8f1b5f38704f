"""What a test of a flag finds: answers in time, and the provisional moves that may be played."""

import pytest

from mancala.protocol.clock import TimeoutPolicy
from tests.simulate.promises import BrokenPromiseError, Promise
from tests.simulate.questions import OpenQuestion, ProvisionalAnswer

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
