"""What bots may do a few times in 24 hours in a ladder: leave early, and bring newcomers.

Every entrant costs a row of the standings and a parameter of the joint fit, for good, and a bot
without a record escapes what its former record would bring it. So the new versions of a name are
limited, and the new names of a guest's address. Both counts become durable, so that no stranger
gains by a restart.
"""

from __future__ import annotations

from collections.abc import Sequence

from server.config.ladders import LadderSettings
from server.context import Context
from server.ladders.departures import not_before
from server.match.participant import Participant
from server.model.day_counts import Counted, CountKind, DayCounts


class DayLimits:
    """The counts of one ladder."""

    def __init__(self, ladder: str, context: Context) -> None:
        """Begin with nothing counted; :meth:`recall` brings what a former server counted.

        Args:
            ladder: the ladder's name.
            context: clock and journal.
        """
        self._ladder = ladder
        self._context = context
        self._departures = DayCounts()
        self._newcomers = DayCounts()

    def recall(self, counted: Counted, since: float) -> None:
        """Count again what a former server counted; ``since`` is when, on the loop's clock."""
        self._of(counted.kind).note(counted.key, counted.item, since)

    def left_early(self, who: Participant, match: str) -> int:
        """Count an early departure, once a match; return how many the bot has."""
        self._count(CountKind.DEPARTURE, [(key, match) for key in who.keys])
        return self.departures(who.keys)

    def departures(self, keys: Sequence[str]) -> int:
        """Return the early departures of the key that has most."""
        return self._departures.count(keys, self._context.now())

    def not_before(self, keys: Sequence[str], settings: LadderSettings) -> float:
        """Return when a bot with these keys may be paired again, on the loop's clock."""
        return not_before(self._departures, keys, self._context.now(), settings)

    def excess_of(self, who: Participant, entrant: str, settings: LadderSettings) -> str | None:
        """Return why an entrant without a game is one too many, or count it and return None."""
        name, *address = who.keys
        bounded = [
            *((key, who.name, settings.guests_a_day, "guests from one address") for key in address),
            (name, entrant, settings.versions_a_day, "versions of a bot"),
        ]
        now = self._context.now()
        for key, item, most, what in bounded:
            if not self._newcomers.has_room(key, item, now, most=most):
                return f"{most} new {what} a day are enough"
        self._count(CountKind.NEWCOMER, [(key, item) for key, item, *_rest in bounded])
        return None

    def _of(self, kind: CountKind) -> DayCounts:
        return self._departures if kind is CountKind.DEPARTURE else self._newcomers

    def _count(self, kind: CountKind, items: Sequence[tuple[str, str]]) -> None:
        now, at = self._context.now(), self._context.utc()
        new = [
            Counted(kind, key, item, at, self._ladder)
            for key, item in items
            if self._of(kind).note(key, item, now)
        ]
        if new:
            self._context.journal.commit(new, lambda: None)
