"""Whether games are kept fair, judged by the lag of the server's own event loop.

No game begins while the loop lags; running games finish, which reduces the load. An answer counts
by the moment of its arrival, however late the loop reads it (``net/arrivals/arrival.py``). Only
where that moment can't be known, and the loop was blocked when the flag fell, is the game void: the
answer may have waited unread in the socket, or may have come too late. A bot can bring about such a
doubt, and can stay away once the server has cut it off, for which a game is void as well; so only
its first few games a day are void; after that they are lost. Guests can take new names, so after
many such games from one address each of its names is granted one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from ..config.settings import LiveConfig
from ..model.day_counts import Counted, CountKind, DailyLimit
from ..model.timers import Stall
from .loop_lag import REMEMBERED_LAG_S, LoopLag

LOOK_AGAIN_S: Final = 0.25
"""How soon a postponed game is tried again."""
HELD_UP_S: Final = 3 * REMEMBERED_LAG_S
"""For how long a late front holds up a game, and all that is to happen in its match."""
LATE_S: Final = 0.005
"""A timer that fires by this much too late says that the loop was busy."""
BOTS_OF_ADDRESS: Final = 10
"""The guests of an address have as many void games a day as this many bots; then each has one."""


@dataclass(slots=True)
class Fairness:
    """Judges whether games can be kept fair; ``voids`` counts by bots and addresses."""

    config: LiveConfig
    lag: LoopLag = field(default_factory=LoopLag)
    voids: DailyLimit = field(default_factory=lambda: DailyLimit(CountKind.VOID))

    def may_begin(self) -> bool:
        """Return whether a game may begin now."""
        return self.is_fair(self.lag.p99())

    def is_fair(self, lag_s: float) -> bool:
        """Return whether games are kept fair by a loop that lags for so long."""
        return lag_s * 1000 <= self.config.now.limits.loop_lag_ms

    def stall_s(self, flag: float, now: float, elsewhere: Stall | None = None) -> float:
        """Return for how long the loop was blocked, in seconds, from a flag's fall until now.

        0 if the loop ran in between, so that it would have read what had arrived by then, and for
        a stall shorter than ``own_delay_ms``. The process that read the answer may have been
        stalled ``elsewhere``.
        """
        stalls = self.lag.stall_until(now), elsewhere
        over = [each for each in stalls if each is not None and each.after <= flag <= each.end]
        length_s = max((each.end - each.due for each in over), default=0.0)
        return length_s if length_s * 1000 >= self.config.now.limits.own_delay_ms else 0.0

    def void(self, keys: Sequence[str], game: str, now: float, at: str) -> list[Counted]:
        """Count a game that is void for a bot's sake; return what is to be stored.

        The keys are that of its name, and of its address if it is a guest.
        """
        most, (own_key, *address) = self.config.now.limits.voids_per_day, keys
        if any(self.voids.count(key, now) >= BOTS_OF_ADDRESS * most for key in address):
            most = min(1, most)
        if self.voids.count(own_key, now) >= most:
            return []
        return self.voids.note([(key, game) for key in keys], now, at)


@dataclass(slots=True)
class LatenessWatch:
    """Calls ``tell`` once no game may begin for the lag of a loop, and once games may again."""

    fairness: Fairness
    tell: Callable[[bool], object]
    is_late: bool = False

    def look(self, late_s: float) -> None:
        """Look at the lag; the probe that measures it calls this with each wake-up's."""
        if not self.is_late and self.fairness.is_fair(late_s):
            return  # those that were in time make no loop late
        is_late = not self.fairness.may_begin()
        if is_late is not self.is_late:
            self.is_late = is_late
            self.tell(is_late)
