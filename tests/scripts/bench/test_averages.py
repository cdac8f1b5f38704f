"""Means and their errors."""

from __future__ import annotations

import pytest

from scripts.bench.averages import Average, average


def test_the_error_of_a_mean_is_that_of_a_sample() -> None:
    """Half and half of 0 and 3 are 1.5 on average; four of them are off by 0.87."""
    assert average([0, 3, 0, 3]) == pytest.approx((1.5, 0.75**0.5))
    assert average([2]) == Average(2.0, 0.0)


def test_averages_are_printed_to_four_places() -> None:
    """What is beyond is chance anyhow."""
    assert average([0, 0, 1]).rounded() == (0.3333, 0.3333)
