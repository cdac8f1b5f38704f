"""What a position is worth where a search stops."""

from random import Random

import pytest

from mancala.engine.classics.evaluation import EVALUATIONS, harvest, margin, side, stores
from mancala.engine.classics.game import position_of
from mancala.protocol.rules import KALAH, Board
from tests.engine.classics.positions import boards_of_random_game


@pytest.mark.parametrize("seed", [3])
@pytest.mark.parametrize("name", ["stores", "side"])
def test_what_is_good_for_one_is_bad_for_the_other(name: str, seed: int) -> None:
    """A turned board has the opposite value, and the start is worth nothing to either."""
    evaluate = EVALUATIONS[name]
    assert evaluate(position_of(Board.start())) == 0
    for board in boards_of_random_game(KALAH, Random(seed)):
        position = position_of(board)
        half = len(position) // 2
        assert evaluate(position[half:] + position[:half]) == -evaluate(position)


def test_stores_counts_what_is_won() -> None:
    """The score difference ignores the seeds in the pits."""
    assert stores((9, 9, 5, 0, 1, 2)) == 3


def test_side_counts_seeds_and_re_turns() -> None:
    """Own seeds and store against the other's, and three for a pit that ends in the store."""
    assert side((2, 5, 4, 0, 3, 1)) == (2 + 5 + 4 + 3) - (0 + 3 + 1)


def test_utilities_are_each_player_s_own() -> None:
    """The margin cancels out; the harvest does not."""
    assert margin((0, 1, 7, 1, 0, 3)) == (4, -4)
    assert harvest((0, 1, 7, 1, 0, 3)) == (7, 3)
