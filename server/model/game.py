"""Games, encounters, rounds and a row of standings, as ratings see them; pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from mancala.protocol.results import StandingCounts


class Encounter(NamedTuple):
    """Two players who meet for a side-swapped pair; ``first`` moves first in its first game."""

    first: str
    second: str

    @property
    def games(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """Both games' seats, the one who moves first named first."""
        return (self.first, self.second), (self.second, self.first)


class Round(NamedTuple):
    """Encounters that may be played at the same time, and the players that sit out (byes)."""

    encounters: tuple[Encounter, ...]
    byes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A finished game that counts.

    Attributes:
        first: who moved first (player 0).
        winner: 0, 1, or None for a draw.
        margin: difference of stores at the end, player 0's less player 1's, in seeds.
        opening: the position the game began from, as text; empty for the usual one.

    Raises:
        ValueError: when both players are the same, or the winner is no player.
    """

    first: str
    second: str
    winner: int | None
    margin: int = 0
    opening: str = ""

    def __post_init__(self) -> None:
        if self.first == self.second:
            raise ValueError(f"{self.first!r} cannot play itself")
        if self.winner not in (0, 1, None):
            raise ValueError(f"the winner must be 0, 1 or None, not {self.winner!r}")

    @property
    def players(self) -> tuple[str, str]:
        """Both names in seat order."""
        return self.first, self.second

    def points(self, seat: int) -> float:
        """Return what the game brought to player 0 or 1: 1, ½ or 0."""
        return 0.5 if self.winner is None else float(self.winner == seat)


@dataclass(frozen=True, slots=True)
class Forfeit(RatedGame):
    """A game that was not played: who was absent lost it; without a winner, both were.

    Attributes:
        spared: 0 or 1, if it is void instead, since a service failed that this player asks.
    """

    spared: int | None = None

    def points(self, seat: int) -> float:
        """Return a win's point for the player who was there; nothing for one who was absent."""
        return float(self.winner == seat)


Seats = tuple[str, str]
"""Two players, the one who moves first named first."""


class Tally(NamedTuple):
    """Outcomes of games with the same seats, counted for the player who moved first."""

    wins: int = 0
    draws: int = 0
    losses: int = 0


def tally(games: Iterable[RatedGame]) -> dict[Seats, Tally]:
    """Return the outcomes of each ``(first, second)``; all that a rating needs to know."""
    counts: dict[Seats, list[int]] = {}
    for game in games:
        outcome = 1 if game.winner is None else 2 * game.winner
        counts.setdefault(game.players, [0, 0, 0])[outcome] += 1
    return {seats: Tally(*count) for seats, count in counts.items()}


class Standing(StandingCounts, frozen=True):
    """A player's row in the standings.

    A ladder ranks by rating and computes no tie-breaks; an event ranks by points. The order of
    the fields is that of ``table.json``.

    Attributes:
        margin: seeds ahead, over all games.
        sonneborn_berger: points of the opponents beaten, and half those of the drawn with.
        buchholz: points of all opponents met, once a game.
        elo: the rating; None while there is none.
        elo_error: half the width of the rating's 95 % interval; None while there is no rating.
        forfeits: games lost in another way than by the rules.
        rank_range: the first and the last place by rating that are possible: not above those who
            are stronger, nor below those who are weaker, with 97.5 % certainty each; None while
            there is no rating.
    """

    margin: int = 0
    sonneborn_berger: float = 0.0
    buchholz: float = 0.0
    elo: float | None = None
    elo_error: float | None = None
    forfeits: int = 0
    rank_range: tuple[int, int] | None = None
