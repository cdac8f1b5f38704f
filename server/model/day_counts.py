"""What is limited to a few in 24 hours, counted under a bot's name or a guest's address; pure.

Each item counts once under its key. The caller has each new item stored as a :class:`Counted`, so
that a restart forgets nothing.

A name is held to what is counted under it. What is counted under an address may slow names that are
new, and never refuses or punishes them: behind one address there may be a whole school.
"""

from collections import OrderedDict
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from .journal import JournalEntry

DAY_S: Final = 86_400.0
MOST_KEYS: Final = 100_000
"""Keys that are remembered; beyond it those that were counted last are kept."""


class CountKind(StrEnum):
    DEPARTURE = "departure"
    """A match of a ladder that was left before the first move."""
    NEWCOMER = "newcomer"
    """A version that a bot brought to a ladder, or a guest that came from an address."""
    CLAIM = "claim"
    """A name that was bound to a token from an address."""
    LEAGUE = "league"
    """A name that joined a league of a class from an address, or the token of its device."""
    VOID = "void"
    """A game that was void for a bot's sake."""
    START = "start"
    """A start of the server; limits nothing, and is shown to the organiser."""


class Counted(JournalEntry, frozen=True):
    """A journal entry: an item that counts for 24 hours.

    Attributes:
        item: tells items of a key apart: a match, a game, a version or a name.
        at: when it was counted, RFC 3339.
        ladder: the ladder; empty for the whole server.
    """

    kind: CountKind
    key: str
    item: str
    at: str
    ladder: str = ""


class DailyLimit:
    """The items of one kind of the last 24 hours, by key."""

    def __init__(self, kind: CountKind, ladder: str = "") -> None:
        """Begin with nothing counted; :meth:`restore_count` brings what a former server counted."""
        self._kind = kind
        self._ladder = ladder
        self._noted: OrderedDict[str, dict[str, float]] = OrderedDict()

    def note(self, items: Iterable[tuple[str, str]], now: float, at: str) -> list[Counted]:
        """Count items, each once a day under its name or address; return the new ones."""
        return [
            Counted(self._kind, key, item, at, self._ladder)
            for key, item in items
            if self._note(key, item, now)
        ]

    def renew(
        self, key: str, item: str, now: float, at: str, *, apart_s: float = 0.0
    ) -> list[Counted]:
        """Count an item as the last of its key, for 24 hours from now; return what is stored.

        Nothing is done where it became the last less than ``apart_s`` seconds ago.
        """
        recent = self._recent(key, now)
        if next(reversed(recent), None) == item and now - recent[item] < apart_s:
            return []
        self._noted.get(key, {}).pop(item, None)
        return self.note([(key, item)], now, at)

    def last(self, key: str, now: float) -> str | None:
        """Return the item of a key that was counted last, or None."""
        return next(reversed(self._recent(key, now)), None)

    def restore_count(self, counted: Counted, since: float) -> None:
        """Count again what a former server counted; ``since`` is when, on the clock of ``now``."""
        self.renew(counted.key, counted.item, since, counted.at)

    def has_room(self, key: str, item: str, now: float, *, most: int) -> bool:
        """Return whether an item may count under a key that may have ``most`` in 24 hours."""
        items = self._recent(key, now)
        return item in items or len(items) < most

    def count(self, key: str, now: float) -> int:
        return len(self._recent(key, now))

    def latest(self, key: str, now: float) -> float | None:
        """Return when the last item of a key was counted, or None."""
        return max(self._recent(key, now).values(), default=None)

    def _note(self, key: str, item: str, now: float) -> bool:
        self._forget(now)
        items = self._recent(key, now)
        is_new = item not in items
        items.setdefault(item, now)
        self._noted[key] = items
        self._noted.move_to_end(key)
        return is_new

    def _recent(self, key: str, now: float) -> dict[str, float]:
        known = self._noted.get(key, {})
        return {item: since for item, since in known.items() if since > now - DAY_S}

    def _forget(self, now: float) -> None:
        while self._noted:
            oldest = next(iter(self._noted))
            if self._recent(oldest, now) and len(self._noted) < MOST_KEYS:
                return
            del self._noted[oldest]
