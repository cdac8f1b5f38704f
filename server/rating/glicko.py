"""The live rating of a ladder: Glicko-2, one game at a time.

The joint fit of ``ratings.py`` is the better estimate and looks at every game again; this one
costs a few microseconds a game and moves while people watch. Names and step numbers are those of
M. E. Glickman, "Example of the Glicko-2 system" (2012). Two things differ:

* a rating period is one game, so volatility starts at 0.02 instead of 0.06: a period holds a
  tenth of the games it was meant for, and a version of a bot does not change its strength;
* the player that moves first is credited the advantage that the joint fit found.
"""

from collections.abc import Callable, Sequence
from math import exp, log, pi, sqrt
from typing import Final, NamedTuple

from ..model.entrant import MOST_DEVIATION, LiveRating

SCALE: Final = 400 / log(10)
"""Elo in one unit of Glicko-2's own scale (173.7178 in the paper)."""
TAU: Final = 0.5
"""How fast volatility may change; the paper's example."""

_SETTLED: Final = 1e-6


class Met(NamedTuple):
    """A game of the period, as the player who is being rated saw it.

    Attributes:
        score: 1, ½ or 0.
        edge: Elo that the seat was worth to the player; negative when moving second.
    """

    opponent: LiveRating
    score: float
    edge: float = 0.0


def after_game(
    first: LiveRating, second: LiveRating, score: float, *, advantage: float = 0.0
) -> tuple[LiveRating, LiveRating]:
    """Return both ratings after one game, of which ``first`` moved first and got ``score``."""
    return (
        after_period(first, [Met(second, score, advantage)]),
        after_period(second, [Met(first, 1 - score, -advantage)]),
    )


def after_period(player: LiveRating, games: Sequence[Met]) -> LiveRating:
    """Return the rating after the games of one period (steps 2 to 8)."""
    deviation = player.deviation / SCALE
    theirs = (met.opponent.deviation / SCALE for met in games)
    weights = [1 / sqrt(1 + 3 * each**2 / pi**2) for each in theirs]
    expected = [_expected(player, met, g) for met, g in zip(games, weights, strict=True)]
    variance = 1 / sum(g * g * e * (1 - e) for g, e in zip(weights, expected, strict=True))
    surplus = sum(g * (met.score - e) for g, met, e in zip(weights, games, expected, strict=True))
    volatility = _volatility(deviation, player.volatility, variance, variance * surplus)
    deviation = 1 / sqrt(1 / (deviation**2 + volatility**2) + 1 / variance)
    return LiveRating(
        elo=player.elo + SCALE * deviation**2 * surplus,
        deviation=min(SCALE * deviation, MOST_DEVIATION),
        volatility=volatility,
    )


def _expected(player: LiveRating, met: Met, weight: float) -> float:
    gap = (player.elo + met.edge - met.opponent.elo) / SCALE
    # Never certain, or the variance of a hopeless game would be infinite.
    return min(max(1 / (1 + exp(-weight * max(gap, -50))), 1e-6), 1 - 1e-6)


def _volatility(deviation: float, old: float, variance: float, change: float) -> float:
    """Return the new volatility, by the Illinois algorithm (step 5)."""
    a = log(old * old)

    def f(x: float) -> float:
        spread = deviation**2 + variance + exp(x)
        return exp(x) * (change**2 - spread) / (2 * spread**2) - (x - a) / TAU**2

    low, high = a, _far_side(f, a, change**2 - deviation**2 - variance)
    f_low, f_high = f(low), f(high)
    while abs(high - low) > _SETTLED:
        x = low + (low - high) * f_low / (f_high - f_low)
        f_x = f(x)
        if f_x * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = x, f_x
    return exp(low / 2)


def _far_side(f: Callable[[float], float], start: float, surprise: float) -> float:
    """Return a point on the other side of the root from ``start``."""
    if surprise > 0:
        return log(surprise)
    steps = 1
    while f(start - steps * TAU) < 0:
        steps += 1
    return start - steps * TAU
