"""Whether the players of a fit lie on one line, and which pairs of players are unusual.

One number a player cannot explain every table: of three players each may beat the next. Let ``r``
be the points of one player against another less those that the fit expects, ``V`` their variance
(``noise.py``), ``w`` the slope of the expected points, and ``G`` the variance of the fitted
difference of the two ratings. The fit follows the results, which leaves ``r`` the variance
``V (1 - h)`` with the leverage ``h = w² G / V`` (D. C. Hoaglin and R. E. Welsch, The American
Statistician 32, 1978). So

    χ² = Σ r² / V       has the mean       f = Σ (1 - h),                                      (1)

Pearson's statistic and its degrees of freedom. Its tail is that of the cube root, which is nearly
normal (E. B. Wilson and M. M. Hilferty, PNAS 17, 1931). Where it is significant, ``χ² / f`` is the
factor by which all variances are too small (P. McCullagh and J. A. Nelder, "Generalized Linear
Models", 1989, section 4.5). A variance below ``LEAST_VARIANCE`` is taken as that, in both sums of
(1): a single upset in a lopsided pair says nothing about a line.

A pair of players is unusual if it differs from what both score against all others. What the others
say is the fit without the pair's games: to first order its difference of ratings is smaller by
``r w G / (V (1 - h))``, and ``r / sqrt(V (1 - h))`` is how many standard deviations the pair lies
from it (R. D. Cook and S. Weisberg, "Residuals and Influence in Regression", 1982, section 2.2).
Its normal tail is too light for lopsided pairs. Therefore the chance is also at least the bound of
W. Hoeffding (JASA 58, 1963, theorem 1) for ``n`` games of the mean score ``s`` where ``p`` is
expected, ``exp(-n (s ln(s/p) + (1-s) ln((1-s)/(1-p))))``. It is multiplied by the number of pairs,
because the one that differs most is chosen among all (Bonferroni).
"""

from math import erfc, exp, log, sqrt
from statistics import NormalDist
from typing import Final, NamedTuple

import numpy as np

from ..model.misfit import Misfit, PairResidual
from .equations import FitProblem, Floats, points_of_low
from .expected_score import seat_scores

SURE: Final = 0.01
"""Chance below which players are said not to lie on one line, or a pair to be unusual."""
LEAST_VARIANCE: Final = 0.5
"""Least variance of a pair's points that counts: that of two games of level players."""
MOST_RESIDUALS: Final = 20
_LEAST_FREEDOM: Final = 0.05  # of a pair; with less, only its own games say what to expect
_LEAST_DEGREES: Final = 0.5
_DIGITS: Final = 4


class _Deviations(NamedTuple):
    """The pairs of players; shape (pairs,) each, from the side of ``low``.

    Attributes:
        surplus: ``r``.
        variance: ``V``, at least :data:`LEAST_VARIANCE`.
        free: ``V (1 - h)``.
    """

    games: Floats
    surplus: Floats
    variance: Floats
    free: Floats
    shift: Floats

    @property
    def is_told_by_others(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Whether other games say what to expect of a pair."""
        return self.free > _LEAST_FREEDOM * self.variance


def misfit(
    problem: FitProblem,
    names: tuple[str, ...],
    point: Floats,
    weights: tuple[Floats, Floats],
    covariance: Floats,
    *,
    widen: bool,
) -> Misfit | None:
    """Return how far a fit's results lie from it; None where there is nothing to compare."""
    found = _deviations(problem, point, *weights, covariance)
    degrees = float((found.free / found.variance).sum())
    if degrees < _LEAST_DEGREES:
        return None
    chi_square = float((found.surplus**2 / found.variance).sum())
    chance = chi_square_tail(chi_square, degrees)
    return Misfit(
        chi_square=round(chi_square, _DIGITS),
        degrees=round(degrees, _DIGITS),
        chance=round(chance, _DIGITS),
        on_one_line=chance >= SURE,
        widening=sqrt(chi_square / degrees) if widen and chance < SURE else 1.0,
        residuals=_residuals(problem, names, point, found),
    )


def chi_square_tail(value: float, degrees: float) -> float:
    """Return the chance that a chi-square is at least a value, as Wilson and Hilferty have it."""
    spread = 2 / (9 * degrees)
    return NormalDist().cdf(-((value / degrees) ** (1 / 3) - 1 + spread) / sqrt(spread))


def _deviations(
    problem: FitProblem, point: Floats, slopes: Floats, variances: Floats, covariance: Floats
) -> _Deviations:
    low, high = problem.low, problem.high
    spread = covariance.diagonal()
    gap_variance = spread[low] + spread[high] - 2 * covariance[low, high]
    known = np.maximum(variances, 1e-12)
    free = np.maximum(known - slopes**2 * gap_variance, 0.0)
    surplus = points_of_low(problem.outcomes).sum(0) - _expected(problem, point, 0.0)
    share = slopes * gap_variance / np.maximum(free, 1e-12)
    games = problem.outcomes.sum((0, 1)).astype(float)
    return _Deviations(games, surplus, np.maximum(known, LEAST_VARIANCE), free, surplus * share)


def _expected(problem: FitProblem, point: Floats, shift: Floats | float) -> Floats:
    """Return the expected points of ``low`` if its leads were smaller by a shift."""
    gap = point[problem.low] - point[problem.high] - shift
    scores = seat_scores(gap, point[-1])
    first, second = problem.outcomes.sum(1)
    return np.asarray(first * scores.first + second * scores.second, float)


def _residuals(
    problem: FitProblem, names: tuple[str, ...], point: Floats, found: _Deviations
) -> tuple[PairResidual, ...]:
    told = found.is_told_by_others
    apart = np.where(told, found.surplus, 0.0) / np.sqrt(np.maximum(found.free, LEAST_VARIANCE))
    order = np.argsort(-np.abs(apart), kind="stable")[: min(MOST_RESIDUALS, int(told.sum()))]
    expected = _expected(problem, point, np.where(told, found.shift, 0.0))
    points, compared = points_of_low(problem.outcomes).sum(0), int(told.sum())
    return tuple(
        _residual(
            (names[problem.low[at]], names[problem.high[at]]),
            int(found.games[at]),
            (float(points[at]), float(expected[at])),
            float(apart[at]),
            compared,
        )
        for at in order.tolist()
    )


def _residual(
    players: tuple[str, str],
    games: int,
    scored: tuple[float, float],
    deviations: float,
    compared: int,
) -> PairResidual:
    points, expected = scored
    if deviations < 0:
        players, points, expected = players[::-1], games - points, games - expected
    bound = 2 * exp(-games * divergence(points / games, expected / games))
    chance = min(1.0, compared * max(erfc(abs(deviations) / sqrt(2)), bound))
    return PairResidual(
        players=players,
        games=games,
        points=points,
        expected=round(expected, _DIGITS),
        deviations=round(abs(deviations), _DIGITS),
        chance=float(f"{chance:.3g}"),
        unusual=chance < SURE,
    )


def divergence(score: float, expected: float) -> float:
    """Return ``s ln(s/p) + (1-s) ln((1-s)/(1-p))``, the exponent a game of Hoeffding's bound."""
    chances = ((score, expected), (1 - score, 1 - expected))
    return sum(s * log(s / max(p, 1e-12)) for s, p in chances if s > 0)
