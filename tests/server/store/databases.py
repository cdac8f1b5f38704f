"""The databases that the server's tests run on: SQLite, and a PostgreSQL of their own."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TypeVar

from mancala.server.model.journal import Entry
from mancala.server.store import Store
from mancala.server.store.database.database import Access, connect
from tests.drills.databases import Database, rows

A = TypeVar("A")

__all__ = ["answered", "committed", "execute", "fail", "place_of", "postgresql_url", "rows"]

postgresql_url: str | None = None
"""What tests run on now; None is SQLite. The fixture ``database`` sets it."""


def place_of(folder: Path) -> str:
    """Return the store that belongs to a test's folder."""
    return Database(postgresql_url).place(folder)


def execute(place: str, statement: str) -> None:
    with closing(connect(place, Access.BESIDE)) as connection, connection.begin():
        connection.exec_driver_sql(statement)


def fail(error: Exception) -> None:
    """Refuse to go on when the store couldn't."""
    raise error


async def answered(ask: Callable[[Callable[[A], None]], object]) -> A:
    """Return what is called back."""
    answer: asyncio.Future[A] = asyncio.get_running_loop().create_future()
    ask(answer.set_result)
    return await answer


async def committed(store: Store, *entries: Entry) -> None:
    kept: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
    store.commit(entries, partial(kept.set_result, True), partial(kept.set_result, False))
    assert await kept
