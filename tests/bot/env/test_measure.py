"""The share of points that a policy takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mancala.bot.env import points


def first(_seen: NDArray[np.int16], masks: NDArray[np.bool_]) -> Any:  # noqa: ANN401  # pits
    """Choose the first legal pit."""
    return masks.argmax(axis=1)


def last(_seen: NDArray[np.int16], masks: NDArray[np.bool_]) -> Any:  # noqa: ANN401  # pits
    """Choose the last legal pit."""
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def test_a_better_policy_takes_more_points() -> None:
    """The pit beside the store is better than the one farthest away; the same seed repeats."""
    share = points(last, first, games=100)
    assert share > 0.6
    assert points(first, last, games=100) < 0.4
    assert points(last, first, games=100) == share


def test_a_policy_against_itself_takes_about_half() -> None:
    """Seats are drawn, and the openings are fair."""
    assert points(last, last, games=400) == pytest.approx(0.5, abs=0.12)


def test_a_policy_is_asked_only_about_games_that_wait_for_it() -> None:
    """Each mask allows something, and an illegal pit loses."""

    def asked(seen: NDArray[np.int16], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
        assert masks.any(axis=1).all()
        assert (masks == (seen[:, 0, :-1] > 0)).all()
        return np.full(len(seen), 9)

    assert points(asked, "greedy", "kalah:pits=4,seeds=3", games=5, openings="start") == 0
