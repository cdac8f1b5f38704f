"""A copy of a store has every row of it, or is not opened."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from mancala.server.model.journal import Entry, GameOpened, MatchOpened
from mancala.server.store.carrying import copying, moving
from mancala.server.store.carrying.copying import copy_store
from mancala.server.store.database import bulk
from mancala.server.store.database.database import connect
from mancala.server.store.database.faults import StoreError, StoreMissingError
from mancala.server.store.entries import write_all
from tests.drills.databases import Database
from tests.server.store import databases
from tests.server.store.builders import GAMES, at, do, ignore, played
from tests.server.store.databases import execute, place_of, rows
from tests.server.store.test_store import TERMS

pytestmark = pytest.mark.usefixtures("database")

WAITING = """INSERT INTO day_counts (kind, ladder, key, item, counted_at)
VALUES ('departure', 'main', 'ann', 'm1', '2026-11-21T12:00:00.000+00:00')"""


@pytest.fixture
def source(tmp_path: Path) -> str:
    place = place_of(tmp_path / "source")
    with closing(connect(place)) as connection:
        do(connection, lambda transaction: write_all(played(GAMES), transaction))
    execute(place, WAITING)
    return place


@pytest.fixture
def target(tmp_path: Path, postgresql: str) -> str:
    other = None if databases.postgresql_url else postgresql
    return Database(other).place(tmp_path / "target")


class Killed(BaseException):
    """The process ended."""


def killing(after: int) -> Callable[..., None]:
    """Return a way to fill tables that ends the process before a piece is committed."""
    left = after

    def fill(connection: Connection, table: str, columns: Any, filled: Any) -> None:  # noqa: ANN401  # as in bulk
        nonlocal left
        bulk_fill(connection, table, columns, filled)
        left -= 1
        if left < 0:
            raise Killed

    return fill


def killing_behind(name: str) -> Callable[..., None]:
    is_filled = False

    def fill(connection: Connection, table: str, columns: Any, filled: Any) -> None:  # noqa: ANN401  # as in bulk
        nonlocal is_filled
        bulk_fill(connection, table, columns, filled)
        if is_filled and table != name:
            raise Killed
        is_filled = is_filled or table == name

    return fill


bulk_fill = bulk.fill


def test_a_copy_has_every_row_and_goes_on_as_the_store_would(source: str, target: str) -> None:
    """Its digest is the store's; a new game gets the next place, and new names new keys."""
    copy_store(source, target, ignore)
    assert moving.digest_of(target, ignore) == moving.digest_of(source, ignore)
    assert rows(target, "SELECT item FROM day_counts") == [("m1",)]
    with closing(connect(target)) as connection:
        entries: list[Entry] = [
            MatchOpened("new", ("ann", "dora"), TERMS, at(1000)),
            GameOpened("new0", "new", 0, at(1000)),
        ]
        do(connection, lambda transaction: write_all(entries, transaction))
    assert rows(target, "SELECT seq FROM games WHERE id = 'new0'") == [(GAMES + 1,)]


def test_a_killed_copy_is_not_opened_and_goes_on_where_it_was(
    source: str, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the piece: nothing is copied twice, and none is left out."""
    monkeypatch.setattr(copying, "ROWS_A_PIECE", 7)
    kills = 0
    for after in (0, 1, 4, 9, 1000):
        monkeypatch.setattr(bulk, "fill", killing(after))
        try:
            copy_store(source, target, ignore)
        except Killed:
            kills += 1
            with pytest.raises(StoreError, match="unfinished copy of another store"):
                connect(target)
    assert kills == 4
    assert moving.digest_of(target, ignore) == moving.digest_of(source, ignore)
    assert rows(target, "SELECT count(*) FROM copied") == [(0,)]


def test_only_an_empty_place_or_the_same_copy_is_written(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store is never mixed with another one, and a missing one is not made."""
    full = place_of(tmp_path / "full")
    copy_store(source, full, ignore)
    assert moving.digest_of(full, ignore) == moving.digest_of(source, ignore)
    with pytest.raises(StoreError, match="a store at the target already"):
        copy_store(source, full, ignore)
    with pytest.raises(StoreMissingError):
        copy_store(str(tmp_path / "none.sqlite3"), place_of(tmp_path / "target"), ignore)
    monkeypatch.setattr(bulk, "fill", killing(3))
    unfinished = place_of(tmp_path / "unfinished")
    with pytest.raises(Killed):
        copy_store(source, unfinished, ignore)
    other = place_of(tmp_path / "other")
    connect(other).close()
    with pytest.raises(StoreError, match="is an unfinished one of"):
        copy_store(other, unfinished, ignore)


def test_a_copy_that_differs_is_not_called_whole(
    source: str, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A game that a server played between two attempts, behind the place reached, is noticed."""
    monkeypatch.setattr(copying, "ROWS_A_PIECE", 7)
    monkeypatch.setattr(bulk, "fill", killing_behind("matches"))
    with pytest.raises(Killed):
        copy_store(source, target, ignore)
    execute(source, "UPDATE matches SET games = games + 2 WHERE id = 'm0'")
    monkeypatch.setattr(bulk, "fill", bulk_fill)
    with pytest.raises(StoreError, match="differs in matches"):
        copy_store(source, target, ignore)
    with pytest.raises(StoreError, match="unfinished copy"):
        connect(target)
