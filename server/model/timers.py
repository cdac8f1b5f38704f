"""What the event loop does for the other rooms, as types: timers, and tasks of their own."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Protocol


class Timer(Protocol):
    """A callback that is due at an instant."""

    def cancel(self) -> None:
        """Cancel the callback."""


CallAt = Callable[[float, Callable[[], None]], Timer]
"""Schedules a callback at an instant, in seconds on the event loop's clock."""

Spawn = Callable[[Coroutine[None, None, None], str], object]
"""Runs a coroutine as a task of the server, under a name."""
