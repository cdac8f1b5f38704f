"""Connections for reading, so that queries delay neither the journal nor each other.

Each has a thread; a query goes to the one with the least to do. A query that takes longer than its
limit is ended by the database, so a slow one never holds up the others for long.
"""

import asyncio
import time  # noqa: TID251  # limits queries, in the readers' threads
from collections.abc import Callable
from contextlib import AsyncExitStack, closing
from functools import partial
from typing import Any, Final, Self, TypeVar

from sqlalchemy import Connection, event

from .async_writer import run_in_thread, start_thread, stop_thread
from .database import Access, connect, is_postgresql
from .faults import UnansweredError, is_cancelled, is_lost_connection
from .writer import Transaction, Writer

T = TypeVar("T")

READERS: Final = 3
MOST_S: Final = 2.0
"""The longest that one question may take."""
STEPS: Final = 20_000
"""Instructions of SQLite between two looks at the clock: some tenths of a millisecond."""


def read_once(path: str, act: Callable[[Transaction], T]) -> T:
    """Return what ``act`` reads from one state of the store, on a connection of its own.

    However long it takes, it holds up neither the journal nor the readers.
    """
    with closing(connect(path, Access.READ)) as connection:
        if connection.dialect.name != "sqlite":  # there one transaction always sees one state
            connection.execution_options(isolation_level="REPEATABLE READ")
        with connection.begin():
            return act(Transaction(connection))


class Reader:
    """Threads with a read-only connection each. Use it while the store is open."""

    def __init__(self, path: str, *, most_s: float = MOST_S) -> None:
        """Prepare the threads; one question may take ``most_s``.

        PostgreSQL has twice the time to answer: one that is frozen ends no question.
        """
        self._patience_s = 2 * most_s if is_postgresql(path) else None
        self._loop = asyncio.get_running_loop()
        connection = partial(_connect, path, most_s)
        self._threads = [Writer(connection, self._call_back) for _ in range(READERS)]
        self._waiting = [0] * READERS
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as started:
            for thread in self._threads:
                await start_thread(thread)
                started.push_async_callback(stop_thread, thread)
            self._stack = started.pop_all()
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self._stack.aclose()

    async def run(self, act: Callable[[Transaction], T]) -> T:
        """Run ``act`` in the thread that has least to do, within one transaction.

        Raises:
            UnansweredError: when it took too long, or the store can't be reached.
        """
        at = self._waiting.index(min(self._waiting))
        self._waiting[at] += 1
        try:
            async with asyncio.timeout(self._patience_s):
                return await run_in_thread(self._threads[at], act)
        except TimeoutError:
            raise UnansweredError("the store does not answer") from None
        except Exception as error:
            if is_cancelled(error):
                raise UnansweredError("this question took too long") from error
            if is_lost_connection(error):
                raise UnansweredError("the store is away") from error
            raise
        finally:
            self._waiting[at] -= 1

    def _call_back(self, calls: list[Callable[[], None]]) -> None:
        for call in calls:
            self._loop.call_soon_threadsafe(call)


def _connect(path: str, most_s: float) -> Connection:
    """Connect so that the database ends what takes too long."""
    connection = connect(path, Access.READ)
    driver: Any = connection.connection.dbapi_connection
    if connection.dialect.name == "sqlite":
        ends_at = float("inf")

        def begin(_connection: Connection) -> None:
            nonlocal ends_at
            ends_at = time.monotonic() + most_s

        event.listen(connection.engine, "begin", begin)
        driver.set_progress_handler(lambda: time.monotonic() > ends_at, STEPS)
    else:
        connection.exec_driver_sql(f"SET statement_timeout = {round(1000 * most_s)}")
        connection.commit()
    return connection
