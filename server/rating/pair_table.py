"""Outcomes of games, aggregated by pair of players, in columns; the input of the joint fit.

A game costs one addition, and a fit reads the columns as they are: neither depends on how many
games were played before. Players are numbered in the order in which they were first named.

Games that were played as side-swapped pairs are counted twice: each by its outcome, and the two
together by their points. Games that are in no pair are single games.
"""

from __future__ import annotations

from array import array
from collections.abc import Container, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..model.game import Seats, Tally
from ..model.pair_counts import NO_PAIRS, PairCounts
from ..model.seat_columns import SeatColumns, pair_columns, tally_columns

T = TypeVar("T")
N = TypeVar("N", int, NDArray[np.int64])
Integers = NDArray[np.int32]

_OUTCOMES: Final = 3
_PAIR_SCORES: Final = 5
_NUMBER_BITS: Final = 32


class PairColumns(NamedTuple):
    """The outcomes of each pair that has met, at one moment.

    Attributes:
        low: shape (pairs,): the number of the player named first.
        high: shape (pairs,): the number of the other one, which is greater.
        outcomes: shape (2, 3, pairs): wins, draws and losses of the player that moved first; in
            row 0 of the games in which that was ``low``, in row 1 of those in which it was
            ``high``.
        pair_scores: shape (5, pairs): of these games, the side-swapped pairs in which ``low``
            scored 0, ½, 1, 1½ and 2 points.
    """

    names: tuple[str, ...]
    low: Integers
    high: Integers
    outcomes: Integers
    pair_scores: Integers

    def within(self, players: Container[str]) -> PairColumns:
        """Return the columns without those who have neither a game nor a place among players."""
        are_kept = np.array([name in players for name in self.names], np.bool_)
        are_kept[self.low] = are_kept[self.high] = True
        if are_kept.all():
            return self
        numbers = (np.cumsum(are_kept) - 1).astype(np.int32)
        names = tuple(name for name, is_kept in zip(self.names, are_kept, strict=True) if is_kept)
        return self._replace(names=names, low=numbers[self.low], high=numbers[self.high])

    def without(self, players: Container[str]) -> PairColumns:
        """Return the columns without the games of two players against each other."""
        two = np.array([name in players for name in self.names], np.bool_)
        rest = ~(two[self.low] & two[self.high])
        return PairColumns(
            self.names,
            self.low[rest],
            self.high[rest],
            self.outcomes[:, :, rest],
            self.pair_scores[:, rest],
        )


