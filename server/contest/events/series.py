"""The next edition of a series of events: made from the settings and the tables of one; pure.

An edition has an event for each division, or one event. The next one has the same settings, and
times that are later by as many days; those that have passed meanwhile are left out. Between two
divisions the last of the stronger and the first of the weaker change places.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

from msgspec.structs import replace

from ...config.events import TIMES, EventSettings


class Edition(NamedTuple):
    """An event of an edition that is over.

    Attributes:
        ranked: who had entered and not withdrawn, the best first.
    """

    settings: EventSettings
    ranked: Sequence[str]


def next_edition(over: Iterable[Edition], now: datetime) -> list[EventSettings]:
    """Return the settings of the events of the next edition, the strongest division first.

    Args:
        over: all events of an edition; those without ``every_days`` have no next one.
        now: with a time zone.
    """
    divisions = sorted(
        (each for each in over if each.settings.every_days is not None),
        key=lambda each: each.settings.division,
    )
    entrants = _entrants(divisions)
    return [
        replace(each.settings, entrants=names, **_next(each.settings, len(divisions), now))
        for each, names in zip(divisions, entrants, strict=True)
    ]


def _next(settings: EventSettings, divisions: int, now: datetime) -> dict[str, object]:
    """Return the number, the name and the times of the next edition of an event."""
    step, starts = timedelta(days=settings.every_days or 0), settings.starts or ""
    edition, after = settings.edition + 1, step
    while datetime.fromisoformat(starts) + after <= now:
        after += step
    has_divisions = max(divisions, settings.division) > 1
    name = f"{settings.series}-{edition}" + (f"-{settings.division}" if has_divisions else "")
    times = {key: at for key in TIMES if (at := getattr(settings, key)) is not None}
    later = {key: (datetime.fromisoformat(at) + after).isoformat() for key, at in times.items()}
    return {"name": name, "edition": edition, **later}


def _entrants(divisions: Sequence[Edition]) -> list[tuple[str, ...]]:
    """Return who plays in each division next: as listed, or by the tables."""
    if not any(each.settings.promoted for each in divisions):
        return [each.settings.entrants for each in divisions]
    tables = [[*each.ranked] for each in divisions]
    for place, (upper, lower) in enumerate(pairwise(divisions)):
        above, below = upper.ranked, lower.ranked
        most = min(upper.settings.promoted, len(above) // 2, len(below) // 2)
        if most:
            down, up = above[-most:], below[:most]
            tables[place] = [*(name for name in tables[place] if name not in down), *up]
            kept = (name for name in tables[place + 1] if name not in up)
            tables[place + 1] = [*down, *kept]
    return [tuple(names) for names in tables]
