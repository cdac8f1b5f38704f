"""Whether the server keeps its games fair: judged by how late its own event loop is.

No game begins while the loop is late; those that run finish, which is what relieves it. And a flag
that fell because the loop was held up while the clock ran is the server's fault: the answer may
have lain in a socket, in time, with nobody to read it. Such a game is void.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from server.config.settings import Limits
from server.health.loop_lag import LoopLag

LOOK_AGAIN_S: Final = 0.25
"""How soon a game that couldn't begin is looked at again."""
READ_FIRST_S: Final = 0.01
"""After a delay, what lies in the sockets is read before any flag falls; some turns of the loop."""


@dataclass(slots=True)
class Fairness:
    """The judge.

    Attributes:
        lag: how late the loop was lately.
        limits: how late it may be.
    """

    lag: LoopLag = field(default_factory=LoopLag)
    limits: Limits = field(default_factory=Limits)

    def may_begin(self) -> bool:
        """Tell whether a game that begins now can be kept fair."""
        return self.lag.p99() * 1000 <= self.limits.loop_lag_ms

    def is_late(self, due: float, now: float) -> bool:
        """Tell whether something happens too late to be left at that."""
        return (now - due) * 1000 >= self.limits.own_delay_ms

    def own_delay_s(self, since: float, flag: float, now: float) -> float:
        """Tell how long the server was held up, if that is why a flag fell; 0 if it isn't.

        Args:
            since: when the clock was started.
            flag: when the flag fell.
            now: when the answer was read.
        """
        delay_s = self.lag.held_up_s(since, now)
        is_reason = delay_s * 1000 >= self.limits.own_delay_ms and delay_s >= now - flag
        return delay_s if is_reason else 0.0
