"""Things that serve one question at a time: made when needed, lent out, used again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Pool(Generic[T]):
    """At most so many things; who finds none free waits.

    Attributes:
        made: everything made so far.
    """

    def __init__(self, make: Callable[[], T], most: int) -> None:
        self.made: list[T] = []
        self._make = make
        self._most = most
        self._free: asyncio.LifoQueue[T] = asyncio.LifoQueue()

    async def take(self) -> T:
        """Lend one out; to be given back with `give`."""
        if self._free.empty() and len(self.made) < self._most:
            self.made.append(self._make())
            return self.made[-1]
        return await self._free.get()

    def give(self, thing: T) -> None:
        """Take one back."""
        self._free.put_nowait(thing)
