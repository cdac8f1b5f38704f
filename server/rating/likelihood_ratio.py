"""The log-likelihood ratio of two hypotheses on pairs of games, on Elo or on normalised Elo.

Each hypothesis is represented by the distribution of pair scores that obeys it and otherwise fits
the counts best (the generalised ratio). Compared with counting single games, the same error rates
need fewer games.

Sources: M. Van den Bergh, "A practical introduction to the GSPRT", "The generalized maximum
likelihood ratio for the expectation value of a distribution" and "Comments on normalized Elo"
(2018 to 2020, the basis of fishtest's ``LLRcalc.py``).
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_SCORES: Final = np.arange(5) / 4
_EMPTY_CELL: Final = 1e-3
_BISECTIONS: Final = 30
_LINEARISATIONS: Final = 8


def log_likelihood_ratio(counts: Floats | Sequence[int], score0: float, score1: float) -> Floats:
    """Return the log of the ratio of two hypotheses on the mean score, 0 without any pair.

    It is positive where H1 fits better. Scores never seen count as a thousandth of a pair, as in
    fishtest, so that a distribution with the mean of each hypothesis exists.

    Args:
        counts: shape (..., 5), pairs with 0, ½, 1, 1½ and 2 points.
        score0: mean score under H0, between 0 and 1.
        score1: mean score under H1, between 0 and 1.
    """
    observed = np.asarray(counts, float)
    share = _shares(observed)
    gain = np.log(_tilt(share, _SCORES - score0)) - np.log(_tilt(share, _SCORES - score1))
    return np.asarray((observed * gain).sum(-1), float)


def normalized_log_likelihood_ratio(counts: Floats | Sequence[int], t0: float, t1: float) -> Floats:
    """Return the same for hypotheses on a pair's mean score above ½, in its standard deviations."""
    observed = np.asarray(counts, float)
    share = _shares(observed)
    gain = np.log(_distribution(share, t1)) - np.log(_distribution(share, t0))
    return np.asarray((observed * gain).sum(-1), float)


def _shares(observed: Floats) -> Floats:
    weights = np.where(observed > 0, observed, _EMPTY_CELL)
    return np.asarray(weights / weights.sum(-1, keepdims=True), float)


def _tilt(share: Floats, lead: Floats) -> Floats:
    """Divide ``share`` by this and the mean of ``lead`` is 0, at the greatest likelihood.

    It is ``1 + θ lead``, where ``θ`` solves ``Σ share lead / tilt = 0`` (Van den Bergh, Proposition
    1.1), with leads of both signs. The left side falls in ``θ``, so bisection finds it. The
    log-likelihood is flat at the root, so an error of 1e-9 in ``θ`` costs it 1e-18 a pair.
    """
    low = np.broadcast_to(-1 / lead.max(-1, keepdims=True), (*share.shape[:-1], 1))
    high = np.broadcast_to(-1 / lead.min(-1, keepdims=True), low.shape)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        rising = (share * lead / (1 + middle * lead)).sum(-1, keepdims=True) > 0
        low, high = np.where(rising, middle, low), np.where(rising, high, middle)
    return np.asarray(1 + (low + high) / 2 * lead, float)


def _distribution(share: Floats, t: float) -> Floats:
    """Return the likeliest distribution whose mean is ``t`` deviations above ½.

    The condition is not linear in the distribution. With the mean ``m`` and the deviation ``d`` of
    the last one found, its linear part says that ``x - ½ - t d (1 + ((x - m) / d)²) / 2`` has the
    mean 0 ("Comments on normalized Elo", section 4). Values that have no two signs end the search.
    """
    found = np.full_like(share, 1 / _SCORES.size)
    for _ in range(_LINEARISATIONS):
        mean = (found * _SCORES).sum(-1, keepdims=True)
        deviation = np.sqrt((found * (_SCORES - mean) ** 2).sum(-1, keepdims=True))
        lead = _SCORES - 0.5 - t * deviation * (1 + ((_SCORES - mean) / deviation) ** 2) / 2
        fits = (lead.min(-1, keepdims=True) < 0) & (lead.max(-1, keepdims=True) > 0)
        found = np.where(fits, share / _tilt(share, np.where(fits, lead, _SCORES - 0.5)), found)
    return found
