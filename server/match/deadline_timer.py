"""The alarm of a table: it rings when the referee wants to be asked whether time is up.

Deadlines move on with every ply, so an alarm that is set already mostly stays as it is: one that
rings too early does no harm, and a timer for each question would cost more than the question. One
that rings late does harm: the answer may lie in a socket, in time, with nobody to read it. So after
a delay of the server's own it waits once more, until the sockets have been read.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from server.health.fairness import READ_FIRST_S
from server.match.context import Floor
from server.model.timers import Timer


class Alarm:
    """Rings by a deadline, or soon after."""

    def __init__(self, floor: Floor, ring: Callable[[], None]) -> None:
        """Set it for no time yet.

        Args:
            floor: its clock, and what tells whether the server is late.
            ring: called when it rings.
        """
        self._floor = floor
        self._ring = ring
        self._timer: Timer | None = None
        self._due_at = inf

    def set(self, deadline: float) -> None:
        """See to it that it rings in time, too early rather than too late."""
        if deadline < self._due_at:
            self.cancel()
            self._timer, self._due_at = self._floor.call_at(deadline, self._fall_due), deadline

    def cancel(self) -> None:
        """Let it not ring."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._due_at = None, inf

    def _fall_due(self) -> None:
        due, self._timer, self._due_at = self._due_at, None, inf
        now = self._floor.now()
        if self._floor.fairness.is_late(due, now):
            self.set(now + READ_FIRST_S)
        else:
            self._ring()
