"""The estimate of a match that a sequential test has ended, corrected for the stop.

A test ends when chance has carried the score far enough, so the score at the end exaggerates: a
player 40 Elo stronger is seen 50 and more ahead. The correction asks instead for which strength the
outcome would have been a surprise neither way.

Between its bounds the log-likelihood ratio is close to a Brownian motion. In units of its
deviation a pair, with ``d`` the deviation of a pair's score ``x`` and the hypotheses ``s₀`` and
``s₁``, its drift is ``m = (s - (s₀ + s₁)/2) / d``. Its bound is where the observed score left it:
``N m`` after ``N`` pairs, which includes what the last pair went too far. The other bound's
distance is in the proportion of Wald's. Outcomes are ordered as Siegmund does (D. Siegmund,
Biometrika 65, 1978; "Sequential Analysis", 1985, chapter III): accepting H1 early is the strongest,
accepting H1 late comes next, then accepting H0 late, then early. Let ``P(m)`` be the chance of the
observed outcome or a stronger one. The estimate is the strength at which it is ½, which is unbiased
in the median; the interval ends where it is 0.025 and 0.975, and the likelihood of superiority is
``1 - P`` of equal players. fishtest computes its figures of sequential tests in this order too.

The chance to hit the bound at distance ``d`` before the other one, ``L`` away from it, within the
time ``T`` is found by the method of images (W. Feller, "An Introduction to Probability Theory",
volume 2, X.5): a sum over the mirror images ``d + 2kL`` of the bound.
"""

from math import erfc, exp, pi, sqrt
from typing import Final, NamedTuple

from ..model.pair_counts import PairCounts
from .estimate import NELO_PER_SIGMA, Estimate, estimate, mean_score, spread_of_pairs
from .scale import elo_of_score, rising_root
from .sprt import Sprt, Verdict

_LEAST_SCORE: Final = 1e-4
_FAR: Final = 20.0


class _Course(NamedTuple):
    """A test as a Brownian motion of unit variance a pair, which starts at 0.

    ``near`` is the distance to the bound that was reached, by the verdict, after ``pairs``.
    """

    near: float
    far: float
    pairs: int
    verdict: Verdict

    def reached(self, drift: float) -> float:
        """Return the chance of this outcome or a stronger one."""
        if self.verdict == "H1":
            return hit_chance(self.near, self.far, drift, self.pairs)
        return 1 - hit_chance(self.near, self.far, -drift, self.pairs)


def stopped_estimate(counts: PairCounts, sprt: Sprt) -> Estimate | None:
    """Return the estimate of a match that the test has ended, or None while it goes on."""
    verdict = sprt.judge(counts).verdict
    if verdict is None:
        return None
    played, deviation = estimate(counts), spread_of_pairs(counts)
    score0, score1 = sprt.scores(deviation)
    middle = (score0 + score1) / 2
    near = abs(mean_score(counts) - middle) / deviation * counts.pairs
    bounds = (sprt.upper, -sprt.lower) if verdict == "H1" else (-sprt.lower, sprt.upper)
    course = _Course(near, near * bounds[1] / bounds[0], counts.pairs, verdict)
    low, median, high = (
        min(max(middle + _drift(course, chance) * deviation, _LEAST_SCORE), 1 - _LEAST_SCORE)
        for chance in (0.025, 0.5, 0.975)
    )
    per_deviation = NELO_PER_SIGMA / sqrt(2) / deviation
    return played._replace(
        elo=elo_of_score(median),
        elo_error=(elo_of_score(high) - elo_of_score(low)) / 2,
        nelo=(median - 0.5) * per_deviation,
        nelo_error=max((high - low) / 2 * per_deviation, played.nelo_error),
        los=1 - course.reached((0.5 - middle) / deviation),
    )


def _drift(course: _Course, chance: float) -> float:
    """Return the drift at which the outcome, or a stronger one, has a chance."""
    reach = _FAR / sqrt(course.pairs) + (course.near + course.far) / course.pairs
    return rising_root(lambda drift: course.reached(drift) - chance, -reach, reach)


def hit_chance(near: float, far: float, drift: float, time: float) -> float:
    """Return the chance that a Brownian motion hits one bound in a time, the other one unhit."""
    width = near + far
    images = int(5 + 6 * sqrt(time) / width)
    distances = (near + 2 * image * width for image in range(-images, images + 1))
    chance = sum(_image(distance, near, drift, time) for distance in distances)
    return min(max(chance, 0.0), 1.0)


def _image(distance: float, near: float, drift: float, time: float) -> float:
    """Return one image's part, the distribution of a first passage (inverse Gaussian)."""
    size, root = abs(distance), sqrt(2 * time)
    sides = ((-1, size - abs(drift) * time), (1, size + abs(drift) * time))
    parts = (_tail(drift * near + sign * abs(drift) * size, rest / root) for sign, rest in sides)
    return sum(parts) * (1 if distance > 0 else -1)


def _tail(exponent: float, z: float) -> float:
    """Return ``exp(exponent) erfc(z) / 2`` where the factors alone may overflow."""
    if z < _FAR:
        return exp(min(exponent, 700.0)) * erfc(z) / 2
    return exp(exponent - z * z) / (2 * z * sqrt(pi))
