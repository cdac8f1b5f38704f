"""Entrants in the order of their merit, kept so that a page of it costs what the page is long."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping


class Ranking:
    """Names by merit, the greatest first; equal ones by name, which share a rank."""

    def __init__(self, merits: Mapping[str, float]) -> None:
        """Begin with these.

        Args:
            merits: of each name.
        """
        self._merits: dict[str, float] = {}
        self._order: list[tuple[float, str]] = []
        self.replace(merits)

    def __len__(self) -> int:
        """Return how many names there are."""
        return len(self._order)

    def put(self, name: str, merit: float) -> None:
        """Rank one name by this merit."""
        former = self._merits.get(name)
        if former == merit:
            return
        if former is not None:
            del self._order[bisect_left(self._order, (-former, name))]
        self._merits[name] = merit
        insort(self._order, (-merit, name))

    def drop(self, name: str) -> None:
        """Forget a name."""
        merit = self._merits.pop(name)
        del self._order[bisect_left(self._order, (-merit, name))]

    def replace(self, merits: Mapping[str, float]) -> None:
        """Rank these names instead, in the time that it takes to sort them."""
        self._merits = dict(merits)
        self._order = sorted((-merit, name) for name, merit in self._merits.items())

    def names(self, begin: int = 0, end: int | None = None) -> list[str]:
        """Return the names from one place to another, the best at 0."""
        return [name for _merit, name in self._order[begin:end]]

    def rank(self, name: str) -> int:
        """Return the rank of a name, from 1: how many have a greater merit, and one.

        Raises:
            KeyError: when it is unknown.
        """
        return 1 + bisect_left(self._order, (-self._merits[name], ""))
