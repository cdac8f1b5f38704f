"""Counts for each two seats, in columns: a ladder of many pairs is read and counted as a whole.

Making an object of each two bots that ever met took seconds of a server's start.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from mancala.server.model.game import Seats, Tally
from mancala.server.model.pair_counts import PairCounts

T = TypeVar("T")
Make = Callable[[Sequence[int]], T]
"""Makes a value of its counts."""


class SeatColumns(Mapping[Seats, T], Generic[T]):
    """A mapping of seats to counts.

    Attributes:
        names: the players; the columns name them by their place here.
        first: those that moved first.
        second: the others.
        counts: the counts, a column each.
    """

    def __init__(
        self,
        make: Make[T],
        first: Sequence[str],
        second: Sequence[str],
        counts: Iterable[Iterable[int]],
    ) -> None:
        """Create it.

        Args:
            make: makes a value of its counts.
            first: the players that moved first.
            second: the others; no two names are named twice in this order.
            counts: the counts, a column each.
        """
        numbers = {name: place for place, name in enumerate(dict.fromkeys((*first, *second)))}
        self.names = tuple(numbers)
        self.first = array("i", map(numbers.__getitem__, first))
        self.second = array("i", map(numbers.__getitem__, second))
        self.counts = tuple(array("i", column) for column in counts)
        self._make = make
        self._places: dict[Seats, int] | None = None

    @property
    def sum(self) -> int:
        """The sum of all counts."""
        return sum(map(sum, self.counts))

    def __len__(self) -> int:
        """Return how many seats there are."""
        return len(self.first)

    def __iter__(self) -> Iterator[Seats]:
        """Yield the seats."""
        name = self.names.__getitem__
        return zip(map(name, self.first), map(name, self.second), strict=True)

    def __getitem__(self, seats: Seats) -> T:
        """Return the value of two seats."""
        if self._places is None:
            self._places = {each: place for place, each in enumerate(self)}
        place = self._places[seats]
        return self._make([column[place] for column in self.counts])


def tally_columns(known: Mapping[Seats, Tally]) -> SeatColumns[Tally]:
    """Return tallies in columns."""
    if isinstance(known, SeatColumns):
        return known
    return SeatColumns(Tally._make, *_seats(known), _turned(known.values(), len(Tally._fields)))


def pair_columns(known: Mapping[Seats, PairCounts]) -> SeatColumns[PairCounts]:
    """Return side-swapped pairs in columns."""
    if isinstance(known, SeatColumns):
        return known
    rows = (each.counts for each in known.values())
    return SeatColumns(make_counts, *_seats(known), _turned(rows, len(PairCounts().counts)))


def make_counts(counts: Sequence[int]) -> PairCounts:
    """Return side-swapped pairs of their five counts."""
    a, b, c, d, e = counts
    return PairCounts((a, b, c, d, e))


def _seats(known: Mapping[Seats, T]) -> tuple[list[str], list[str]]:
    return [first for first, _second in known], [second for _first, second in known]


def _turned(rows: Iterable[Sequence[int]], width: int) -> list[tuple[int, ...]]:
    """Return the columns of rows, also of none."""
    return list(zip(*rows, strict=True)) or [()] * width
