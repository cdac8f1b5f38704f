"""The next edition of a series of events: made from the settings and the tables of one; pure.

An edition has an event for each division, or one event. The next one has the same settings, and
times that are later by as many days; those that have passed meanwhile are left out. Between two
divisions the last of the stronger and the first of the weaker change places.
"""

from collections.abc import Container, Iterable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from ...config.events import TIMES, EventSettings


class Edition(NamedTuple):
    """An event of an edition that is over.

    Attributes:
        ranked: who had entered and not withdrawn, the best first.
        has_table: whether a round of it was paired; else they are ranked as seeded.
    """

    settings: EventSettings
    ranked: Sequence[str]
    has_table: bool = True

    @property
    def goes_on(self) -> list[str]:
        """Who is in the next edition: not the bot that only filled this one, if it was odd."""
        listed = self.settings.entrants
        return [name for name in self.ranked if name != self.settings.fill or name in listed]


class SeriesError(ValueError):
    """There can't be a next edition; the message says which event of it is wrong, and why."""


def next_edition(
    over: Iterable[Edition], now: datetime, names: Container[str] = ()
) -> list[EventSettings]:
    """Return the settings of the events of the next edition, the strongest division first.

    Args:
        over: all events of an edition; those without ``every_days`` have no next one.
        now: with a time zone.
        names: the names that other events have.

    Raises:
        SeriesError: when one of them can't be an event.
    """
    divisions = sorted(
        (each for each in over if each.settings.every_days is not None),
        key=lambda each: each.settings.division,
    )
    entrants = _entrants(divisions)
    made: list[EventSettings] = []
    for each, entered in zip(divisions, entrants, strict=True):
        name = _name(each.settings, len(divisions))
        if name in names or any(each.name == name for each in made):
            raise SeriesError(f"{name}: there is such an event")
        try:
            following = replace(
                each.settings, name=name, entrants=entered, **_next(each.settings, now)
            )
            following = msgspec.convert(msgspec.to_builtins(following), EventSettings)
        except (OverflowError, msgspec.ValidationError) as error:
            raise SeriesError(f"{name}: {error}") from None
        if problem := following.problem():
            raise SeriesError(f"{name}: {problem}")
        made.append(following)
    return made


def _name(last: EventSettings, divisions: int) -> str:
    has_divisions = max(divisions, last.division) > 1
    return f"{last.series}-{last.edition + 1}" + (f"-{last.division}" if has_divisions else "")


def _next(settings: EventSettings, now: datetime) -> dict[str, object]:
    step, starts = timedelta(days=settings.every_days or 0), settings.starts or ""
    after = step * max(1, (now - datetime.fromisoformat(starts)) // step + 1)
    times = {key: at for key in TIMES if (at := getattr(settings, key)) is not None}
    later = {key: (datetime.fromisoformat(at) + after).isoformat() for key, at in times.items()}
    return {"edition": settings.edition + 1, **later}


def _entrants(divisions: Sequence[Edition]) -> list[tuple[str, ...]]:
    if not any(each.settings.promoted for each in divisions):
        return [each.settings.entrants for each in divisions]
    tables = [each.goes_on for each in divisions]
    for place, (upper, lower) in enumerate(pairwise(divisions)):
        above, below = upper.goes_on, lower.goes_on
        most = min(upper.settings.promoted, len(above) // 2, len(below) // 2)
        if most and upper.has_table and lower.has_table:
            down, up = above[-most:], below[:most]
            tables[place] = [*(name for name in tables[place] if name not in down), *up]
            kept = (name for name in tables[place + 1] if name not in up)
            tables[place + 1] = [*down, *kept]
    return [tuple(names) for names in tables]
