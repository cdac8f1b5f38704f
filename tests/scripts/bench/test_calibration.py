"""Whether ratings and their errors are true: the short form of the calibration."""

from __future__ import annotations

import numpy as np
import pytest

from scripts.bench.calibration import coverage, ladder_figures, separated, stopped
from scripts.bench.simulated_games import Conditions
from server.rating.sprt import Sprt


@pytest.mark.parametrize("draw_weight", [0.4, 2.0])
def test_intervals_hold_the_truth_with_unequal_openings(
    draw_weight: float, chance: np.random.Generator
) -> None:
    """93 to 97 of 100 do if pairs count as pairs, with 30 % draws and with 10 %."""
    found = coverage(Conditions(draw_weight=draw_weight), 130, 4, chance)
    assert 0.93 <= found["as_pairs"] <= 0.97
    assert found["as_single_games"] > found["as_pairs"]
    assert found["width_ratio"] > 1.05


def test_the_joint_fit_is_nearer_to_the_truth_and_calmer(chance: np.random.Generator) -> None:
    """After 200 games a player it errs less than Elo's K = 8, and moves less than all."""
    found = ladder_figures(6, (20, 200), chance)
    last = {name: rows[-1] for name, rows in found.items()}
    assert last["joint fit"]["error"] < last["Elo, K = 8"]["error"]
    assert last["joint fit"]["drift"] == min(row["drift"] for row in last.values())
    assert last["Elo, K = 8"]["covered"] is None
    assert separated(found).keys() == found.keys()


def test_what_a_test_stopped_is_reported_beside_what_was_scored(
    chance: np.random.Generator,
) -> None:
    """The corrected mean lies nearer to the truth."""
    found = stopped(40.0, Sprt(0, 40), 60, chance)
    assert abs(found["corrected"][0] - 40) < abs(found["as_scored"][0] - 40)
    assert found["covered"] > 0.85
