"""What the event loop does for the other rooms, as types: timers, tasks of their own, stalls."""

from collections.abc import Callable, Coroutine
from typing import NamedTuple, Protocol


class Timer(Protocol):
    """A callback that is due at an instant."""

    def cancel(self) -> None:
        """Cancel the callback."""


CallAt = Callable[[float, Callable[[], None]], Timer]
"""Schedules a callback at an instant, in seconds on the event loop's clock."""

Spawn = Callable[[Coroutine[None, None, None], str], object]
"""Runs a coroutine as a task of the server, under a name."""


class Stall(NamedTuple):
    """A time in which the loop ran nothing.

    Attributes:
        due: when the probe was due, which is when the stall had begun at the latest.
    """

    after: float
    due: float
    end: float
