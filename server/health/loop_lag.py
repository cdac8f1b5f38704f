"""How late the event loop runs callbacks: the measure of whether games are kept fair.

A probe sleeps for a fixed interval and records how late it wakes. Recent samples are kept in a
window, which answers for quantiles. A blocked loop wakes the probe once, late, instead of many
times; so each gap counts for every wake-up that it covers, as in Gil Tene's correction for
"coordinated omission".

The last long stall is also kept as a time span, to find out whether the loop was blocked when a
flag fell. The probe knows when a stall ended, and when it began to within one interval: some time
after the wake-up before it. Its length is counted from the instant at which the probe was due, so
that a stall is never taken for longer than it was.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from math import ceil
from typing import Final, NoReturn

from ..model.timers import Stall

INTERVAL_S: Final = 0.05
REMEMBERED_S: Final = 20.0
REMEMBERED_LAG_S: Final = 5.0
"""How much of the past loop lag counts when a game is to begin."""
READ_FIRST_S: Final = 0.01
"""When a flag's timer fires late, pending input is read for this long before the flag falls."""
STALL_S: Final = 0.01
"""Delays from this length on are kept as time spans."""


class LoopLag:
    """Recent samples of the probe, which is woken each ``interval_s``; pure."""

    def __init__(
        self, *, interval_s: float = INTERVAL_S, remembered_s: float = REMEMBERED_S
    ) -> None:
        self.interval_s = interval_s
        self._due: float | None = None
        self._stall: Stall | None = None
        self._late_s: deque[float] = deque(maxlen=round(remembered_s / interval_s))
        self._p99: float | None = 0.0

    def note(self, late_s: float) -> tuple[float, ...]:
        """Record how late the probe was woken; return the lag of each wake-up that was due."""
        first = max(0.0, late_s)
        missed = min(int(first / self.interval_s), (self._late_s.maxlen or 1) - 1)
        late = tuple(first - step * self.interval_s for step in range(missed + 1))
        self._late_s.extend(late)
        self._p99 = None
        return late

    def expect(self, due: float) -> None:
        """Record when the probe is due next."""
        self._due = due

    def woken(self, now: float) -> tuple[float, ...]:
        """Record a wake-up as :meth:`note` does, and the stall before it if it was long."""
        due = now if self._due is None else self._due
        self._stall, self._due = self.last_stall(now), None
        return self.note(now - due)

    def last_stall(self, now: float) -> Stall | None:
        """Return the last stall, or the one that ends just now, before the probe could run."""
        if self._due is not None and now - self._due >= STALL_S:
            return Stall(self._due - self.interval_s, self._due, now)
        return self._stall

    def stall_until(self, now: float) -> Stall | None:
        """Return the last stall if it has ended so lately that its input may be read just now."""
        stall = self.last_stall(now)
        return stall if stall is not None and now <= stall.end + READ_FIRST_S else None

    def p99(self) -> float:
        """Return the 99th percentile of the lag, in seconds: the nearest rank, 0 of nothing."""
        if self._p99 is None:  # tables that wait for it ask each for itself
            ranked = sorted(self._late_s)
            self._p99 = ranked[ceil(0.99 * len(ranked)) - 1]
        return self._p99


async def probe(
    lag: LoopLag,
    *,
    now: Callable[[], float],
    tell: Callable[[float], object] = lambda _late_s: None,
) -> NoReturn:
    """Measure until cancelled; call ``tell`` with the lag of each wake-up, in seconds."""
    while True:
        lag.expect(now() + lag.interval_s)
        await asyncio.sleep(lag.interval_s)
        for late_s in lag.woken(now()):
            tell(late_s)
