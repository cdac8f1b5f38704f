"""Elo of a match with its error, and the sequential test that says when it may stop.

Games come in pairs: the same opening twice with the seats swapped. An opening that decides both
games makes them go opposite ways, so games are not independent and pairs are; all here rests on
the five scores a pair may have (0, ½, 1, 1½, 2), the pentanomial of fishtest. Compared with
counting single games, the same error rates need fewer games.

Notation: ``x`` is a pair's score divided by two, so that it lies in 0..1; ``s`` is its mean.

Sources: M. Van den Bergh, "A practical introduction to the GSPRT", "The generalized maximum
likelihood ratio for the expectation value of a distribution" and "Comments on normalized Elo"
(2018 to 2020, the basis of fishtest's ``stat_util.py`` and ``LLRcalc.py``); A. Wald, "Sequential
Tests of Statistical Hypotheses", 1945.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log, log10, sqrt
from statistics import NormalDist
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Verdict = Literal["H0", "H1"]

ELO_PER_NAT: Final = 400 / log(10)
"""Elo in one unit of the logistic scale."""
NELO_PER_SIGMA: Final = 800 / log(10)
"""Normalised Elo of a player whose mean score is one standard deviation of a game above ½."""
MOST_ELO: Final = 2000.0
Z95: Final = NormalDist().inv_cdf(0.975)

_SCORES: Final = np.arange(5) / 4
_EMPTY_CELL: Final = 1e-3
_BISECTIONS: Final = 30


def score_of_elo(elo: float) -> float:
    """Return the expected score, 0..1, of a player ``elo`` above its opponent."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def elo_of_score(score: float) -> float:
    """Return the difference of Elo at which a score strictly between 0 and 1 is expected."""
    return 400 * log10(score / (1 - score))


