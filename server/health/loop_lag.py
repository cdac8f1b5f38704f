"""How late the event loop runs what is due: the measure of whether games are kept fair.

A probe asks to be woken at regular instants and notes how late it was. What it saw lately is kept
in a window, so that whoever starts games can ask for its quantiles. A loop that is held up for
long wakes the probe once, late, not many times; so each gap counts for every instant that it
covers, as in Gil Tene's correction for "coordinated omission".

Long stalls are also kept as spans of time, to tell whether one overlaps a bot's turn. The probe
knows when a stall ended, and when it began to within one interval; the doubt is the bot's.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from math import ceil
from typing import Final, NoReturn

INTERVAL_S: Final = 0.05
REMEMBERED_S: Final = 20.0
STALL_S: Final = 0.01
"""From here on a delay is kept as a span of time."""
STALLS: Final = 256


class LoopLag:
    """What the probe saw lately; pure.

    Attributes:
        interval_s: time between two instants at which the probe asks to be woken.
    """

    def __init__(
        self, *, interval_s: float = INTERVAL_S, remembered_s: float = REMEMBERED_S
    ) -> None:
        """Prepare an empty window.

        Args:
            interval_s: time between two instants.
            remembered_s: how far back the window reaches.

        Raises:
            ValueError: when the window has no room for one instant.
        """
        if not 0 < interval_s <= remembered_s:
            raise ValueError(f"no instants {interval_s} s apart fit into {remembered_s} s")
        self.interval_s = interval_s
        self._due: float | None = None
        self._stalls: deque[tuple[float, float]] = deque(maxlen=STALLS)
        self._late_s: deque[float] = deque(maxlen=round(remembered_s / interval_s))

    def note(self, late_s: float) -> tuple[float, ...]:
        """Note how late the probe was woken.

        Returns:
            The lateness of each instant that passed meanwhile, the first one first.
        """
        first = max(0.0, late_s)
        missed = min(int(first / self.interval_s), (self._late_s.maxlen or 1) - 1)
        late = tuple(first - step * self.interval_s for step in range(missed + 1))
        self._late_s.extend(late)
        return late

    def expect(self, due: float) -> None:
        """Note when the probe asks to be woken next."""
        self._due = due

    def woken(self, now: float) -> tuple[float, ...]:
        """Note that the probe was woken, as :meth:`note` does, and keep the stall if it is one."""
        due = now if self._due is None else self._due
        self._due = None
        if now - due >= STALL_S:
            self._stalls.append((due - self.interval_s, now))
        return self.note(now - due)

    def held_up_s(self, since: float, now: float) -> float:
        """Tell how long, in seconds, the loop was held up between two instants.

        A stall counts that ends just now, before the probe itself could be woken.
        """
        stalls = [*self._stalls]
        if self._due is not None and now - self._due >= STALL_S:
            stalls.append((self._due - self.interval_s, now))
        return sum(max(0.0, min(end, now) - max(begin, since)) for begin, end in stalls)

    def quantile(self, share: float) -> float:
        """Tell what lateness, in seconds, this share of the instants did not exceed.

        Nearest rank; 0 as long as nothing was noted.

        Raises:
            ValueError: when the share is not within 0..1.
        """
        if not 0 <= share <= 1:
            raise ValueError(f"a share lies within 0..1; {share} doesn't")
        ranked = sorted(self._late_s)
        return ranked[max(0, ceil(share * len(ranked)) - 1)] if ranked else 0.0

    def p99(self) -> float:
        """Tell what lateness, in seconds, 99 of 100 instants did not exceed."""
        return self.quantile(0.99)


async def probe(
    lag: LoopLag,
    *,
    now: Callable[[], float],
    tell: Callable[[float], object] = lambda _late_s: None,
) -> NoReturn:
    """Measure until cancelled.

    Args:
        lag: where it is noted.
        now: the clock, in seconds.
        tell: called with the lateness of each instant, in seconds.
    """
    while True:
        lag.expect(now() + lag.interval_s)
        await asyncio.sleep(lag.interval_s)
        for late_s in lag.woken(now()):
            tell(late_s)
