"""Simulated games of players of known strength, from openings that favour a seat, with draws.

The strength of a player is what ratings measure: of a difference ``d`` in Elo the expected score of
a side-swapped pair is ``1 / (1 + 10^(-d/400))`` a game, whatever its opening and the draws.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mancala.server.model.game import Tally
from mancala.server.model.pair_counts import PairCounts
from mancala.server.rating.expected_score import draw_chances, seat_scores
from mancala.server.rating.fit import Model, fit_columns
from mancala.server.rating.pair_table import PairTable
from mancala.server.rating.ratings import Ratings
from mancala.server.rating.scale import ELO_PER_NAT

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

PLAIN: Final = Model()
TALLIES: Final = (Tally(wins=1), Tally(draws=1), Tally(losses=1))
PAIRS: Final = tuple(PairCounts.of([(min(half, 2) / 2, max(half - 2, 0) / 2)]) for half in range(5))
"""A pair, by its half points for the player that moved first in the first game."""


class GameConditions(NamedTuple):
    """How games go: spread of the strengths, worth of moving first and its deviation, in Elo.

    ``draw_weight`` is Davidson's ``D``, greater than 0.
    """

    spread: float = 150.0
    advantage: float = 40.0
    unequal: float = 250.0
    draw_weight: float = 2.0


class PlayedPairs(NamedTuple):
    """Side-swapped pairs of games; shape (pairs,) each.

    ``one`` moved first in the first game; ``there`` and ``back`` are its half points in both.
    """

    one: Integers
    two: Integers
    there: Integers
    back: Integers


def strengths(players: int, conditions: GameConditions, rng: np.random.Generator) -> Floats:
    """Return the strengths of players, with the mean 0."""
    elo = rng.normal(0, conditions.spread, players)
    return np.asarray(elo - elo.mean(), float)


def play(
    elo: Floats, one: Integers, two: Integers, conditions: GameConditions, rng: np.random.Generator
) -> PlayedPairs:
    """Return one pair of games for each two players, each from an opening of its own."""
    gap = (elo[one] - elo[two]) / ELO_PER_NAT
    openings = rng.normal(conditions.advantage, conditions.unequal, gap.size) / ELO_PER_NAT
    scores, weight = seat_scores(gap, openings), conditions.draw_weight
    there, back = (_half_points(seat, weight, rng) for seat in (scores.first, scores.second))
    return PlayedPairs(one, two, there, back)


def _half_points(score: Floats, weight: float, rng: np.random.Generator) -> Integers:
    score = np.clip(score, 1e-9, 1 - 1e-9)
    draw, chance = draw_chances(score, weight), rng.random(score.size)
    win = score - draw / 2
    return np.asarray(2 * (chance < win) + ((chance >= win) & (chance < win + draw)), np.int64)


def all_against_all(players: int, pairs: int) -> tuple[Integers, Integers]:
    """Return the players of all pairs of a round robin."""
    one, two = np.triu_indices(players, 1)
    return np.repeat(one, pairs), np.repeat(two, pairs)


def rounds_of(players: int, rounds: int, rng: np.random.Generator) -> tuple[Integers, Integers]:
    """Return the players of rounds in which each plays one opponent, chosen at random."""
    orders = np.array([rng.permutation(players) for _ in range(rounds)])
    half = players // 2
    return orders[:, :half].ravel(), orders[:, half : 2 * half].ravel()


def fitted(
    played: PlayedPairs, players: int, *, as_pairs: bool = True, model: Model = PLAIN
) -> Ratings:
    """Return the joint fit of players named by their numbers, told of pairs or not."""
    table = table_of(played, [str(number) for number in range(players)], as_pairs=as_pairs)
    return fit_columns(table.columns(), model=model)


def table_of(played: PlayedPairs, names: Sequence[str], *, as_pairs: bool = True) -> PairTable:
    """Return the table of games of players with these names."""
    table = PairTable()
    table.name(sorted(names))
    for one, two, there, back in zip(*(column.tolist() for column in played), strict=True):
        table.add((names[one], names[two]), TALLIES[2 - there])
        table.add((names[two], names[one]), TALLIES[back])
        if as_pairs:
            table.add_pairs((names[one], names[two]), PAIRS[there + back])
    return table


def drawn_share(played: PlayedPairs) -> float:
    """Return the share of games that were drawn, from both seats."""
    return float(np.mean([(legs == 1).mean() for legs in (played.there, played.back)]))