class PairTable:
    """The outcomes of each pair of players."""

    def __init__(
        self,
        tallies: Mapping[Seats, Tally] | None = None,
        pairs: Mapping[Seats, PairCounts] = NO_PAIRS,
        names: Iterable[str] = (),
    ) -> None:
        self._numbers = {name: number for number, name in enumerate(names)}
        self._rows: dict[int, int] = {}
        self._rows_of: dict[int, array[int]] = {}
        self._low, self._high = array("i"), array("i")
        self._outcomes = tuple(array("i") for _ in range(2 * _OUTCOMES))
        self._pair_scores = tuple(array("i") for _ in range(_PAIR_SCORES))
        if tallies or pairs:
            self._fill(tally_columns(tallies or {}), pair_columns(pairs))

    def _fill(self, tallies: SeatColumns[Tally], pairs: SeatColumns[PairCounts]) -> None:
        """Take all that is known into an empty table, column by column."""
        self.name((*tallies.names, *pairs.names))
        first, second = np.concatenate((self._seats(tallies), self._seats(pairs)), axis=1)
        low, high = np.minimum(first, second), np.maximum(first, second)
        for number in low[low == high]:
            raise ValueError(f"{tuple(self._numbers)[number]!r} cannot play itself")
        met, rows = np.unique(low * len(self._numbers) + high, return_inverse=True)
        low, high = np.divmod(met, len(self._numbers))
        self._low, self._high = _column(low), _column(high)
        self._rows = dict(zip(_key(low, high).tolist(), range(met.size), strict=True))
        self._rows_of = _places(low, high)
        is_reversed, played = first > second, len(tallies)
        at = rows[:played] + met.size * is_reversed[:played]
        halves = [_summed(at, each, 2 * met.size).reshape(2, -1) for each in tallies.counts]
        self._outcomes = tuple(_column(each[half]) for half in (0, 1) for each in halves)
        counts = np.array(pairs.counts)
        seen = np.where(is_reversed[played:], counts[::-1], counts)
        self._pair_scores = tuple(_column(_summed(rows[played:], each, met.size)) for each in seen)

    def _seats(self, known: SeatColumns[T]) -> NDArray[np.int64]:
        numbers = np.array([self._numbers[name] for name in known.names], np.int64)
        return numbers[np.array((known.first, known.second), np.int64)]

    def name(self, players: Iterable[str]) -> None:
        """Add players that may have no games."""
        for player in players:
            self._numbers.setdefault(player, len(self._numbers))

    def add(self, seats: Seats, outcome: Tally) -> None:
        """Add outcomes of games, for the player that moved first, who is named first."""
        row, is_reversed = self._row(seats)
        for column, count in zip(self._columns_of(is_reversed), outcome, strict=True):
            column[row] += count

    def add_pairs(self, seats: Seats, counts: PairCounts, *, sign: int = 1) -> None:
        """Add side-swapped pairs, counted for the first-named; the sign -1 takes them away."""
        row, is_reversed = self._row(seats)
        seen = counts.seen_from_the_other() if is_reversed else counts
        for column, count in zip(self._pair_scores, seen.counts, strict=True):
            column[row] += sign * count

    def tally(self, seats: Seats) -> Tally:
        """Return the outcomes of two players' games from these seats, for the first-named."""
        first, second = (self._numbers.get(name, -1) for name in seats)
        row = self._rows.get(_key(min(first, second), max(first, second)))
        if row is None:
            return Tally()
        return Tally(*(column[row] for column in self._columns_of(first > second)))

    def meetings(self, one: str, two: str) -> int:
        return sum(self.tally((one, two))) + sum(self.tally((two, one)))

    def pairs(self, seats: Seats) -> PairCounts:
        """Return the side-swapped pairs of two players, counted for the first-named."""
        first, second = (self._numbers.get(name, -1) for name in seats)
        row = self._rows.get(_key(min(first, second), max(first, second)))
        if row is None:
            return PairCounts()
        a, b, c, d, e = (column[row] for column in self._pair_scores)
        counts = PairCounts((a, b, c, d, e))
        return counts.seen_from_the_other() if first > second else counts

    def records(self) -> dict[str, Tally]:
        """Return what all games of each player came to; of those that have games."""
        low, high = (np.array(each, np.int64) for each in (self._low, self._high))
        one, other = np.array(self._outcomes).reshape(2, _OUTCOMES, -1)
        of_low, of_high = one + other[::-1], other + one[::-1]
        size = len(self._numbers)
        sums = [
            _summed(low, ours, size) + _summed(high, theirs, size)
            for ours, theirs in zip(of_low, of_high, strict=True)
        ]
        rows = zip(self._numbers, map(Tally._make, np.array(sums).T.tolist()), strict=True)
        return {name: record for name, record in rows if any(record)}

    def columns(self) -> PairColumns:
        """Return a copy of the columns, without pairs whose games were all taken away."""
        have_games = np.zeros(len(self._low), np.bool_)
        for column in self._outcomes:
            have_games |= np.frombuffer(column, np.int32) != 0
        rows = slice(None) if have_games.all() else np.flatnonzero(have_games)
        return self._copy(rows)

    def columns_of(self, players: Iterable[str]) -> PairColumns:
        """Return a copy of the columns, with the pairs of these players only."""
        numbers = [self._numbers[name] for name in players if name in self._numbers]
        rows = {row for number in numbers for row in self._rows_of.get(number, ())}
        return self._copy(np.array(sorted(rows), np.intp))

    def _row(self, seats: Seats) -> tuple[int, bool]:
        """Return the row of two players, and whether the second-named has the lower number."""
        if seats[0] == seats[1]:
            raise ValueError(f"{seats[0]!r} cannot play itself")
        self.name(seats)
        first, second = self._numbers[seats[0]], self._numbers[seats[1]]
        pair = min(first, second), max(first, second)
        row = self._rows.setdefault(_key(*pair), len(self._low))
        if row == len(self._low):
            self._low.append(pair[0])
            self._high.append(pair[1])
            for number in pair:
                self._rows_of.setdefault(number, array("i")).append(row)
            for column in (*self._outcomes, *self._pair_scores):
                column.append(0)
        return row, first > second

    def _copy(self, rows: NDArray[np.intp] | slice) -> PairColumns:
        def copies(columns: Iterable[array[int]]) -> Integers:
            return np.array([np.frombuffer(column, np.int32)[rows] for column in columns])

        low, high = copies((self._low, self._high))
        outcomes = copies(self._outcomes).reshape(2, _OUTCOMES, low.size)
        return PairColumns(tuple(self._numbers), low, high, outcomes, copies(self._pair_scores))

    def _columns_of(self, is_reversed: bool) -> tuple[array[int], ...]:  # noqa: FBT001  # an index
        begin = _OUTCOMES * is_reversed
        return self._outcomes[begin : begin + _OUTCOMES]


def _key(low: N, high: N) -> N:
    """Return what a row is found by: one number, which costs a third of a tuple."""
    return (low << _NUMBER_BITS) + high


def _column(values: NDArray[Any]) -> array[int]:
    return array("i", values.astype(np.int32).tobytes())


def _summed(at: NDArray[np.int64], values: Any, size: int) -> NDArray[np.int64]:  # noqa: ANN401  # any integers
    return np.bincount(at, weights=values, minlength=size).astype(np.int64)


def _places(low: NDArray[np.int64], high: NDArray[np.int64]) -> dict[int, array[int]]:
    both = np.concatenate((low, high))
    order = np.argsort(both, kind="stable")
    numbers, begins = np.unique(both[order], return_index=True)
    rows = np.split(order % max(1, low.size), begins[1:])
    return {number: _column(each) for number, each in zip(numbers.tolist(), rows, strict=False)}
