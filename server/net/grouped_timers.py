"""Timers of many connections that fire some together: waking up costs more than sending a ping.

A timer may fire a twentieth of its time early, if another one fires then. At most ``TOGETHER`` fire
in one turn of the event loop, so that they hold up nothing else.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

EARLY: Final = 0.05
TOGETHER: Final = 16


class GroupedTimer:
    """A timer that may be cancelled."""

    __slots__ = ("call", "due")

    def __init__(self, due: float, call: Callable[[], object]) -> None:
        self.due = due
        self.call: Callable[[], object] | None = call

    def cancel(self) -> None:
        """Call nothing."""
        self.call = None

    def fire(self) -> None:
        """Call, unless it was cancelled."""
        if self.call is not None:
            self.call()


class GroupedTimers:
    """Timers that are all set for the same time ahead, so that they fall due in their order."""

    def __init__(self, wait_s: float) -> None:
        self.wait_s = wait_s
        self._waiting: deque[GroupedTimer] = deque()

    def set(self, call: Callable[[], object]) -> GroupedTimer:
        """Call in ``wait_s`` seconds, or a little earlier."""
        loop = asyncio.get_running_loop()
        timer = GroupedTimer(loop.time() + self.wait_s, call)
        self._waiting.append(timer)
        if len(self._waiting) == 1:
            loop.call_at(timer.due, self._fire)
        return timer

    def _fire(self) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + EARLY * self.wait_s
        waiting = self._waiting
        fired = 0
        while waiting and fired < TOGETHER and waiting[0].due <= until:
            timer = waiting.popleft()
            if timer.call is not None:
                loop.call_soon(timer.fire)  # so that a fault of one leaves the others theirs
                fired += 1
        if waiting:
            loop.call_at(waiting[0].due, self._fire)
