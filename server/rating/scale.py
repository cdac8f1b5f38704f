"""What a difference of ratings means: logistic Elo at the expected score.

A difference of ``e`` Elo means an expected score of ``1 / (1 + 10^(-e/400))`` a game, draws counted
as half a win and seats taken in turn: a score of 0.75 is worth 191 Elo for any rate of draws
(A. Elo, "The Rating of Chessplayers", 1978, in its logistic form). Matches, events, ladders,
levels, anchors and what is published use it.
"""

from collections.abc import Callable
from math import inf, log, log10
from statistics import NormalDist
from typing import Final

ELO_PER_NAT: Final = 400 / log(10)
"""Elo in one unit of the natural scale, on which the expected score is ``1 / (1 + exp(-d))``."""
PRIOR_ELO: Final = 800.0
"""Standard deviation of what is assumed of every player before any game: the one prior, of the
joint fit, of matches and of `mancala rate`. It hardly moves a rating that rests on twenty games,
and puts a player with 20 wins of 20 some 900 above the one it beat."""
Z95: Final = NormalDist().inv_cdf(0.975)
_MOST_CALLS: Final = 60
_PRECISION: Final = 1e-12


def rising_root(rising: Callable[[float], float], low: float, high: float) -> float:
    """Return where a rising function is 0, or the end of the range that is nearer to it.

    False position with the Illinois rule, which needs a tenth of the calls of bisection.
    """
    below, above = rising(low), rising(high)
    if below >= 0 or above <= 0:
        return low if below >= 0 else high
    middle, last = (low + high) / 2, inf
    for _ in range(_MOST_CALLS):
        value = rising(middle)
        if value == 0 or abs(middle - last) <= _PRECISION:
            break
        if value < 0:
            low, below, above = middle, value, above / (2 if last == low else 1)
        else:
            high, above, below = middle, value, below / (2 if last == high else 1)
        last, middle = middle, (low * above - high * below) / (above - below)
    return middle


def score_of_elo(elo: float) -> float:
    """Return the expected score, 0..1, of a player ``elo`` above its opponent."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def elo_of_score(score: float) -> float:
    """Return the difference of Elo at which a score strictly between 0 and 1 is expected."""
    return 400 * log10(score / (1 - score))
