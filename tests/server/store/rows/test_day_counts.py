"""What is limited to a few in 24 hours, kept over a restart."""

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import text

from mancala.server.model.day_counts import Counted, CountKind
from mancala.server.store import Store
from mancala.server.store.rows.day_counts import counted_since, forget_counted
from tests.server.store.databases import fail, place_of, rows

pytestmark = pytest.mark.usefixtures("database")

HOURS = [f"2026-11-21T{hour}:00:00.000+00:00" for hour in (10, 11, 12)]


MANY = """
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n <= 100000)
INSERT INTO day_counts (kind, ladder, key, item, counted_at)
SELECT 'void', '', 'k', CAST(n AS TEXT), CAST(1000000 + n AS TEXT) FROM numbers
"""


async def test_a_start_reads_the_latest_hundred_thousand(tmp_path: Path) -> None:
    """However much was counted, a server is ready soon."""
    place = place_of(tmp_path)
    async with Store(place, failed=fail) as store:
        await store.run(lambda transaction: transaction.execute(text(MANY)).close())
        found = await store.run(counted_since, "0")
    assert (len(found), found[0].item, found[-1].item) == (100_000, "2", "100001")


async def test_what_was_counted_is_kept_until_it_is_old(tmp_path: Path) -> None:
    """The latest items come back in order, whole; the others are deleted."""
    items = [Counted(CountKind.NEWCOMER, "bot bob", f"bob@{at}", at, "main") for at in HOURS]
    items[2] = Counted(CountKind.VOID, "address 192.0.2.1", "g", HOURS[2])
    async with Store(place_of(tmp_path), failed=fail) as store:
        done = asyncio.Event()
        store.commit(items, done.set)
        await done.wait()
        assert await store.run(counted_since, HOURS[0]) == items
        assert await store.run(counted_since, HOURS[1]) == items[1:]
        await store.run(forget_counted, HOURS[1])
    kept = rows(place_of(tmp_path), "SELECT counted_at FROM day_counts ORDER BY counted_at")
    assert kept == [(hour,) for hour in HOURS[1:]]
