"""Entrants in the order of their merit, kept so that a page of it costs what the page is long.

Merits and names are apart: twenty thousand tuples take two milliseconds to free.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping


class Ranking:
    """Names by merit, the greatest first; equal ones by name, which share a rank."""

    def __init__(self, merits: Mapping[str, float]) -> None:
        self.replace(merits)

    def __len__(self) -> int:
        return len(self._names)

    def replace(self, merits: Mapping[str, float]) -> None:
        """Rank these names instead, in the time that it takes to sort them."""
        self._merits = dict(merits)
        order = sorted((-merit, name) for name, merit in merits.items())
        self._negated = array("d", [negated for negated, _name in order])
        self._names = [name for _negated, name in order]

    def put(self, name: str, merit: float) -> None:
        """Rank one name by this merit."""
        former = self._merits.get(name)
        if former == merit:
            return
        if former is not None:
            self._remove(name, former)
        self._merits[name] = merit
        place = self._place(name, merit)
        self._negated.insert(place, -merit)
        self._names.insert(place, name)

    def drop(self, name: str) -> None:
        """Forget a name."""
        self._remove(name, self._merits.pop(name))

    def names(self, begin: int = 0, end: int | None = None) -> list[str]:
        """Return the names from one place to another, the best at 0."""
        return self._names[begin:end]

    def rank(self, name: str) -> int:
        """Return how many names have a greater merit, and one; KeyError when it is unknown."""
        return 1 + bisect_left(self._negated, -self._merits[name])

    def _place(self, name: str, merit: float) -> int:
        begin = bisect_left(self._negated, -merit)
        end = bisect_right(self._negated, -merit, begin)
        return bisect_left(self._names, name, begin, end)

    def _remove(self, name: str, merit: float) -> None:
        place = self._place(name, merit)
        del self._negated[place], self._names[place]
