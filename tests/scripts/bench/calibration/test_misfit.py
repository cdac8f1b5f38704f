"""Players off the line are found, and others are not: the short form of the measurement."""

import numpy as np

from mancala.scripts.bench.calibration.misfit import MisfitField, found_in


def test_players_on_one_line_are_hardly_ever_said_to_be_off(rng: np.random.Generator) -> None:
    """At a level of 1 % for each, more than four of 60 have a chance of 1 in 3,000."""
    found = found_in(MisfitField(6, 5), 60, rng)
    assert found["off_the_line"] <= 4 / 60
    assert found["other_pairs"] + found["dealers"] <= 8 / 60
    assert found["covered"] >= 0.88


def test_intervals_of_players_off_the_line_hold_the_truth(rng: np.random.Generator) -> None:
    """Widened, they hold it nearly as often as they say; as they were, in far fewer cases."""
    found = found_in(MisfitField(8, 20, apart=200), 40, rng)
    assert found["off_the_line"] >= 0.9
    assert found["covered"] >= 0.82
    assert found["covered_unwidened"] < found["covered"] - 0.1


def test_a_pair_that_deals_is_found(rng: np.random.Generator) -> None:
    """Forty lost games of forty, where most often some twenty are expected."""
    found = found_in(MisfitField(8, 20, deal=True), 40, rng)
    assert found["dealers"] >= 0.5
    assert found["covered_left_out"] >= found["covered_unwidened"]
