"""Outcomes of games, aggregated by pair of players, in columns; the input of the joint fit.

A game costs one addition, and a fit reads the columns as they are: neither depends on how many
games were played before. Players are numbered in the order in which they were first named.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from server.model.game import Seats, Tally

Integers = NDArray[np.int32]

_OUTCOMES: Final = 3


class PairColumns(NamedTuple):
    """The outcomes of each pair that has met, at one moment.

    Attributes:
        names: the players, by number.
        low: shape (pairs,): the number of the player named first.
        high: shape (pairs,): the number of the other one, which is greater.
        outcomes: shape (2, 3, pairs): wins, draws and losses of the player that moved first; in
            row 0 of the games in which that was ``low``, in row 1 of those in which it was
            ``high``.
    """

    names: tuple[str, ...]
    low: Integers
    high: Integers
    outcomes: Integers


class PairTable:
    """The outcomes of each pair of players."""

    def __init__(self, tallies: Mapping[Seats, Tally] | None = None) -> None:
        """Create a table from the outcomes of each ``(first, second)``.

        Raises:
            ValueError: when a player is said to have played itself.
        """
        self._numbers: dict[str, int] = {}
        self._rows: dict[tuple[int, int], int] = {}
        self._low, self._high = array("i"), array("i")
        self._outcomes = tuple(array("i") for _ in range(2 * _OUTCOMES))
        for seats, outcome in (tallies or {}).items():
            self.add(seats, outcome)

    def name(self, players: Iterable[str]) -> None:
        """Add players that may have no games."""
        for player in players:
            self._numbers.setdefault(player, len(self._numbers))

    def add(self, seats: Seats, outcome: Tally) -> None:
        """Add outcomes of games.

        Args:
            seats: the players; the one that moved first is named first.
            outcome: outcomes for that one.

        Raises:
            ValueError: when both players are the same.
        """
        if seats[0] == seats[1]:
            raise ValueError(f"{seats[0]!r} cannot play itself")
        self.name(seats)
        first, second = self._numbers[seats[0]], self._numbers[seats[1]]
        pair = min(first, second), max(first, second)
        row = self._rows.setdefault(pair, len(self._low))
        if row == len(self._low):
            self._low.append(pair[0])
            self._high.append(pair[1])
            for column in self._outcomes:
                column.append(0)
        for column, count in zip(self._columns_of(first > second), outcome, strict=True):
            column[row] += count

    def tally(self, seats: Seats) -> Tally:
        """Return the outcomes of two players' games from these seats, for the first-named."""
        first, second = (self._numbers.get(name, -1) for name in seats)
        row = self._rows.get((min(first, second), max(first, second)))
        if row is None:
            return Tally()
        return Tally(*(column[row] for column in self._columns_of(first > second)))

    def meetings(self, one: str, two: str) -> int:
        """Return the number of games that two players have played."""
        return sum(self.tally((one, two))) + sum(self.tally((two, one)))

    def columns(self) -> PairColumns:
        """Return a copy of the columns."""
        low, high = (np.array(column, np.int32) for column in (self._low, self._high))
        outcomes = np.array([np.frombuffer(column, np.int32) for column in self._outcomes])
        shape = 2, _OUTCOMES, len(self._low)
        return PairColumns(tuple(self._numbers), low, high, outcomes.reshape(shape))

    def columns_of(self, players: Iterable[str]) -> PairColumns:
        """Return a copy of the columns, with the pairs of these players only."""
        wanted = np.zeros(len(self._numbers), bool)
        wanted[[self._numbers[name] for name in players if name in self._numbers]] = True
        low, high = (np.frombuffer(column, np.int32) for column in (self._low, self._high))
        rows = np.flatnonzero(wanted[low] | wanted[high])
        outcomes = np.array([np.frombuffer(column, np.int32)[rows] for column in self._outcomes])
        shape = 2, _OUTCOMES, rows.size
        return PairColumns(tuple(self._numbers), low[rows], high[rows], outcomes.reshape(shape))

    def _columns_of(self, is_reversed: bool) -> tuple[array[int], ...]:  # noqa: FBT001  # an index
        begin = _OUTCOMES * is_reversed
        return self._outcomes[begin : begin + _OUTCOMES]
