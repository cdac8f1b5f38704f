"""Tasks and futures that are numbered, so that a set of them has the same order in every run.

asyncio keeps tasks in sets, whose order follows from addresses in memory otherwise.
"""

import asyncio
from collections.abc import Coroutine, Generator
from contextvars import Context
from typing import Any


class NumberedTask(asyncio.Task[Any]):
    """A task whose hash is its number."""

    def __init__(
        self,
        work: Generator[Any, None, Any] | Coroutine[Any, Any, Any],
        *,
        loop: asyncio.AbstractEventLoop,
        number: int,
        name: object,
        context: Context,
    ) -> None:
        self._number = number
        super().__init__(work, loop=loop, name=str(name or f"task {number}"), context=context)

    def __hash__(self) -> int:
        return self._number

    def __eq__(self, other: object) -> bool:
        return self is other

    def forget(self) -> None:
        """Let the loop not wait for the task's end, nor warn that it never came."""
        asyncio._unregister_task(self)
        self._log_destroy_pending = False


class NumberedFuture(asyncio.Future[Any]):
    """A future whose hash is its number."""

    def __init__(self, *, loop: asyncio.AbstractEventLoop, number: int) -> None:
        self._number = number
        super().__init__(loop=loop)

    def __hash__(self) -> int:
        return self._number

    def __eq__(self, other: object) -> bool:
        return self is other
