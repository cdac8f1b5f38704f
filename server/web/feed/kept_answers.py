"""Values that all who ask share: those who ask while one is made wait for the same."""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")


class _Shared(NamedTuple):
    answer: asyncio.Task[Any]
    until: float


class KeptAnswers(Generic[T]):
    """Answers by what was asked, each kept for a moment."""

    def __init__(self, kept_s: float) -> None:
        self._kept_s = kept_s
        self._kept: dict[Hashable, _Shared] = {}

    async def get(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return the answer under a key; make it if there is none, or an old one."""
        now = asyncio.get_running_loop().time()
        if key not in self._kept or _is_old(self._kept[key], now):
            self._forget(now)
            answer = asyncio.create_task(make(), name=f"answer {key}")
            answer.add_done_callback(_note_error)
            self._kept[key] = _Shared(answer, now + self._kept_s)
        found: T = await asyncio.shield(self._kept[key].answer)
        return found

    def clear(self) -> None:
        self._kept.clear()

    def _forget(self, now: float) -> None:
        self._kept = {key: each for key, each in self._kept.items() if not _is_old(each, now)}


class Latest(Generic[T]):
    """The latest values by name, which have ``most`` together at most by their sizes."""

    def __init__(self, most: int, size: Callable[[T], int] = lambda _: 1) -> None:
        """Keep nothing yet; without a size each value counts as one."""
        self._most = most
        self._size = size
        self._kept = 0
        self._values: dict[str, T] = {}

    def get(self, name: str) -> T | None:
        """Return a value, which becomes the latest one; None if it is not kept."""
        value = self._values.pop(name, None)
        if value is not None:
            self._values[name] = value
        return value

    def keep(self, name: str, value: T) -> None:
        """Keep a value that is not too large; drop those that were not asked for the longest."""
        if (former := self._values.pop(name, None)) is not None:
            self._kept -= self._size(former)
        size = self._size(value)
        if size > self._most:
            return
        self._values[name] = value
        self._kept += size
        while self._kept > self._most:
            self._kept -= self._size(self._values.pop(next(iter(self._values))))


class Prepared(Generic[T]):
    """A value that takes long to make: shown as it is while a new one is made in the background."""

    def __init__(
        self, name: str, make: Callable[[], Coroutine[Any, Any, T]], kept_s: float
    ) -> None:
        """Prepare nothing yet; the name is that of the task which makes it."""
        self._name = name
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
            self._making = asyncio.create_task(self._renew(), name=self._name)
            self._making.add_done_callback(_note_error)
        return self._making

    async def _renew(self) -> None:
        self._values = [await self._make()]


def _is_old(kept: _Shared, now: float) -> bool:
    return kept.answer.done() and kept.until <= now


def _note_error(made: asyncio.Task[Any]) -> None:
    """Leave an error to those who wait for the value, of whom there may be none."""
    if not made.cancelled():
        made.exception()
