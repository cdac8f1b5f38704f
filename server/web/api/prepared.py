"""Values that take long to make, such as puzzles: made in the background, and again once old."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from ..feed.kept_answers import note_error

T = TypeVar("T")


class Prepared(Generic[T]):
    """A value that is shown as it is while a new one is made; only the first is waited for.

    Attributes:
        name: the name of the task that makes it.
    """

    def __init__(self, name: str, make: Callable[[], Awaitable[T]], kept_s: float) -> None:
        """Prepare nothing yet.

        Args:
            name: names the task that makes it.
            make: makes it.
            kept_s: for how long it is new.
        """
        self.name = name
        self._make = make
        self._kept_s = kept_s
        self._fresh_until = 0.0
        self._values: list[T] = []
        self._making: asyncio.Task[None] | None = None

    async def get(self) -> T:
        """Return the last value; make a new one if it is old."""
        making = self.begin()
        if not self._values:
            await asyncio.shield(making)
        return self._values[0]

    def begin(self) -> asyncio.Task[None]:
        """Begin to make the value if the last one is old; return the task that makes it."""
        time = asyncio.get_running_loop().time()
        if self._making is None or (self._making.done() and self._fresh_until <= time):
            self._fresh_until = time + self._kept_s
            self._making = asyncio.create_task(self._renew(), name=self.name)
            self._making.add_done_callback(note_error)
        return self._making

    async def _renew(self) -> None:
        self._values = [await self._make()]
