"""The interval beside a mean loss: the short form of the measurement."""

import numpy as np
import pytest

from mancala.scripts.bench.calibration.loss_intervals import Errors, accuracy_covered, sampled


@pytest.mark.parametrize(
    "losses", [{"0": 97, "2": 2, "8": 1}, {"0": 995, "2": 5}, {"0": 76, "2": 13, "6": 8, "16": 3}]
)
def test_intervals_of_rate_hold_the_truth(losses: dict[str, int], rng: np.random.Generator) -> None:
    """Also of players that hardly ever err, whose normal interval is often 0 ± 0."""
    found = sampled(losses, 300, rng)
    assert found["covered"] >= 0.92
    assert found["covered"] > found["covered_by_the_normal_interval"]


@pytest.mark.parametrize("games", [2, 5, 20])
def test_intervals_of_a_ladders_accuracy_hold_the_truth(
    games: int, rng: np.random.Generator
) -> None:
    """From two games on, though errors come in bad games."""
    assert accuracy_covered(Errors(0.1, 4, 0.5), games, 300, rng)["covered"] >= 0.9
