"""The lag that is believed: the smallest of many round trips, and what acknowledgements allow."""

import pytest

from mancala.protocol.round_trips import ALLOWANCE_S, KEPT, RoundTrips


def trips(*round_trips_s: float) -> RoundTrips:
    window = RoundTrips()
    for round_trip_s in round_trips_s:
        window.add(round_trip_s)
    return window


def test_before_the_first_round_trip_there_is_no_lag() -> None:
    """Whatever the kernel says."""
    assert RoundTrips().lag_s() == 0.0
    assert RoundTrips().lag_s(0.1) == 0.0


def test_the_smallest_of_many_counts() -> None:
    """A late answer adds nothing."""
    assert trips(0.12, 0.10, 0.9, 0.11).lag_s() == 0.10


def test_a_link_that_has_become_slower_counts_after_a_window() -> None:
    """What is old is forgotten."""
    assert trips(0.01, *[0.2] * 23).lag_s() == 0.01
    assert trips(0.01, *[0.2] * 24).lag_s() == 0.2


@pytest.mark.parametrize("late_s", [0.1, 0.3, 1.0])
def test_pongs_that_are_all_late_buy_no_more_than_the_allowance(late_s: float) -> None:
    """The acknowledgements of the peer's own system take a tenth of a millisecond."""
    assert trips(*[late_s] * KEPT).lag_s(0.0001) == 0.0001 + ALLOWANCE_S


def test_an_honest_bot_behind_100_ms_gets_full_credit() -> None:
    """Its pongs take as long as its acknowledgements, and jitter."""
    assert trips(0.1004, 0.1010, 0.14).lag_s(0.1001) == 0.1004
