"""What is limited to a few in 24 hours: how it is counted."""

from __future__ import annotations

import pytest

from server.model import day_counts
from server.model.day_counts import DAY_S, DayCounts


def test_an_item_counts_once_under_its_key() -> None:
    """Of two, the third is refused; one that is counted has room, and so has another key."""
    counts = DayCounts()
    assert [counts.note("bob", item, 0.0) for item in ("1", "2", "1")] == [True, True, False]
    assert not counts.has_room("bob", "3", 0.0, most=2)
    assert counts.has_room("bob", "1", 0.0, most=2)
    assert counts.has_room("ann", "1", 0.0, most=2)


def test_the_key_with_most_items_counts() -> None:
    """A guest is counted by its name and by its address, whichever has more."""
    counts = DayCounts()
    for name in ("ann", "bob"):
        counts.note(f"bot {name}", name, 0.0)
        counts.note("address 1", name, 0.0)
    assert counts.count(("bot ann",), 1.0) == 1
    assert counts.count(("bot ann", "address 1"), 1.0) == 2
    assert counts.count(("bot cy",), 1.0) == 0


def test_a_day_later_there_is_room_again() -> None:
    """An item counts for 24 hours from when it was first counted, and not longer."""
    counts = DayCounts()
    counts.note("ann", "1", 0.0)
    counts.note("ann", "1", DAY_S - 1.0)
    assert not counts.has_room("ann", "2", DAY_S - 1.0, most=1)
    assert counts.has_room("ann", "2", DAY_S, most=1)
    assert counts.latest("ann", DAY_S) is None


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond a number of keys those are forgotten that were counted longest ago."""
    monkeypatch.setattr(day_counts, "MOST_KEYS", 3)
    counts = DayCounts()
    for key in ("a", "b", "c", "a", "d"):
        counts.note(key, "1", 0.0)
    assert [counts.count((key,), 1.0) for key in "abcd"] == [1, 0, 1, 1]
