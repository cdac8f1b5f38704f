"""What is old is forgotten, and nothing else."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import insert, select

from mancala.server.model.timestamps import milliseconds_of
from mancala.server.store.database.database import connect
from mancala.server.store.database.schema import games, reviews
from mancala.server.store.database.writer import Transaction
from mancala.server.store.entries import write_all
from mancala.server.store.upkeep.retention import (
    forget_matches,
    forget_reports,
    forget_reviews,
    give_back_room,
    renew_statistics,
)
from tests.server.store.builders import GAMES, at, do, played
from tests.server.store.databases import execute, place_of, rows

pytestmark = pytest.mark.usefixtures("database")

END_MATCHES = "UPDATE matches SET ended_at = (SELECT ended_at FROM games WHERE match = matches.id)"
FINISHED = select(games.c.id, games.c.number, games.c.ended_at).where(games.c.ended_at.is_not(None))
OLD = GAMES // 2
"""The number of the first game that is kept; the first of all is under way."""


@pytest.fixture
def place(tmp_path: Path) -> str:
    """A store with finished matches, one under way, and a review each."""
    place = place_of(tmp_path)
    with closing(connect(place)) as connection:
        do(connection, lambda transaction: write_all(played(GAMES), transaction))
        do(connection, review_all)
    execute(place, END_MATCHES)
    return place


def review_all(transaction: Transaction) -> None:
    for row in transaction.execute(FINISHED):
        review = {
            "urgency": 0,
            "ended_ms": milliseconds_of(row.ended_at),
            "version": 1 + row.number,
        }
        transaction.put(
            insert(reviews), {"game": row.id, "first": "ann", "second": "bob", **review}
        )


def counted(place: str, table: str) -> int:
    [(count,)] = rows(place, f"SELECT count(*) FROM {table}")  # noqa: S608  # a test's own
    return int(count)


def test_old_matches_go_with_all_that_belongs_to_them_and_totals_stay(place: str) -> None:
    """The one under way stays, however old it is."""
    totals = rows(place, "SELECT * FROM players ORDER BY name")
    with closing(connect(place)) as connection:
        assert do(connection, forget_matches, at(100 + OLD)) == OLD - 1
        assert do(connection, forget_matches, at(100 + OLD)) == 0
    assert counted(place, "games") == counted(place, "matches") == GAMES - OLD + 1
    assert counted(place, "reviews") == GAMES - OLD
    assert rows(place, "SELECT * FROM players ORDER BY name") == totals
    sizes = rows(place, "SELECT coalesce(sum(info_bytes), 0) FROM games")
    assert rows(place, "SELECT value FROM counters WHERE name = 'info_bytes'") == sizes


def test_old_reports_go_and_moves_stay(place: str) -> None:
    """The sum of their sizes goes with them."""
    packed = rows(place, "SELECT id, packed FROM games ORDER BY id")
    with closing(connect(place)) as connection:
        assert do(connection, forget_reports, at(100 + OLD)) > 0
    left = rows(place, "SELECT ended_at FROM games WHERE infos IS NOT NULL ORDER BY ended_at")
    assert left
    assert left[0] >= (at(100 + OLD),)
    assert rows(place, "SELECT id, packed FROM games ORDER BY id") == packed
    sizes = rows(place, "SELECT sum(info_bytes) FROM games")
    assert rows(place, "SELECT value FROM counters WHERE name = 'info_bytes'") == sizes


def test_old_reviews_go_whatever_their_version(place: str) -> None:
    """Games stay."""
    execute(place, "UPDATE reviews SET version = 7 WHERE game < 'g8'")
    with closing(connect(place)) as connection:
        forgotten = 0
        while count := do(connection, forget_reviews, at(100 + OLD)):
            forgotten += count
    assert forgotten == OLD - 1
    assert counted(place, "reviews") == GAMES - OLD
    assert counted(place, "games") == GAMES


def test_the_room_of_what_is_gone_is_given_back(place: str) -> None:
    """A SQLite file shrinks, by 200 pages in each transaction; PostgreSQL does it by itself."""
    execute(
        place, "INSERT INTO outbox (seq, event_id, topic, payload) VALUES (1000, 'e', 't', ' ')"
    )
    big = "replace(hex(zeroblob(500000)), '00', 'x')" if "?" not in place else "repeat('x', 500000)"
    execute(place, f"UPDATE outbox SET payload = {big} WHERE seq = 1000")  # noqa: S608  # a test's own
    execute(place, "DELETE FROM outbox WHERE seq = 1000")
    with closing(connect(place)) as connection:
        do(connection, renew_statistics)
        assert not do(connection, give_back_room)
    if "?" not in place:
        with closing(sqlite3.connect(place)) as connection:
            assert connection.execute("PRAGMA freelist_count").fetchone() == (0,)
            assert connection.execute("PRAGMA page_count").fetchone()[0] < 100
