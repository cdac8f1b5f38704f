"""How long a bot waits that left a ladder's matches before its first move; pure.

Leaving so costs nothing a few times a day: programs crash and lines break. After that it is a loss,
and the bot is paired again only after a pause that doubles each time, so that it cannot pick its
opponents, nor keep others from theirs. The model is lichess' playban. Guests are counted by address
as well, since a guest can take a new name.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from server.config.ladders import LadderSettings
from server.model.day_counts import DAY_S, DayCounts

MOST_DOUBLINGS: Final = 64
"""The pause is at its longest long before."""


def not_before(
    departures: DayCounts, keys: Iterable[str], now: float, settings: LadderSettings
) -> float:
    """Return when a bot may be paired again, on the clock of ``now``.

    Args:
        departures: the early departures of the last 24 hours.
        keys: what those of the bot are counted under.
        now: the time, in seconds.
        settings: how many are free, and the first pause.
    """
    moments = [
        latest + pause_s(departures.count((key,), now), settings)
        for key in keys
        if (latest := departures.latest(key, now)) is not None
    ]
    return max(moments, default=now)


def pause_s(count: int, settings: LadderSettings) -> float:
    """Return how long a bot pauses after its latest of ``count`` early departures, in seconds."""
    excess = min(count - settings.early_departures, MOST_DOUBLINGS)
    if excess <= 0:
        return 0.0
    return min(DAY_S, settings.departure_pause_s * 2.0 ** (excess - 1))
