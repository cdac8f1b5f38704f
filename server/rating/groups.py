"""Groups of players that games connect, directly or by others.

Games compare the players of one group, never two groups. An anchor holds the scale of its group. A
group without one floats: shifting all its ratings changes only what the prior says. Its ratings are
therefore taken from a zero of its own, the mean of its references, such as the organiser's bots, or
of all its players where it has none of these. Each interval is that of the difference from this
zero, whose own uncertainty it holds; where the groups lie, which no game can tell, is none of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .equations import Counts, FitProblem, Floats

Flags = NDArray[np.bool_]


class Groups(NamedTuple):
    """The groups of a fit.

    Attributes:
        number: shape (players,): the group of each player.
        sizes: shape (groups,): its players.
        held: shape (groups,): whether an anchor holds its scale.
        weights: shape (players,): what each player counts in its group's zero; their sum is 1 in
            each group.
    """

    number: Counts
    sizes: Counts
    held: Flags
    weights: Floats

    @classmethod
    def of(cls, problem: FitProblem, references: Flags) -> Groups:
        """Return the groups of a problem's players; those that an anchor is in are held."""
        number = _connected(problem.low, problem.high, problem.mean.size - 1)
        sizes = np.bincount(number)
        chosen = np.bincount(number, references, sizes.size)
        counts = np.where(chosen[number] > 0, references / np.maximum(chosen[number], 1), 0.0)
        weights = np.where(chosen[number] > 0, counts, 1 / sizes[number])
        held = np.bincount(number, problem.free[:-1] == 0, sizes.size) > 0
        return cls(number, sizes, held, np.asarray(weights, float))

    def shifts(self, problem: FitProblem) -> Floats:
        """Return the variance of the mean of each player's group; 0 where it does not float."""
        return np.asarray(self._floats / (problem.precision[:-1] * self.sizes[self.number]), float)

    @property
    def _floats(self) -> Flags:
        return np.asarray(~self.held[self.number] & (self.sizes[self.number] > 1), bool)

    def above_zero(self, ratings: Floats, centre: float) -> Floats:
        """Return ratings with the zero of each group that floats at ``centre``."""
        zeros = np.bincount(self.number, self.weights * ratings, self.sizes.size)
        return np.asarray(ratings + self._floats * (centre - zeros[self.number]), float)

    def variances(self, covariance: Floats) -> Floats:
        """Return the variance of each rating, from the zero of its group where that floats."""
        players = np.arange(self.number.size)
        sums = np.zeros((self.sizes.size, players.size))
        np.add.at(sums, self.number, self.weights[:, None] * covariance)
        with_zero = sums[self.number, players]
        of_zero = np.bincount(self.number, self.weights * with_zero, self.sizes.size)
        from_zero = of_zero[self.number] - 2 * with_zero
        return np.asarray(covariance.diagonal() + self._floats * from_zero, float)

    def zeros(self) -> Iterator[tuple[Counts, Floats]]:
        """Yield what takes the mean of a group to its zero, where it floats and these differ."""
        uneven = self._floats & (self.weights != 1 / self.sizes[self.number])
        for group in np.unique(self.number[uneven]).tolist():
            is_member = self.number == group
            yield (
                np.flatnonzero(is_member),
                np.where(is_member, self.weights - 1 / self.sizes[group], 0.0),
            )

    def references(self, most: int) -> Iterator[tuple[int, Floats]]:
        """Yield the references of each group that floats and has ``most`` of them or fewer.

        Each has a vector of all players whose product with their ratings is its lead over the zero.
        """
        uneven = self._floats & (self.weights > 1 / self.sizes[self.number])
        counts = np.bincount(self.number, uneven, self.sizes.size)
        for player in np.flatnonzero(uneven & (counts[self.number] <= most)).tolist():
            from_zero = np.where(self.number == self.number[player], -self.weights, 0.0)
            from_zero[player] += 1
            yield player, from_zero

    def small(self, problem: FitProblem, most: int) -> Iterator[tuple[Counts, Counts]]:
        """Yield the players and the pairs of each group that has two players to ``most``."""
        players = _by_group(self.number, self.sizes.size)
        pairs = _by_group(self.number[problem.low], self.sizes.size)
        for group in np.flatnonzero((self.sizes > 1) & (self.sizes <= most)).tolist():
            yield players[group], pairs[group]


def _by_group(number: Counts, groups: int) -> list[Counts]:
    order = np.argsort(number, kind="stable")
    return np.split(order, np.cumsum(np.bincount(number, minlength=groups))[:-1])


def _connected(low: Counts, high: Counts, players: int) -> Counts:
    """Return the group of each player, numbered from 0; ``low`` and ``high`` name pairs that met.

    Each player points to the lowest one known in its group. Pairs pass the lower one on to whatever
    the other points to, and pointers are followed to their end, until nothing changes.
    """
    lowest = np.arange(players)
    while True:
        here, there = lowest[low], lowest[high]
        apart = here != there
        if not apart.any():
            return np.unique(lowest, return_inverse=True)[1].astype(np.int64)
        here, there = here[apart], there[apart]
        np.minimum.at(lowest, np.maximum(here, there), np.minimum(here, there))
        while (lowest[lowest] != lowest).any():
            lowest = lowest[lowest]
