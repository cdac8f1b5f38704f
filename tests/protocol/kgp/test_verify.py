"""The mode ``verify``: problems set and solutions marked."""

import random
from collections.abc import Sequence

import pytest

from mancala.protocol.kgp.verify import Verifier, south_first
from mancala.protocol.rules import Board
from tests.seeds import seed


@pytest.fixture
def rng() -> random.Random:
    return random.Random(seed())


def test_problems_can_be_solved_and_right_solutions_pass(rng: random.Random) -> None:
    """Any position set is a legal one in which South moves and the game then goes on."""
    verifier = Verifier(rng.choice)
    again, boards = 0, set()
    for number in range(2, 400, 2):
        board, pit = verifier.pose(number)
        boards.add(board)
        sowing = board.sow(pit)
        assert not sowing.board.is_over
        again += sowing.again
        solution = (south_first(sowing), int(sowing.again))
        assert verifier.check(number, solution) is None
    assert again
    assert len(boards) > 20


def test_positions_come_from_the_first_24_sowings_of_a_game() -> None:
    """The number of sowings before a problem is chosen at random, below 24."""
    choices: list[Sequence[int]] = []

    def pick(choice: Sequence[int]) -> int:
        choices.append(choice)
        return choice[0]

    assert Verifier(pick).pose(2).board == Board.start()
    assert choices[0] == range(24)


@pytest.mark.parametrize(
    "text", ["<6,0,0,0,5,5,5,4,5,4,4,4,4,4,4>", "<6,0,0,0,5,5,5,6,3,4,4,4,4,4,4>"]
)
def test_any_other_position_is_wrong(text: str) -> None:
    """Whether it has fewer seeds in a pit or more."""
    verifier = Verifier(lambda choice: choice[0])
    verifier.pose(2)
    verdict = verifier.check(2, (Board.from_text(text), 0))
    assert verdict == "expected <6,0,0,0,5,5,5,5,4,4,4,4,4,4,4>"


def test_what_is_wrong_is_named(rng: random.Random) -> None:
    """A wrong position, a wrong answer to who sows next, and no answer at all."""
    verifier = Verifier(rng.choice)
    board, pit = verifier.pose(2)
    sowing = board.sow(pit)
    assert verifier.check(2, (board, int(sowing.again))) == f"expected {south_first(sowing).text}"
    board, pit = verifier.pose(4)
    sowing = board.sow(pit)
    verdict = verifier.check(4, (south_first(sowing), int(not sowing.again)))
    assert verdict == ("South sows again" if sowing.again else "South does not sow again")
    verifier.pose(6)
    assert str(verifier.check(6, ("what?",))).startswith("a solution is a board")


def test_each_problem_is_marked_once(rng: random.Random) -> None:
    """No number, an unknown one and one used up are all the same."""
    verifier = Verifier(rng.choice)
    board, pit = verifier.pose(2)
    sowing = board.sow(pit)
    solution = (south_first(sowing), int(sowing.again))
    assert verifier.check(2, solution) is None
    for number in (2, 4, None):
        assert verifier.check(number, solution) == (
            "no problem has that number, or it was solved before"
        )


def test_south_stays_first_when_north_is_to_move() -> None:
    """The literal of a solution is South's view in any case."""
    sowing = Board.start().sow(0)
    assert south_first(sowing).text == "<6,0,0,0,5,5,5,5,4,4,4,4,4,4,4>"
