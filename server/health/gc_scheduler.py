"""Run full garbage collection only while no game runs.

Reference counting frees nearly everything immediately. Reference cycles are found only by visiting
all live objects, while every thread waits: 130 ms with a thousand connections (measured), at a
moment that the interpreter chooses, in the middle of some hundred moves. So objects that exist
before the first connection are frozen, collection of the young generations stays as it is, and the
full collection waits until no game runs. On a server that always has games it runs anyway, rarely.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

from ..model.timers import Timer

EVERY_S: Final = 15.0
OVERDUE: Final = 1000
"""Middle-generation collections that force a full one: minutes at thousands of plies/s."""
NEVER: Final = 2**31 - 1
OLDEST: Final = 2


class GcScheduler:
    """Schedules full collections between games. Use it with ``with``."""

    def __init__(
        self,
        is_calm: Callable[[], bool],
        call_later: Callable[[float, Callable[[], None]], Timer],
    ) -> None:
        """Prepare the scheduler.

        Args:
            is_calm: returns whether no game runs.
            call_later: schedules a callback after N seconds.
        """
        self._is_calm = is_calm
        self._call_later = call_later
        self._thresholds = gc.get_threshold()
        self._timer: Timer | None = None

    def __enter__(self) -> Self:
        """Freeze existing objects, and take over full collections."""
        young, middling, _old = self._thresholds
        gc.collect()
        gc.freeze()
        gc.set_threshold(young, middling, NEVER)
        self._wait()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Restore the interpreter's own settings."""
        if self._timer is not None:
            self._timer.cancel()
        gc.set_threshold(*self._thresholds)
        gc.unfreeze()

    def collect_if_due(self) -> None:
        """Run a full collection if no game runs, or if one is overdue."""
        if self._is_calm() or gc.get_count()[OLDEST] >= OVERDUE:
            gc.collect()

    def _wait(self) -> None:
        self._timer = self._call_later(EVERY_S, self._again)

    def _again(self) -> None:
        self.collect_if_due()
        self._wait()
