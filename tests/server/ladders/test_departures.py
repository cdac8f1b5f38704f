"""Early departures: the pause that follows."""

from __future__ import annotations

import pytest

from server.config.ladders import LadderSettings
from server.ladders.departures import not_before, pause_s
from server.model.day_counts import DAY_S, DayCounts

SETTINGS = LadderSettings(name="main", early_departures=3, departure_pause_s=60.0)


def test_a_bot_waits_for_the_key_that_left_most_often() -> None:
    """A guest waits for its address; after a day, for nothing."""
    departures = DayCounts()
    for match in ("a", "b", "c", "d"):
        departures.note("address 1", match, 10.0)
    departures.note("bot ann", "d", 10.0)
    assert not_before(departures, ("bot ann",), 20.0, SETTINGS) == 10.0
    assert not_before(departures, ("bot ann", "address 1"), 20.0, SETTINGS) == 70.0
    a_day_later = 10.0 + DAY_S
    assert not_before(departures, ("address 1",), a_day_later, SETTINGS) == a_day_later


@pytest.mark.parametrize(
    ("count", "expected"),
    [(0, 0.0), (3, 0.0), (4, 60.0), (5, 120.0), (8, 960.0), (64, DAY_S), (10_000, DAY_S)],
)
def test_the_pause_doubles(count: int, expected: float) -> None:
    """The first few cost no pause; after that each doubles it, up to a day."""
    assert pause_s(count, SETTINGS) == expected
