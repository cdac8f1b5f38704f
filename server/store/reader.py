"""A second connection, for reading, so that queries don't delay the journal."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from types import TracebackType
from typing import Self, TypeVar

from server.store.async_writer import run_in_thread, start_thread, stop_thread
from server.store.database import Access, connect
from server.store.writer import Transaction, Writer

T = TypeVar("T")


class Reader:
    """A thread with a read-only connection. Use it with ``async with``, while the store is open."""

    def __init__(self, path: str) -> None:
        """Prepare the thread.

        Args:
            path: the path or URL of the store; not ``:memory:``, which only its writer sees.
        """
        self._loop = asyncio.get_running_loop()
        self._thread = Writer(partial(connect, path, Access.READ), self._call_back)

    async def __aenter__(self) -> Self:
        """Start the thread and connect.

        Raises:
            sqlalchemy.exc.SQLAlchemyError: when the store can't be reached.
            StoreError: likewise.
        """
        await start_thread(self._thread)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Finish pending reads and close."""
        await stop_thread(self._thread)

    def read(self, act: Callable[[Transaction], T]) -> Awaitable[T]:
        """Run ``act`` in the thread, within one transaction."""
        return run_in_thread(self._thread, act)

    def _call_back(self, calls: list[Callable[[], None]]) -> None:
        for call in calls:
            self._loop.call_soon_threadsafe(call)
