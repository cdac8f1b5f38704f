"""A bounded pool of things that serve one question at a time: made when needed, then reused."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Pool(Generic[T]):
    """At most ``most`` things; `take` waits while none is free.

    Attributes:
        made: everything made so far.
    """

    def __init__(self, make: Callable[[], T], most: int) -> None:
        self.made: list[T] = []
        self._make = make
        self._most = most
        self._free: asyncio.LifoQueue[T] = asyncio.LifoQueue()

    async def take(self) -> T:
        """Return a free one, or make one; it is handed back with `give`."""
        if self._free.empty() and len(self.made) < self._most:
            self.made.append(self._make())
            return self.made[-1]
        return await self._free.get()

    def give(self, thing: T) -> None:
        """Hand one back."""
        self._free.put_nowait(thing)

    def take_free(self) -> list[T]:
        """Return all that are free now, made before; they leave the pool's hands."""
        return [self._free.get_nowait() for _ in range(self._free.qsize())]
