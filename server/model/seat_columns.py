"""Counts for each two seats, in columns: a ladder of many pairs is read and counted as a whole.

Making an object of each two bots that ever met took seconds of a server's start.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Generic, TypeVar

from .game import Seats, Tally
from .pair_counts import PairCounts

T = TypeVar("T")
Make = Callable[[Sequence[int]], T]
"""Makes a value of its counts."""


class SeatColumns(Mapping[Seats, T], Generic[T]):
    """A mapping of seats to counts.

    Attributes:
        first: those that moved first, as places in ``names``.
    """

    def __init__(self, make: Make[T], width: int) -> None:
        self.first, self.second = array("i"), array("i")
        self.counts = tuple(array("i") for _ in range(width))
        self._numbers = defaultdict[str, int]()
        self._numbers.default_factory = self._numbers.__len__
        self._make = make
        self._places: dict[Seats, int] | None = None

    def extend_columns(
        self, first: Iterable[str], second: Iterable[str], *counts: Iterable[int]
    ) -> None:
        """Add seats that it does not have."""
        for seats, players in ((self.first, first), (self.second, second)):
            seats.extend(map(self._numbers.__getitem__, players))
        for known, added in zip(self.counts, counts, strict=True):
            known.extend(added)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._numbers)

    @property
    def sum(self) -> int:
        return sum(map(sum, self.counts))

    def __len__(self) -> int:
        return len(self.first)

    def __iter__(self) -> Iterator[Seats]:
        name = self.names.__getitem__
        return zip(map(name, self.first), map(name, self.second), strict=True)

    def __getitem__(self, seats: Seats) -> T:
        if self._places is None:
            self._places = {each: place for place, each in enumerate(self)}
        place = self._places[seats]
        return self._make([column[place] for column in self.counts])


def no_tallies() -> SeatColumns[Tally]:
    return SeatColumns(Tally._make, len(Tally._fields))


def no_pairs() -> SeatColumns[PairCounts]:
    return SeatColumns(make_counts, len(PairCounts().counts))


def tally_columns(known: Mapping[Seats, Tally]) -> SeatColumns[Tally]:
    return _columns(known, no_tallies(), tuple)


def pair_columns(known: Mapping[Seats, PairCounts]) -> SeatColumns[PairCounts]:
    return _columns(known, no_pairs(), attrgetter("counts"))


def _columns(
    known: Mapping[Seats, T], empty: SeatColumns[T], counts_of: Callable[[T], Sequence[int]]
) -> SeatColumns[T]:
    if isinstance(known, SeatColumns):
        return known
    if known:
        rows = ((*seats, *counts_of(each)) for seats, each in known.items())
        empty.extend_columns(*zip(*rows, strict=True))
    return empty


def make_counts(counts: Sequence[int]) -> PairCounts:
    a, b, c, d, e = counts
    return PairCounts((a, b, c, d, e))
