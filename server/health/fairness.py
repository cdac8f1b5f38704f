"""Whether games are kept fair, judged by the lag of the server's own event loop.

No game begins while the loop lags; running games finish, which reduces the load. A flag that fell
because the loop was blocked while the clock ran is the server's fault: the answer may have arrived
in time and waited unread in the socket. Such a game is void.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from server.config.settings import Limits
from server.health.loop_lag import LoopLag

LOOK_AGAIN_S: Final = 0.25
"""How soon a postponed game is tried again."""
READ_FIRST_S: Final = 0.01
"""After a stall, pending input is read for this long before any flag falls."""


@dataclass(slots=True)
class Fairness:
    """Judges whether games can be kept fair.

    Attributes:
        lag: recent lag of the event loop.
        limits: the lag allowed.
    """

    lag: LoopLag = field(default_factory=LoopLag)
    limits: Limits = field(default_factory=Limits)

    def may_begin(self) -> bool:
        """Return whether a game may begin now."""
        return self.lag.p99() * 1000 <= self.limits.loop_lag_ms

    def is_late(self, due: float, now: float) -> bool:
        """Return whether a call that was due then runs too late, by more than ``own_delay_ms``."""
        return (now - due) * 1000 >= self.limits.own_delay_ms

    def own_delay_s(self, since: float, flag: float, now: float) -> float:
        """Return how long the loop was blocked, in seconds, if that made a flag fall; otherwise 0.

        Args:
            since: when the clock was started.
            flag: when the flag fell.
            now: when the answer was read.
        """
        delay_s = self.lag.held_up_s(since, now)
        is_reason = delay_s * 1000 >= self.limits.own_delay_ms and delay_s >= now - flag
        return delay_s if is_reason else 0.0
