"""Elo of a match with its error, and the likelihood that one player is the stronger one.

Games come in pairs: the same opening twice with the seats swapped. An opening that decides both
games makes them go opposite ways, so games are not independent and pairs are; all here rests on
the five scores a pair may have (0, ½, 1, 1½, 2), the pentanomial of fishtest.

Notation: ``x`` is a pair's score divided by two, so that it lies in 0..1; ``s`` is its mean.

Source: M. Van den Bergh, "Comments on normalized Elo" (2020, the basis of fishtest's
``stat_util.py``).
"""

from cmath import exp as complex_exp
from cmath import log as complex_log
from collections.abc import Sequence
from math import exp, log, pi, sqrt
from typing import Final, NamedTuple

from ..model.pair_counts import PairCounts
from .scale import ELO_PER_NAT, PRIOR_ELO, Z95, rising_root

NELO_PER_SIGMA: Final = 800 / log(10)
"""Normalised Elo of a player whose mean score is one standard deviation of a game above ½."""

_SCORES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_LEADS: Final = (-1.0, -0.5, 0.0, 0.5, 1.0)
_JEFFREYS: Final = 0.5
_CERTAIN: Final = 9.0  # standard errors; what is beyond is less than what the integral resolves
_RANGE_OF_LOG_T: Final = (-18.0, 9.0)
_STEPS: Final = 301  # 8,001 differ by less than 1e-10
_FURTHER_PAIR: Final = 0.5  # variance of the points of two independent games of level players
_MOST_GAP: Final = 40.0


class Estimate(NamedTuple):
    """What a match says of two players' difference; errors are half-widths of 95 % intervals.

    Attributes:
        score: mean score a game, 0..1, as played.
        elo: logistic Elo.
        nelo: normalised Elo, which says how soon the difference shows: games needed to prove it
            are proportional to its inverse square.
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

    Elo is what the joint fit says of two players (``fit.py``): the difference ``d`` at which
    expected points equal points, but for the prior of both players, ``2N s - 2N p(d) = d / 2u²`` on
    the natural scale, ``u`` being the deviation of the prior. So a match and an event of the same
    games agree, also where all were won. With ``H`` the slope of that equation and ``K`` the
    variance of its left side, the standard error is ``√K / H``. As in ``noise.py`` the variance of
    a pair is that of the squared residuals, drawn a little to the one of independent games, so that
    pairs all alike leave some.

    With ``v`` the variance of ``x``, normalised Elo is ``(s-½)/√(2v) · 800 / ln 10``, where
    ``√(2v)`` is the deviation of one game in a pair; its error is that of a t-statistic with
    skewness ``g`` and kurtosis ``k``: ``Var t = (1 - g t + t²(k-1)/4) / N``. Until two different
    scores have occurred, one further pair is assumed for it, spread evenly over all five.
    """
    weights = _with_spread(counts)
    pairs = sum(weights)
    share = [weight / pairs for weight in weights]
    mean, deviation = mean_score(counts), spread_of_pairs(counts)
    t = (mean - 0.5) / deviation
    t_error = sqrt(_variance_of_t(share, mean, deviation, t) / pairs)
    elo, elo_error = _elo(counts)
    return Estimate(
        pairs=counts.pairs,
        score=counts.score,
        elo=elo,
        elo_error=elo_error,
        nelo=t / sqrt(2) * NELO_PER_SIGMA,
        nelo_error=Z95 * t_error / sqrt(2) * NELO_PER_SIGMA,
        los=superiority(counts),
    )


def _elo(counts: PairCounts) -> tuple[float, float]:
    """Return the difference of Elo, and half of its 95 % interval."""
    games, points = 2 * counts.pairs, 2 * _summed(counts.counts, _SCORES)
    precision = (ELO_PER_NAT / PRIOR_ELO) ** 2 / 2
    gap = rising_root(
        lambda d: games / (1 + exp(-d)) + precision * d - points, -_MOST_GAP, _MOST_GAP
    )
    expected = 1 / (1 + exp(-gap))
    slope = expected * (1 - expected)
    residuals = _summed(counts.counts, [(2 * score - 2 * expected) ** 2 for score in _SCORES])
    variance = variance_of_points(residuals, games * slope, counts.pairs) + precision
    return ELO_PER_NAT * gap, Z95 * ELO_PER_NAT * sqrt(variance) / (games * slope + precision)


def variance_of_points(residuals: float, independent: float, pairs: int) -> float:
    """Return the variance of the points of all pairs, by what was observed and one further pair."""
    drawn = independent / (independent + _FURTHER_PAIR) if pairs else 0.0
    return drawn * (residuals * pairs / max(pairs - 1, 1) + _FURTHER_PAIR)


def mean_score(counts: PairCounts) -> float:
    """Return the mean score of a game, 0..1, neither 0 nor 1: see :func:`spread_of_pairs`."""
    weights = _with_spread(counts)
    return _summed(weights, _SCORES) / sum(weights)


def spread_of_pairs(counts: PairCounts) -> float:
    """Return the standard deviation of a pair's score, divided by two.

    Until two different scores have occurred, one further pair is assumed, spread over all five.
    """
    weights = _with_spread(counts)
    mean = mean_score(counts)
    return sqrt(_summed(weights, [(score - mean) ** 2 for score in _SCORES]) / sum(weights))


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
    shapes = [count + _JEFFREYS for count in counts.counts]
    mean = _summed(shapes, _LEADS)
    deviation = sqrt(_summed(shapes, [lead**2 for lead in _LEADS]))
    if abs(mean) > _CERTAIN * deviation:
        return float(mean > 0)
    low, high = _RANGE_OF_LOG_T
    step = (high - low) / (_STEPS - 1)
    heights = [_height(shapes, exp(low + number * step) / deviation) for number in range(_STEPS)]
    integral = step * (sum(heights) - (heights[0] + heights[-1]) / 2)
    return min(max(0.5 + integral / pi, 0.0), 1.0)


def _height(shapes: Sequence[float], t: float) -> float:
    """Return ``Im φ(t)``."""
    parts = zip(shapes, _LEADS, strict=True)
    return complex_exp(-sum(shape * complex_log(1 - 1j * t * lead) for shape, lead in parts)).imag


def _summed(weights: Sequence[float], values: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, values, strict=True))


def _with_spread(counts: PairCounts) -> list[float]:
    spread = 0.2 if sum(map(bool, counts.counts)) <= 1 else 0.0
    return [count + spread for count in counts.counts]


def _variance_of_t(share: Sequence[float], mean: float, deviation: float, t: float) -> float:
    standard = [(score - mean) / deviation for score in _SCORES]
    skewness = _summed(share, [each**3 for each in standard])
    kurtosis = _summed(share, [each**4 for each in standard])
    # Since k >= g² + 1 this is at least (1 - g t / 2)²: below 0 only by rounding.
    return max(1 - skewness * t + (kurtosis - 1) * t * t / 4, 0.0)
