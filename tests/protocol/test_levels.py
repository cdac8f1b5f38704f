"""The fixed places of the levels."""

from mancala.protocol.levels import LEVEL_ELO, level_ratings
from mancala.protocol.rules import KALAH, Rules


def test_levels_have_the_ratings_of_the_scale() -> None:
    """Level 1 is 0; players that are no levels, or levels with other options, have none."""
    house = {
        "one": "engine:level=1",
        "nine": " engine:level=9 ",
        "full": "engine:level=10",
        "changed": "engine:level=3,seed=4",
        "greedy": "greedy",
    }
    assert level_ratings(house, KALAH) == {"one": 0.0, "nine": float(LEVEL_ELO[8])}


def test_the_scale_is_that_of_one_board() -> None:
    """On others the levels are as far apart as they are."""
    assert level_ratings({"one": "engine:level=1"}, Rules(pits=6, seeds=6)) == {}
