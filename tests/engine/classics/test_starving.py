"""An agent that plans again after each step, and may starve beside its food."""

from itertools import islice

import pytest

from mancala.engine.classics.starving import Corridor, PlannedStep, walk


def steps(text: str, horizon: int, discount: float = 1.0, favourite: str = "east") -> list[str]:
    made = islice(walk(Corridor.parse(text), horizon, discount, favourite=favourite), 10)
    return [each.step for each in made]


def test_where_later_is_as_good_as_now_it_walks_to_and_fro() -> None:
    """Two steps away, both plans eat one dot; from the next cell only the way back does."""
    assert steps("_.P__", 3) == ["east", "west"] * 5


def test_a_longer_horizon_does_not_help() -> None:
    """There are only more plans of the same worth."""
    assert len(steps("_.P__", 10)) == 10


@pytest.mark.parametrize(
    ("horizon", "discount", "favourite"), [(3, 0.99, "east"), (3, 1.0, "west"), (2, 1.0, "east")]
)
def test_it_eats_at_once_where_that_is_worth_more(
    horizon: int, discount: float, favourite: str
) -> None:
    """By a discount, by luck, or because it sees no way to eat later."""
    assert steps("_.P__", horizon, discount, favourite) == ["west"]


def test_a_step_tells_what_each_is_worth() -> None:
    """In dots, by the best plan that begins with it; a wall is no step."""
    first, *_ = walk(Corridor.parse("P_.."), 3, 0.5)
    assert first == PlannedStep(
        Corridor(4, 0, frozenset({2, 3})), {"east": 0.75}, "east", ate=False
    )
    assert str(first.corridor) == "P_.."


@pytest.mark.parametrize("text", ["", "P", "..", "P.P", "_x.P"])
def test_what_is_no_corridor_is_refused(text: str) -> None:
    """One Pacman, with room to move."""
    with pytest.raises(ValueError, match="no corridor"):
        Corridor.parse(text)
