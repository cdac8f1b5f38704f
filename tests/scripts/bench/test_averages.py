"""Means and their errors."""

import pytest

from mancala.scripts.bench.averages import Average, average


def test_the_error_of_a_mean_is_that_of_a_sample() -> None:
    """Half and half of 0 and 3 are 1.5 on average, and four of them hardly off by more than 1.7."""
    assert average([0, 3, 0, 3]) == pytest.approx((1.5, 1.96 * 0.75**0.5), rel=1e-3)
    assert average([2]) == Average(2.0, 0.0)


def test_averages_are_printed_to_four_places() -> None:
    """What is beyond is chance anyhow."""
    assert average([0, 0, 1]).rounded() == (0.3333, 0.6533)
