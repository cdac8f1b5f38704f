"""Answers that all who ask share: those who ask meanwhile wait for the same one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")


class _Kept(NamedTuple):
    """An answer, and when it is out of date."""

    answer: asyncio.Task[Any]
    until: float


class KeptAnswers(Generic[T]):
    """Answers by what was asked, each kept for a moment."""

    def __init__(self, kept_s: float) -> None:
        self._kept_s = kept_s
        self._kept: dict[Hashable, _Kept] = {}

    async def get(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return the answer under a key; make it if there is none, or an old one."""
        now = asyncio.get_running_loop().time()
        if key not in self._kept or _is_old(self._kept[key], now):
            self._forget(now)
            answer = asyncio.create_task(make(), name=f"answer {key}")
            answer.add_done_callback(note_error)
            self._kept[key] = _Kept(answer, now + self._kept_s)
        found: T = await asyncio.shield(self._kept[key].answer)
        return found

    def clear(self) -> None:
        """Forget all answers."""
        self._kept.clear()

    def _forget(self, now: float) -> None:
        """Drop the answers that are out of date."""
        self._kept = {key: each for key, each in self._kept.items() if not _is_old(each, now)}


def _is_old(kept: _Kept, now: float) -> bool:
    return kept.answer.done() and kept.until <= now


def note_error(made: asyncio.Task[Any]) -> None:
    """Leave an error to those who wait for the value, of whom there may be none."""
    if not made.cancelled():
        made.exception()
