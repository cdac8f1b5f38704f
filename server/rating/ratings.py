"""What a joint fit found: ratings with intervals, who is stronger than whom, and ranks."""

from dataclasses import dataclass, field
from functools import cached_property
from statistics import NormalDist
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model.misfit import Misfit
from .scale import Z95

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

_ROWS: Final = 256  # of a comparison of all with all, so that it needs little memory


class Rating(NamedTuple):
    """One player's rating, with half its 95 % interval, and its mean score, 0..1, in some games.

    An anchor has no error, a player without games a score of ½.
    """

    name: str
    elo: float
    error: float
    games: int
    score: float


class RankRange(NamedTuple):
    """The ranks that a player may have.

    Attributes:
        best: 1, and one for each player that is stronger with 97.5 % certainty.
        worst: the number of players, less one for each that is weaker with 97.5 % certainty.
    """

    best: int
    worst: int


@dataclass(frozen=True, eq=False)
class Ratings:
    """The joint fit.

    Attributes:
        advantage: what moving first is worth, in Elo: equals score as with this lead.
        advantage_error: half-width of its 95 % interval.
        draw_weight: ``D``; equals draw with the chance ``D / (D + 2)``, seats aside.
        groups: shape (players,): players with the same number are connected by games.
        shifts: shape (players,): variance of the mean of the player's group, in Elo²; the
            player's error does not hold it.
        covariance: of the ratings, in Elo²; None beyond ``fit.EXACT_PLAYERS``.
        misfit: how far the results lie from the fit, by which the errors are widened; None where
            there is nothing to compare, and beyond ``fit.EXACT_PLAYERS``.
    """

    players: tuple[Rating, ...]
    advantage: float
    advantage_error: float
    draw_weight: float
    groups: Counts = field(repr=False)
    shifts: Floats = field(repr=False)
    covariance: Floats | None = field(repr=False)
    misfit: Misfit | None = field(default=None, repr=False)

    @cached_property
    def _by_name(self) -> dict[str, Rating]:
        return {rating.name: rating for rating in self.players}

    def __getitem__(self, name: str) -> Rating:
        return self._by_name[name]

    def los(self, most: int | None = None) -> Floats:
        """Return the likelihood, 0..1, that the row's player is stronger than the column's.

        Without a covariance the errors of two ratings are taken to be independent. Players of two
        groups hardly differ for certain: only the prior compares them. ``most`` bounds the players
        that are compared, the strongest.
        """
        count = len(self.players[:most])
        gaps = self._gaps(slice(count))[:, :count]
        chances = [NormalDist().cdf(value) for value in gaps.flat]
        return np.array(chances).reshape(gaps.shape)

    def rank_ranges(self) -> dict[str, RankRange]:
        """Return the ranks that each player may have, by name, from comparisons of two."""
        count = len(self.players)
        ranges = {}
        for begin in range(0, count, _ROWS):
            rows = slice(begin, min(begin + _ROWS, count))
            gaps = self._gaps(rows)
            stronger, weaker = (gaps < -Z95).sum(1).tolist(), (gaps > Z95).sum(1).tolist()
            for rating, above, below in zip(self.players[rows], stronger, weaker, strict=True):
                ranges[rating.name] = RankRange(1 + above, count - below)
        return ranges

    def _gaps(self, rows: slice) -> Floats:
        """Return the leads of some players over all, in their standard errors."""
        elo = np.array([rating.elo for rating in self.players])
        if self.covariance is not None:
            variance = self.covariance.diagonal()
            spread = variance[rows, None] + variance - 2 * self.covariance[rows]
        else:
            variance = (np.array([rating.error for rating in self.players]) / Z95) ** 2
            is_apart = self.groups[rows, None] != self.groups
            spread = variance[rows, None] + variance
            spread += is_apart * (self.shifts[rows, None] + self.shifts)
        return np.asarray((elo[rows, None] - elo) / np.sqrt(np.maximum(spread, 1e-12)), float)
