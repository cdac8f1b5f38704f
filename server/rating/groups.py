"""Groups of players that games connect, directly or by others.

Games compare the players of one group, never two groups. Without anchors, what is known of the
ratings within a group is therefore measured from the group's own mean: else each interval would
hold the uncertainty of where the groups lie, which no game can reduce. With anchors the scale is
theirs, and the interval of a player that no chain of games connects with one says so.

Without an anchor, shifting all ratings of a group changes only what the prior says. So its mean is
the prior's, and varies by the prior's variance divided by its players.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from server.rating.equations import Counts, Floats, Problem


class Groups(NamedTuple):
    """The groups of a fit.

    Attributes:
        number: shape (players,): the group of each player.
        sizes: shape (groups,): its players.
        floating: whether ratings are taken from the mean of their group.
    """

    number: Counts
    sizes: Counts
    floating: bool

    @classmethod
    def of(cls, problem: Problem, *, floating: bool) -> Groups:
        """Return the groups of a problem's players."""
        number = _connected(problem.low, problem.high, problem.mean.size - 1)
        return cls(number, np.bincount(number), floating)

    def shifts(self, problem: Problem) -> Floats:
        """Return the variance of the mean of each player's group; 0 where it does not float."""
        return np.asarray(self._floats / (problem.precision[:-1] * self.sizes[self.number]), float)

    @property
    def _floats(self) -> Counts:
        """1 for each player whose group has others and floats; 0 for the rest."""
        return np.asarray(self.floating * (self.sizes[self.number] > 1), np.int64)

    def variances(self, covariance: Floats) -> Floats:
        """Return the variance of each rating, from the mean of its group where that floats.

        Args:
            covariance: of the ratings, shape (players, players).
        """
        players = np.arange(self.number.size)
        sums = np.zeros((self.sizes.size, players.size))
        np.add.at(sums, self.number, covariance)
        with_mean = sums[self.number, players] / self.sizes[self.number]
        of_mean = np.bincount(self.number, with_mean, self.sizes.size) / self.sizes
        from_mean = of_mean[self.number] - 2 * with_mean
        return np.asarray(covariance.diagonal() + self._floats * from_mean, float)

    def small(self, problem: Problem, most: int) -> Iterator[tuple[Counts, Counts]]:
        """Yield the players and the pairs of each group that has two players to ``most``."""
        players = _by_group(self.number, self.sizes.size)
        pairs = _by_group(self.number[problem.low], self.sizes.size)
        for group in np.flatnonzero((self.sizes > 1) & (self.sizes <= most)).tolist():
            yield players[group], pairs[group]


def _by_group(number: Counts, groups: int) -> list[Counts]:
    """Return the places of each group's number, ascending."""
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
