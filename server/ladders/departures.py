"""Who left a ladder's match before its first move, and how long it waits for the next one; pure.

Leaving so costs nothing a few times a day: programs crash and lines break. After that it is a loss,
and the bot is paired again only after a pause that doubles each time, so that it cannot pick its
opponents, nor keep others from theirs. The model is lichess' playban. Guests are counted by address
as well, since a guest can take a new name. Counts are kept in memory: a restart forgets them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

from server.config.ladders import LadderSettings

DAY_S: Final = 86_400.0
MOST_COUNTED: Final = 64
"""Departures remembered of one key; the pause is at its longest long before."""


class Departures:
    """The early departures of the last 24 hours, by key: a bot's name, or a guest's address."""

    def __init__(self) -> None:
        self._times: OrderedDict[str, list[float]] = OrderedDict()

    def note(self, keys: Iterable[str], now: float) -> None:
        """Count a departure under each key.

        Args:
            keys: the bot's name, and the address of a guest.
            now: the time, in seconds.
        """
        for key in keys:
            times = self._times.setdefault(key, [])
            times.append(now)
            del times[:-MOST_COUNTED]
            self._times.move_to_end(key)
        while self._times and next(iter(self._times.values()))[-1] <= now - DAY_S:
            self._times.popitem(last=False)

    def count(self, keys: Iterable[str], now: float) -> int:
        """Return the departures of the last 24 hours, of the key that has most."""
        recent = (sum(time > now - DAY_S for time in self._times.get(key, ())) for key in keys)
        return max(recent, default=0)

    def not_before(self, keys: Iterable[str], now: float, settings: LadderSettings) -> float:
        """Return when the bot may be paired again, on the clock of ``now``."""
        moments = [
            self._times[key][-1] + pause_s(self.count((key,), now), settings)
            for key in keys
            if key in self._times
        ]
        return max(moments, default=now)


def pause_s(count: int, settings: LadderSettings) -> float:
    """Return how long a bot pauses after its latest of ``count`` early departures, in seconds."""
    excess = count - settings.early_departures
    if excess <= 0:
        return 0.0
    return min(DAY_S, settings.departure_pause_s * 2.0 ** (excess - 1))
