"""A second connection, for reading: whoever looks in from outside doesn't hold up the journal."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from types import TracebackType
from typing import Self, TypeVar

from server.store.async_writer import ask, end_thread, open_thread
from server.store.database import Access, connect
from server.store.writer import Transaction, Writer

T = TypeVar("T")


class Reader:
    """A thread with a connection that only reads. Use it with ``async with``, in an open store."""

    def __init__(self, path: str) -> None:
        """Prepare.

        Args:
            path: what the store was opened with; not ``:memory:``, which only its writer sees.
        """
        self._loop = asyncio.get_running_loop()
        self._thread = Writer(partial(connect, path, Access.READ), self._call_back)

    async def __aenter__(self) -> Self:
        """Connect.

        Raises:
            sqlalchemy.exc.SQLAlchemyError: when the store can't be reached.
            StoreError: likewise.
        """
        await open_thread(self._thread)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Answer what was asked, and close."""
        await end_thread(self._thread)

    def read(self, act: Callable[[Transaction], T]) -> Awaitable[T]:
        """Do it in the thread, within one transaction."""
        return ask(self._thread, act)

    def _call_back(self, calls: list[Callable[[], None]]) -> None:
        for call in calls:
            self._loop.call_soon_threadsafe(call)
