"""Whether ratings and their errors are true: the short form of the calibration."""

import numpy as np

from mancala.scripts.bench.calibration.joint_fit import coverage, ladder_figures, separated, stopped
from mancala.scripts.bench.simulated_games import GameConditions
from mancala.server.rating.sprt import Sprt


def test_intervals_hold_the_truth_with_unequal_openings(rng: np.random.Generator) -> None:
    """93 to 97 of 100 do if pairs count as pairs, with 30 % draws."""
    found = coverage(GameConditions(draw_weight=2.0), 130, 4, rng)
    assert 0.93 <= found["as_pairs"] <= 0.97
    assert found["as_single_games"] > found["as_pairs"]
    assert found["width_ratio"] > 1.05


def test_the_joint_fit_comes_near_to_the_truth_and_rests(rng: np.random.Generator) -> None:
    """After 200 games a player it errs and moves by far less than after 20."""
    first, last = ladder_figures(6, (20, 200), rng)
    assert last["error"] < first["error"] / 2
    assert last["drift"] < first["drift"] / 2
    assert 0.85 <= last["covered"] <= 1.0
    assert separated([first | {"in_order": 0.9}, last | {"in_order": 0.98}]) == 200


def test_what_a_test_stopped_is_reported_beside_what_was_scored(rng: np.random.Generator) -> None:
    """The corrected mean lies nearer to the truth."""
    found = stopped(40.0, Sprt(0, 40), 60, rng)
    assert abs(found["corrected"][0] - 40) < abs(found["as_scored"][0] - 40)
    assert found["covered"] > 0.85
