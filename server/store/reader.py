"""A second connection, for reading: whoever looks in from outside doesn't hold up the journal."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from types import TracebackType
from typing import Self, TypeVar

from server.store.database import Access, connect
from server.store.writer import Transaction, Work, Writer

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
        opened: asyncio.Future[None] = self._loop.create_future()
        self._thread.start(partial(_settle, opened))
        await opened
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Answer what was asked, and close."""
        await asyncio.to_thread(self._thread.stop)
        await asyncio.sleep(0)  # what was read last is told now

    def read(self, act: Callable[[Transaction], T]) -> Awaitable[T]:
        """Do it in the thread, within one transaction."""
        answer: asyncio.Future[T] = self._loop.create_future()

        def done(value: T) -> None:
            if not answer.done():
                answer.set_result(value)

        def failed(error: Exception) -> None:
            if not answer.done():
                answer.set_exception(error)

        self._thread.submit(Work(act, done, failed))
        return answer

    def _call_back(self, calls: list[Callable[[], None]]) -> None:
        for call in calls:
            self._loop.call_soon_threadsafe(call)


def _settle(opened: asyncio.Future[None], error: Exception | None) -> None:
    if error is None:
        opened.set_result(None)
    else:
        opened.set_exception(error)
