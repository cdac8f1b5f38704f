"""Timers that fire at the earliest of the instants they were set to: of any work, and of a table.

A table's fires when the referee is to check whether time is up. Deadlines move on with every ply,
so a timer that is set already mostly stays as it is: firing too early does no harm, and a new timer
for each turn would cost more than the turn. Firing late does harm: the answer may lie in a socket,
sent in time and not yet read. So a timer that fires late waits once more, until the sockets have
been read, and only once, however busy the loop is.
"""

from collections.abc import Callable
from math import inf

from ..health.fairness import LATE_S
from ..health.loop_lag import READ_FIRST_S
from ..model.timers import Timer
from .context import Context


class EarliestTimer:
    """Fires once, at the earliest of the instants that it was set to."""

    def __init__(self, context: Context, fire: Callable[[], None]) -> None:
        self._context = context
        self._fire = fire
        self._timer: Timer | None = None
        self._due_at = inf

    def set(self, when: float) -> None:
        if when < self._due_at:
            self.cancel()
            self._timer, self._due_at = self._context.call_at(when, self._fall_due), when

    def cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._due_at = None, inf

    def _fall_due(self) -> None:
        self._timer, self._due_at = None, inf
        self._fire()


class DeadlineTimer(EarliestTimer):
    """Fires at a deadline or before it, unless the server itself is late."""

    _has_waited = False

    def _fall_due(self) -> None:
        late_s = self._context.now() - self._due_at
        self._has_waited = not self._has_waited and late_s >= LATE_S
        if self._has_waited:
            self._due_at = inf
            self.set(self._context.now() + READ_FIRST_S)
        else:
            super()._fall_due()
