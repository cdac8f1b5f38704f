"""A player's place on the scale of the levels, from its games with them.

Each level has a fixed Elo (`engine.skill.LEVEL_ELO`), so the place is one unknown: the Elo at which
the points scored are most likely, by the logistic formula, with a weak prior that keeps it finite
when all games are won or lost. Two games of one opening count as a pair: the error comes from the
spread of pairs about their expectation (a sandwich estimator: Huber, "The behavior of maximum
likelihood estimates under nonstandard conditions", 1967), so it holds for unequal openings too.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt
from typing import Final, NamedTuple

from engine.skill import LEVEL_ELO

SCALE: Final = log(10) / 400
PRIOR_ELO: Final = 1000.0
"""Standard deviation of the prior, about the middle of the scale."""
STEPS: Final = 50
LONGEST_STEP: Final = 200.0
CLOSE_ELO: Final = 0.01
NEAREST: Final = 3
"""Levels that a player meets in a round: a peculiarity of one of them then counts less."""
FIRST_LEVELS: Final = (2, 4, 6, 8, 10)
SURE: Final = 1.96


class Pair(NamedTuple):
    """Two games with a level, from one opening with the seats swapped.

    Attributes:
        level: the opponent.
        points: what the player scored, 0..2.
    """

    level: int
    points: float


class Place(NamedTuple):
    """A place on the scale.

    Attributes:
        elo: the estimate.
        elo_error: half of its 95 % interval.
    """

    elo: float
    elo_error: float


def place_of(pairs: Sequence[Pair]) -> Place:
    """Return a player's place by its games so far; the middle of the scale without any."""
    middle = sum(LEVEL_ELO) / len(LEVEL_ELO)
    elo = middle
    for _ in range(STEPS):
        slope = SCALE * sum(pair.points - 2 * _score(elo, pair.level) for pair in pairs)
        slope -= (elo - middle) / PRIOR_ELO**2
        step = max(-LONGEST_STEP, min(LONGEST_STEP, slope / _information(elo, pairs)))
        elo += step
        if abs(step) < CLOSE_ELO:
            break
    spread = sum((SCALE * (pair.points - 2 * _score(elo, pair.level))) ** 2 for pair in pairs)
    if len(pairs) > 1:
        spread *= len(pairs) / (len(pairs) - 1)
    error = sqrt(spread + PRIOR_ELO**-2) / _information(elo, pairs)
    return Place(elo, SURE * error)


def opponents(pairs: Sequence[Pair], count: int) -> list[int]:
    """Return the levels to meet next: those nearest to what is known, in turn."""
    if not pairs:
        return list((FIRST_LEVELS * count)[:count])
    elo = place_of(pairs).elo
    levels = sorted(range(1, len(LEVEL_ELO) + 1), key=lambda level: abs(_elo(level) - elo))
    return [levels[number % NEAREST] for number in range(count)]


def _information(elo: float, pairs: Sequence[Pair]) -> float:
    scores = [_score(elo, pair.level) for pair in pairs]
    return SCALE**2 * sum(2 * score * (1 - score) for score in scores) + PRIOR_ELO**-2


def _score(elo: float, level: int) -> float:
    """Return the score that is expected from a game with a level."""
    return float(1 / (1 + 10 ** ((_elo(level) - elo) / 400)))


def _elo(level: int) -> float:
    return LEVEL_ELO[level - 1]
