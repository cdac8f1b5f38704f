"""The timer of a table: it fires when the referee is to check whether time is up.

Deadlines move on with every ply, so a timer that is set already mostly stays as it is: firing too
early does no harm, and a new timer for each turn would cost more than the turn. Firing late does
harm: the answer may lie in a socket, sent in time and not yet read. So a timer that fires late
waits once more, until the sockets have been read, and only once, however busy the loop is.
"""

from collections.abc import Callable
from math import inf

from ..health.fairness import LATE_S
from ..health.loop_lag import READ_FIRST_S
from ..model.timers import Timer
from .context import Context


class DeadlineTimer:
    """Fires at a deadline or before it, unless the server itself is late."""

    def __init__(self, context: Context, fire: Callable[[], None]) -> None:
        self._context = context
        self._fire = fire
        self._timer: Timer | None = None
        self._due_at = inf
        self._has_waited = False

    def set(self, deadline: float) -> None:
        if deadline < self._due_at:
            self.cancel()
            self._timer, self._due_at = self._context.call_at(deadline, self._fall_due), deadline

    def cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._due_at = None, inf

    def _fall_due(self) -> None:
        due, self._timer, self._due_at = self._due_at, None, inf
        now = self._context.now()
        self._has_waited = not self._has_waited and now - due >= LATE_S
        if self._has_waited:
            self.set(now + READ_FIRST_S)
        else:
            self._fire()
