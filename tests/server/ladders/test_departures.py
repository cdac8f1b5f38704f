"""Early departures: how they are counted, and the pause that follows."""

from __future__ import annotations

import pytest

from server.config.ladders import LadderSettings
from server.ladders.departures import DAY_S, Departures, pause_s

SETTINGS = LadderSettings(name="main", early_departures=3, departure_pause_s=60.0)


def test_the_key_with_most_departures_counts() -> None:
    """A guest is counted by its name and by its address, whichever left more often."""
    departures = Departures()
    for name in ("ann", "bob"):
        departures.note((name, "address 1"), 0.0)
    assert departures.count(("ann",), 1.0) == 1
    assert departures.count(("ann", "address 1"), 1.0) == 2
    assert departures.count(("cy",), 1.0) == 0


def test_a_day_later_they_are_forgotten() -> None:
    """Departures count for 24 hours, and no longer take memory after that."""
    departures = Departures()
    departures.note(("ann",), 0.0)
    departures.note(("bob",), DAY_S + 1.0)
    assert departures.count(("ann",), DAY_S + 1.0) == 0
    assert departures.not_before(("ann",), DAY_S + 1.0, SETTINGS) == DAY_S + 1.0


@pytest.mark.parametrize(
    ("count", "expected"), [(0, 0.0), (3, 0.0), (4, 60.0), (5, 120.0), (8, 960.0), (64, DAY_S)]
)
def test_the_pause_doubles(count: int, expected: float) -> None:
    """The first few cost no pause; after that each doubles it, up to a day."""
    assert pause_s(count, SETTINGS) == expected
