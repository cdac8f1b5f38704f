"""Side-swapped pairs of games, counted by their points: the pentanomial of fishtest.

An opening that decides both games makes them go opposite ways, so the games of a pair are not
independent, and pairs are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from .game import RatedGame, Seats


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
        """Return the counts of pairs of games given as the points (0, ½ or 1) of both."""
        counts = [0, 0, 0, 0, 0]
        for pair in pairs:
            if not set(pair) <= {0, 0.5, 1}:
                raise ValueError(f"a game brings 0, 0.5 or 1 points, not {pair}")
            counts[int(2 * sum(pair))] += 1
        return cls((counts[0], counts[1], counts[2], counts[3], counts[4]))

    def __add__(self, other: PairCounts) -> PairCounts:
        a, b = self.counts, other.counts
        return PairCounts((a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4]))

    @property
    def pairs(self) -> int:
        return sum(self.counts)

    @property
    def score(self) -> float:
        """The mean score a game, 0..1; ½ before the first pair."""
        points = sum(half * count for half, count in enumerate(self.counts))
        return points / (4 * self.pairs) if self.pairs else 0.5

    def seen_from_the_other(self) -> PairCounts:
        a, b, c, d, e = self.counts
        return PairCounts((e, d, c, b, a))


def paired(games: Mapping[int, RatedGame]) -> dict[Seats, PairCounts]:
    """Return the side-swapped pairs among the games of an event.

    Games ``2k`` and ``2k + 1`` are a pair if the same players met from the same opening with the
    seats swapped.

    Returns:
        By the players of the first game, counted for the one that moved first in it.
    """
    counts: dict[Seats, PairCounts] = {}
    for number, game in games.items():
        back = games.get(number + 1) if number % 2 == 0 else None
        if back is None or (back.second, back.first, back.opening) != (*game.players, game.opening):
            continue
        pair = PairCounts.of([(game.points(0), back.points(1))])
        counts[game.players] = counts.get(game.players, PairCounts()) + pair
    return counts


def by_name(entrants: Seats, points: tuple[float, float]) -> tuple[Seats, tuple[float, float]]:
    """Return the entrants of a pair in the order of their names, and the first one's points."""
    seats = min(entrants), max(entrants)
    return seats, points if seats == entrants else (1 - points[0], 1 - points[1])


NO_PAIRS: Final[Mapping[Seats, PairCounts]] = MappingProxyType({})
