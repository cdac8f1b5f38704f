"""Whether games are kept fair, judged by the lag of the server's own event loop.

No game begins while the loop lags; running games finish, which reduces the load. An answer counts
by the moment of its arrival, however late the loop reads it (``net/arrival.py``). Only where that
moment can't be known, and the loop was blocked when the flag fell, is the game void: the answer may
have waited unread in the socket, or may have come too late. A bot can bring about such a doubt, so
only its first few games a day are void; after that they are lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from server.config.settings import Limits
from server.health.loop_lag import LoopLag
from server.model.day_counts import DayCounts

LOOK_AGAIN_S: Final = 0.25
"""How soon a postponed game is tried again."""
LATE_S: Final = 0.005
"""A timer that fires by this much too late says that the loop was busy."""
READ_FIRST_S: Final = 0.01
"""When a flag's timer fires late, pending input is read for this long before the flag falls."""


@dataclass(slots=True)
class Fairness:
    """Judges whether games can be kept fair.

    Attributes:
        lag: recent lag of the event loop.
        limits: the lag allowed.
        voids: the games that were voided, by bots and addresses.
    """

    lag: LoopLag = field(default_factory=LoopLag)
    limits: Limits = field(default_factory=Limits)
    voids: DayCounts = field(default_factory=DayCounts)

    def may_begin(self) -> bool:
        """Return whether a game may begin now."""
        return self.lag.p99() * 1000 <= self.limits.loop_lag_ms

    def stall_s(self, flag: float, now: float) -> float:
        """Return for how long the loop was blocked, in seconds, from a flag's fall until now.

        0 if the loop ran in between, so that it would have read what had arrived by then, and for
        a stall shorter than ``own_delay_ms``.

        Args:
            flag: when the flag fell.
            now: when the answer was read.
        """
        stall = self.lag.last_stall(now)
        if stall is None or not stall.after <= flag <= stall.end or now > stall.end + READ_FIRST_S:
            return 0.0
        length_s = stall.end - stall.due
        return length_s if length_s * 1000 >= self.limits.own_delay_ms else 0.0

    def may_void(self, keys: Sequence[str], game: str, now: float) -> bool:
        """Return whether a game may be voided for a bot's sake, and count it if so.

        Args:
            keys: what the bot's games count under.
            game: the game.
            now: the time, in seconds.
        """
        if self.voids.count(keys, now) >= self.limits.voids_per_day:
            return False
        for key in keys:
            self.voids.note(key, game, now)
        return True
