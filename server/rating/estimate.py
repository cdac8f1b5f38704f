"""Elo of a match with its error, and the likelihood that one player is the stronger one.

Games come in pairs: the same opening twice with the seats swapped. An opening that decides both
games makes them go opposite ways, so games are not independent and pairs are; all here rests on
the five scores a pair may have (0, ½, 1, 1½, 2), the pentanomial of fishtest.

Notation: ``x`` is a pair's score divided by two, so that it lies in 0..1; ``s`` is its mean.

Source: M. Van den Bergh, "Comments on normalized Elo" (2020, the basis of fishtest's
``stat_util.py``).
"""

from __future__ import annotations

from math import log, pi, sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from server.model.pair_counts import PairCounts
from server.rating.scale import ELO_PER_NAT, Z95, elo_of_score

Floats = NDArray[np.float64]

NELO_PER_SIGMA: Final = 800 / log(10)
"""Normalised Elo of a player whose mean score is one standard deviation of a game above ½."""

_SCORES: Final = np.arange(5) / 4
_LEADS: Final = 2 * _SCORES - 1
_JEFFREYS: Final = 0.5
_CERTAIN: Final = 9.0  # standard errors; what is beyond is less than what the integral resolves
_RANGE_OF_LOG_T: Final = (-18.0, 9.0)
_STEPS: Final = 2001


class Estimate(NamedTuple):
    """What a match says of two players' difference; errors are half-widths of 95 % intervals.

    Attributes:
        pairs: pairs played.
        score: mean score a game, 0..1, as played.
        elo: logistic Elo.
        elo_error: its error.
        nelo: normalised Elo, which says how soon the difference shows: games needed to prove it
            are proportional to its inverse square.
        nelo_error: its error.
        los: likelihood of superiority, 0..1, with a prior; see :func:`superiority`.
    """

    pairs: int
    score: float
    elo: float
    elo_error: float
    nelo: float
    nelo_error: float
    los: float


def estimate(counts: PairCounts) -> Estimate:
    """Estimate the difference of strength, and how sure that is, from the variance of pairs.

    With ``v`` the variance of ``x`` and ``N`` pairs, the mean has the standard error ``√(v/N)``.
    Elo's error is that times the slope ``dElo/ds = 400 / ln 10 / (s(1-s))``. Normalised Elo is
    ``(s-½)/√(2v) · 800 / ln 10``, where ``√(2v)`` is the deviation of one game in a pair; its error
    is that of a t-statistic with skewness ``g`` and kurtosis ``k``:
    ``Var t = (1 - g t + t²(k-1)/4) / N``.

    Pairs that are all alike have no variance and would claim to prove anything. Until two
    different scores have occurred, one further pair is assumed, spread evenly over all five.
    """
    weights = _with_spread(counts)
    pairs = float(weights.sum())
    share = weights / pairs
    mean, deviation = float(share @ _SCORES), spread_of_pairs(counts)
    error = deviation / sqrt(pairs)
    t = (mean - 0.5) / deviation
    t_error = sqrt(_variance_of_t(share, mean, deviation, t) / pairs)
    return Estimate(
        pairs=counts.pairs,
        score=counts.score,
        elo=elo_of_score(mean),
        elo_error=Z95 * error * ELO_PER_NAT / (mean * (1 - mean)),
        nelo=t / sqrt(2) * NELO_PER_SIGMA,
        nelo_error=Z95 * t_error / sqrt(2) * NELO_PER_SIGMA,
        los=superiority(counts),
    )


def spread_of_pairs(counts: PairCounts) -> float:
    """Return the standard deviation of a pair's score, divided by two."""
    weights = _with_spread(counts)
    share = weights / weights.sum()
    return sqrt(float(share @ (_SCORES - share @ _SCORES) ** 2))


def superiority(counts: PairCounts) -> float:
    """Return the likelihood, 0..1, that the expected score is more than ½.

    The normal approximation claims too much for few pairs: after 6 won pairs of 6 it is sure to
    one in ten million. Here the shares of the five pair scores have Jeffreys' prior, half a pair
    for each score (H. Jeffreys, "Theory of Probability", 1961), so their posterior is Dirichlet's,
    and six of six mean 0.996. The mean score exceeds ½ where ``Q = Σ cₖ Γₖ > 0``, with independent
    gamma variables ``Γₖ`` of shape ``countₖ + ½`` and ``cₖ`` from -1 to 1. Its characteristic
    function ``φ(t) = Π (1 - i cₖ t)^-shapeₖ`` gives ``P(Q > 0) = ½ + 1/π ∫ Im φ(t) / t dt``
    (J. Gil-Pelaez, Biometrika 38, 1951).
    """
    shapes = np.array(counts.counts) + _JEFFREYS
    mean, deviation = float(shapes @ _LEADS), sqrt(float(shapes @ _LEADS**2))
    if abs(mean) > _CERTAIN * deviation:
        return float(mean > 0)
    steps = np.linspace(*_RANGE_OF_LOG_T, _STEPS)
    log_phi = -(shapes * np.log1p(-1j * np.multiply.outer(np.exp(steps) / deviation, _LEADS)))
    integral = np.trapezoid(np.exp(log_phi.sum(-1)).imag, steps)
    return float(min(max(0.5 + integral / pi, 0.0), 1.0))


def _with_spread(counts: PairCounts) -> Floats:
    weights = np.array(counts.counts, float)
    return weights if np.count_nonzero(weights) > 1 else weights + 0.2


def _variance_of_t(share: Floats, mean: float, deviation: float, t: float) -> float:
    standard = (_SCORES - mean) / deviation
    skewness, kurtosis = float(share @ standard**3), float(share @ standard**4)
    # Since k >= g² + 1 this is at least (1 - g t / 2)²: below 0 only by rounding.
    return max(1 - skewness * t + (kurtosis - 1) * t * t / 4, 0.0)