@dataclass(frozen=True, slots=True)
class PairCounts:
    """How many side-swapped pairs ended with each score, seen from one player.

    Attributes:
        counts: pairs with 0, ½, 1, 1½ and 2 points.

    Raises:
        ValueError: when a count is negative.
    """

    counts: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    def __post_init__(self) -> None:
        if min(self.counts) < 0:
            raise ValueError(f"a count is negative: {self.counts}")

    @classmethod
    def of(cls, pairs: Iterable[tuple[float, float]]) -> PairCounts:
        """Return the counts of pairs of games given as the points (0, ½ or 1) of both.

        Raises:
            ValueError: when the points of a game are something else.
        """
        counts = [0, 0, 0, 0, 0]
        for pair in pairs:
            if not set(pair) <= {0, 0.5, 1}:
                raise ValueError(f"a game brings 0, 0.5 or 1 points, not {pair}")
            counts[int(2 * sum(pair))] += 1
        return cls((counts[0], counts[1], counts[2], counts[3], counts[4]))

    def __add__(self, other: PairCounts) -> PairCounts:
        """Return the sum of two matches."""
        a, b = self.counts, other.counts
        return PairCounts((a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4]))

    @property
    def pairs(self) -> int:
        """The number of pairs played."""
        return sum(self.counts)

    @property
    def score(self) -> float:
        """The mean score a game, 0..1; ½ before the first pair."""
        points = sum(half * count for half, count in enumerate(self.counts))
        return points / (4 * self.pairs) if self.pairs else 0.5


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
        los: likelihood of superiority, 0..1.
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
    Elo's error is that times the slope ``dElo/ds = 400 / ln 10 / (s(1-s))``; the likelihood of
    superiority is ``Φ((s-½) / √(v/N))``. Normalised Elo is ``(s-½)/√(2v) · 800 / ln 10``, where
    ``√(2v)`` is the deviation of one game in a pair; its error is that of a t-statistic with
    skewness ``g`` and kurtosis ``k``: ``Var t = (1 - g t + t²(k-1)/4) / N``.

    Pairs that are all alike have no variance and would claim to prove anything. Until two
    different scores have occurred, one further pair is assumed, spread evenly over all five.
    """
    weights = _with_spread(counts)
    pairs = float(weights.sum())
    share = weights / pairs
    mean = float(share @ _SCORES)
    deviation = sqrt(float(share @ (_SCORES - mean) ** 2))
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
        los=NormalDist().cdf((mean - 0.5) / error),
    )


def _with_spread(counts: PairCounts) -> Floats:
    weights = np.array(counts.counts, float)
    return weights if np.count_nonzero(weights) > 1 else weights + 0.2


def _variance_of_t(share: Floats, mean: float, deviation: float, t: float) -> float:
    standard = (_SCORES - mean) / deviation
    skewness, kurtosis = float(share @ standard**3), float(share @ standard**4)
    # Since k >= g² + 1 this is at least (1 - g t / 2)²: below 0 only by rounding.
    return max(1 - skewness * t + (kurtosis - 1) * t * t / 4, 0.0)


def log_likelihood_ratio(counts: Floats | Sequence[int], score0: float, score1: float) -> Floats:
    """Compare two hypotheses on the mean score, whatever the distribution of pairs.

    The generalised ratio: each hypothesis is represented by the distribution of pair scores that
    has its mean and otherwise fits the counts best. Scores never seen count as a thousandth of a
    pair, as in fishtest, so that such a distribution exists.

    Args:
        counts: shape (..., 5), pairs with 0, ½, 1, 1½ and 2 points.
        score0: mean score under H0, between 0 and 1.
        score1: mean score under H1, between 0 and 1.

    Returns:
        Shape (...): log of the ratio, positive where H1 fits better; 0 without any pair.
    """
    observed = np.asarray(counts, float)
    weights = np.where(observed > 0, observed, _EMPTY_CELL)
    share = weights / weights.sum(-1, keepdims=True)
    gain = np.log(_tilt(share, score0)) - np.log(_tilt(share, score1))
    return np.asarray((observed * gain).sum(-1), float)


def _tilt(share: Floats, score: float) -> Floats:
    """Divide ``share`` by this and its mean is ``score``, at the greatest likelihood.

    It is ``1 + θ(x - score)``, where ``θ`` solves ``Σ share (x - score) / tilt = 0`` (Van den
    Bergh, Proposition 1.1). The left side falls in ``θ``, so bisection finds it.
    The log-likelihood is flat at the root, so an error of 1e-9 in ``θ`` costs it 1e-18 a pair.
    """
    x = _SCORES - score
    low = np.full((*share.shape[:-1], 1), -1 / (1 - score))
    high = np.full_like(low, 1 / score)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        rising = (share * x / (1 + middle * x)).sum(-1, keepdims=True) > 0
        low, high = np.where(rising, middle, low), np.where(rising, high, middle)
    return 1 + (low + high) / 2 * x


class Judgement(NamedTuple):
    """The state of a sequential test; no verdict means that it must go on."""

    llr: float
    verdict: Verdict | None


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential probability ratio test of H0 (``elo0``) against H1 (``elo1``).

    Attributes:
        elo0: logistic difference of Elo under H0.
        elo1: logistic difference of Elo under H1, greater than ``elo0``.
        alpha: chance to accept H1 though H0 holds.
        beta: chance to accept H0 though H1 holds.

    Raises:
        ValueError: when the bounds or error rates make no test.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 must be less than elo1, not {self.elo0} and {self.elo1}")
        if max(abs(self.elo0), abs(self.elo1)) > MOST_ELO:
            raise ValueError(f"bounds beyond {MOST_ELO:.0f} Elo can't be told apart")
        if not (self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1):
            raise ValueError(f"no error rates: alpha {self.alpha}, beta {self.beta}")

    @property
    def lower(self) -> float:
        """Log-likelihood ratio at which H0 is accepted: Wald's ``ln(beta / (1 - alpha))``."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """Log-likelihood ratio at which H1 is accepted: Wald's ``ln((1 - beta) / alpha)``."""
        return log((1 - self.beta) / self.alpha)

    def judge(self, counts: PairCounts) -> Judgement:
        """Weigh the pairs so far."""
        scores = score_of_elo(self.elo0), score_of_elo(self.elo1)
        llr = float(log_likelihood_ratio(counts.counts, *scores))
        if llr >= self.upper:
            return Judgement(llr, "H1")
        return Judgement(llr, "H0" if llr <= self.lower else None)
