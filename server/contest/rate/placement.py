"""A player's place on the scale of the levels, from its games with them.

Each level has a fixed Elo (`mancala.protocol.levels.LEVEL_ELO`), so the place is one unknown: the
Elo that solves the equation of the joint fit with the levels as anchors. Expected points equal
points, but for the one prior of all ratings (`mancala.server.rating.scale.PRIOR_ELO`), about the
middle of the levels, which keeps the place finite when all games are won or lost. Two games of one
opening count as a pair: the error comes from the spread of pairs about their expectation (a
sandwich estimator: Huber, "The behavior of maximum likelihood estimates under nonstandard
conditions", 1967), so it holds for unequal openings too.
"""

from collections import Counter
from collections.abc import Sequence
from math import sqrt
from typing import Final, NamedTuple

from mancala.protocol.levels import LEVEL_ELO

from ...rating.estimate import variance_of_points
from ...rating.scale import ELO_PER_NAT, PRIOR_ELO, Z95, rising_root, score_of_elo

SCALE: Final = 1 / ELO_PER_NAT
FARTHEST: Final = 10_000.0
"""Elo from the middle of the levels in which a place is looked for."""
NEAREST: Final = 3
"""Levels that a player meets in a round: a peculiarity of one of them then counts less."""
LEAST_INFORMATION: Final = 0.5
"""What a game with a level is to tell at least, as a share of what the best choice tells."""
FIRST_LEVELS: Final = (2, 4, 6, 8, 10)
FIRST_PAIRS: Final = 5
ROUND_PAIRS: Final = 10
ROUND_SHARE: Final = 4
"""A round is at least this part of the pairs known, since later rounds change the choice little."""
FEWEST_PAIRS: Final = 100
"""Pairs before an error may end a gauntlet; that of fewer pairs is small by chance too often."""


class LevelPair(NamedTuple):
    """Two games with a level, from one opening with the seats swapped; the points are 0 to 2."""

    level: int
    points: float


class Placement(NamedTuple):
    """A place on the scale, with half of its 95 % interval."""

    elo: float
    elo_error: float


def place_of(pairs: Sequence[LevelPair]) -> Placement:
    """Return a player's place by its games so far; the middle of the scale without any."""
    middle = sum(LEVEL_ELO) / len(LEVEL_ELO)
    counts = Counter(pairs)

    def surplus(elo: float) -> float:
        missing = sum(count * _residual(elo, pair) for pair, count in counts.items())
        return (elo - middle) / PRIOR_ELO**2 - SCALE * missing

    elo = rising_root(surplus, middle - FARTHEST, middle + FARTHEST)
    residuals = sum(count * _residual(elo, pair) ** 2 for pair, count in counts.items())
    independent = sum(2 * count * _variance(elo, pair.level) for pair, count in counts.items())
    spread = variance_of_points(residuals, independent, len(pairs))
    information = SCALE**2 * independent + PRIOR_ELO**-2
    error = sqrt(SCALE**2 * spread + PRIOR_ELO**-2) / information
    return Placement(elo, Z95 * error)


def next_round(pairs: Sequence[LevelPair]) -> list[int]:
    size = max(ROUND_PAIRS, len(pairs) // ROUND_SHARE) if pairs else FIRST_PAIRS
    levels = best_opponents(place_of(pairs).elo) if pairs else FIRST_LEVELS
    return [levels[number % len(levels)] for number in range(size)]


def best_opponents(elo: float) -> tuple[int, ...]:
    """Return the levels that tell most about a player of an Elo, at most `NEAREST` of them."""
    levels = range(1, len(LEVEL_ELO) + 1)
    ranked = sorted(levels, key=lambda level: _variance(elo, level), reverse=True)
    least = LEAST_INFORMATION * _variance(elo, ranked[0])
    return tuple(level for level in ranked[:NEAREST] if _variance(elo, level) >= least)


def is_placed(pairs: Sequence[LevelPair], error: float) -> bool:
    """Return whether enough is known: the 95 % interval is at most ± `error`."""
    return len(pairs) >= FEWEST_PAIRS and place_of(pairs).elo_error <= error


def _residual(elo: float, pair: LevelPair) -> float:
    return pair.points - 2 * _score(elo, pair.level)


def _variance(elo: float, level: int) -> float:
    """Return the variance of a game's points, had it no draws; its information is in proportion."""
    score = _score(elo, level)
    return score * (1 - score)


def _score(elo: float, level: int) -> float:
    return score_of_elo(elo - LEVEL_ELO[level - 1])
