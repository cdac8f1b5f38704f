"""The equations that the ratings solve: observed points equal expected points, for each player.

Games of one row of seats bring their first player ``S`` points where ``n p`` are expected, with
``p`` from ``expected_score.py``. The residuals ``S - n p``, added up for each player, are 0 at the
solution, but for the prior. That is what Ordo solves, and with logistic ``p`` it is the peak of the
likelihood of Bradley and Terry (Biometrika 39, 1952), a draw counting as half a win and half a
loss. No distribution of the outcomes is assumed: only the mean is, so neither draws nor openings
that decide both games of a pair bias the ratings.

In general these are the equations of a quasi-likelihood (R. W. M. Wedderburn, Biometrika 61, 1974)
whose variance is the slope of ``p`` along the difference of ratings. Along the advantage of moving
first a residual counts ``(∂p/∂a) / (∂p/∂r)``, which keeps the equations' matrix symmetric and
positive.

Points are on the natural scale: the players' ratings, then the advantage.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .expected_score import SeatScores, seat_scores
from .pair_table import Integers

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

BLOCK: Final = 1 << 15
"""Pairs handled together, so that what is computed stays in the cache."""


class FitProblem(NamedTuple):
    """The games as in `PairColumns`; the prior, shape (parameters,); ``free`` 0 for anchors."""

    low: Counts
    high: Counts
    outcomes: Integers
    pair_scores: Integers
    mean: Floats
    precision: Floats
    free: Floats

    def part(self, members: Counts, pairs: Counts) -> FitProblem:
        """Return the problem of some players that met no others, in order, and of the advantage."""
        chosen = np.append(members, self.mean.size - 1)
        return FitProblem(
            low=np.searchsorted(members, self.low[pairs]),
            high=np.searchsorted(members, self.high[pairs]),
            outcomes=self.outcomes[:, :, pairs],
            pair_scores=self.pair_scores[:, pairs],
            mean=self.mean[chosen],
            precision=self.precision[chosen],
            free=self.free[chosen],
        )


class Curvature(NamedTuple):
    """The derivative of the equations, with the sign turned, at one point.

    Attributes:
        weights: shape (pairs,): slope of a pair's expected points along its difference of ratings.
        diagonal: shape (parameters,).
        border: shape (players,): the advantage's row, among the ratings.
    """

    weights: Floats
    diagonal: Floats
    border: Floats

    def part(self, members: Counts, pairs: Counts) -> Curvature:
        """Return the entries of some players, of their pairs, and of the advantage."""
        diagonal = np.append(self.diagonal[members], self.diagonal[-1])
        return Curvature(self.weights[pairs], diagonal, self.border[members])


class Slopes(NamedTuple):
    """The equations' left sides, shape (parameters,), and their curvature, at one point."""

    gradient: Floats
    curvature: Curvature


class Residuals(NamedTuple):
    """The games of some pairs, from the side of ``low``, in both seats: shape (2, pairs) each."""

    surplus: Floats
    slopes: Floats
    leverages: Floats


def blocks(pairs: int) -> Iterator[slice]:
    """Return slices that cover the pairs."""
    return (slice(begin, begin + BLOCK) for begin in range(0, pairs, BLOCK))


def slopes(problem: FitProblem, point: Floats) -> Slopes:
    """Return the equations' left sides and their curvature at a point."""
    ratings, players = point[:-1], point.size - 1
    gradient = -problem.precision * (point - problem.mean)
    diagonal = problem.precision.copy()
    border, weights = np.zeros(players), np.empty(problem.low.size)
    for block in blocks(problem.low.size):
        low, high = problem.low[block], problem.high[block]
        found = _residuals(problem.outcomes[:, :, block], ratings[low] - ratings[high], point[-1])
        surplus, mixed = found.surplus.sum(0), (found.slopes * found.leverages).sum(0)
        weights[block] = found.slopes.sum(0)
        gradient[-1] += (found.surplus * found.leverages).sum()
        diagonal[-1] += (found.slopes * found.leverages**2).sum()
        for sign, numbers in ((1.0, low), (-1.0, high)):
            gradient[:-1] += sign * spread(numbers, surplus, players)
            border += sign * spread(numbers, mixed, players)
            diagonal[:-1] += spread(numbers, weights[block], players)
    return Slopes(gradient, Curvature(weights, diagonal, border))


def _residuals(outcomes: Integers, gap: Floats, advantage: float) -> Residuals:
    scores = seat_scores(gap, advantage)
    games = outcomes.sum(1)
    points = points_of_low(outcomes)
    expected = np.stack((scores.first, scores.second)) * games
    steep = np.stack((scores.first_slope, scores.second_slope))
    return Residuals(points - expected, games * steep, leverages(scores))


def points_of_low(outcomes: Integers) -> Floats:
    """Return the points of ``low`` in both seats, shape (2, pairs), of outcomes as in columns."""
    return np.stack((outcomes[0, 0] + outcomes[0, 1] / 2, outcomes[1, 2] + outcomes[1, 1] / 2))


def leverages(scores: SeatScores) -> Floats:
    """Return what a residual counts along the advantage, in both seats."""
    return np.stack(
        (
            scores.first_by_advantage / scores.first_slope,
            scores.second_by_advantage / scores.second_slope,
        )
    )


def spread(numbers: Counts, values: Floats, players: int) -> Floats:
    """Return the sum of the values of each player, shape (players,)."""
    return np.asarray(np.bincount(numbers, values, players), float)
