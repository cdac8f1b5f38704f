"""What the event loop hands out: timers that can be cancelled, and tasks started by name."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Protocol


class Timer(Protocol):
    """A call that is due at some instant."""

    def cancel(self) -> None:
        """Cancel the call."""


Spawn = Callable[[Coroutine[None, None, None], str], object]
"""Starts a coroutine as a task of the given name, which outlives the present call."""
