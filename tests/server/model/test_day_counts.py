"""What is limited to a few in 24 hours: how it is counted."""

import pytest

from mancala.server.model import day_counts
from mancala.server.model.day_counts import DAY_S, Counted, CountKind, DailyLimit

AT = "2026-11-21T12:00:00.000+00:00"


@pytest.fixture
def limit() -> DailyLimit:
    return DailyLimit(CountKind.NEWCOMER, "main")


def test_an_item_counts_once_under_its_key(limit: DailyLimit) -> None:
    """Of two, the third is refused; one that is counted has room, and so has another key."""
    items = [("bob", "1"), ("bob", "2"), ("bob", "1")]
    assert limit.note(items, 0.0, AT) == [
        Counted(CountKind.NEWCOMER, key, item, AT, "main") for key, item in items[:2]
    ]
    assert not limit.has_room("bob", "3", 0.0, most=2)
    assert limit.has_room("bob", "1", 0.0, most=2)
    assert limit.has_room("ann", "1", 0.0, most=2)


def test_what_is_recalled_counts_like_what_is_noted(limit: DailyLimit) -> None:
    """It is not stored a second time."""
    limit.restore_count(Counted(CountKind.NEWCOMER, "bob", "1", AT, "main"), -10.0)
    assert limit.note([("bob", "1")], 0.0, AT) == []
    assert (limit.count("bob", 0.0), limit.latest("bob", 0.0)) == (1, -10.0)


def test_a_day_later_there_is_room_again(limit: DailyLimit) -> None:
    """An item counts for 24 hours from when it was first counted, and not longer."""
    limit.note([("ann", "1")], 0.0, AT)
    limit.note([("ann", "1")], DAY_S - 1.0, AT)
    assert not limit.has_room("ann", "2", DAY_S - 1.0, most=1)
    assert limit.has_room("ann", "2", DAY_S, most=1)
    assert limit.latest("ann", DAY_S) is None


def test_memory_is_bounded(limit: DailyLimit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond a number of keys those are forgotten that were counted longest ago."""
    monkeypatch.setattr(day_counts, "MOST_KEYS", 3)
    for key in ("a", "b", "c", "a", "d"):
        limit.note([(key, "1")], 0.0, AT)
    assert [limit.count(key, 1.0) for key in "abcd"] == [1, 0, 1, 1]
