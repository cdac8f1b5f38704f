"""The standings of an event: points, tie-breaks, crosstable and opening statistics.

Points come first. Of the tie-breaks, Sonneborn-Berger suits a round robin, where all have met the
same opponents; Buchholz suits Swiss rounds, where they have not; the seed margin is the game's
own. A bye worth ``b`` points counts in them as ``b`` games won against an opponent who has as many
points as the player (the dummy opponent of FIDE Handbook C.07, article 16.4), so sitting out
neither helps nor hurts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from server.model.game import Game
from server.model.standings import Standing

_NO_BYES: Final[Mapping[str, float]] = {}


class TieBreak(StrEnum):
    """What decides between equal points; each is the name of a column of the standings."""

    SONNEBORN_BERGER = "sonneborn_berger"
    """Points of the opponents beaten, and half those of the opponents drawn with."""
    BUCHHOLZ = "buchholz"
    """Points of all opponents met, once a game."""
    WINS = "wins"
    """Games won."""
    MARGIN = "margin"
    """Seeds ahead, over all games."""


ROUND_ROBIN_TIE_BREAKS: Final = (TieBreak.SONNEBORN_BERGER, TieBreak.WINS, TieBreak.MARGIN)
SWISS_TIE_BREAKS: Final = (TieBreak.BUCHHOLZ, TieBreak.SONNEBORN_BERGER, TieBreak.MARGIN)


@dataclass(frozen=True, slots=True)
class Crosstable:
    """Points of each player against each other.

    Attributes:
        players: names in the order of rows and columns.
        points: ``points[row][column]``, the row's points against the column; None if they
            never met.
        games: ``games[row][column]``, the number of games they played.
    """

    players: tuple[str, ...]
    points: tuple[tuple[float | None, ...], ...]
    games: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class OpeningStatistics:
    """How the games from one opening went.

    Attributes:
        opening: the position, as text; empty for the standard start.
        games: games played from it.
        first_wins: won by the player that moved first.
        draws: drawn.
        second_wins: won by the player that moved second.
        first_score: mean score of the player that moved first, 0..1.
        mean_margin: mean seeds ahead of the player that moved first.
    """

    opening: str
    games: int
    first_wins: int
    draws: int
    second_wins: int
    first_score: float
    mean_margin: float


def standings(
    games: Iterable[Game],
    *,
    players: Iterable[str] = (),
    byes: Mapping[str, float] = _NO_BYES,
    tie_breaks: Sequence[TieBreak] = ROUND_ROBIN_TIE_BREAKS,
) -> tuple[Standing, ...]:
    """Return the standings.

    Args:
        games: all that count, in any order.
        players: names that are listed even without games.
        byes: points of each player for byes.
        tie_breaks: in order, what decides between equal points; rows that share a rank are
            ordered by name.
    """
    records: dict[str, _Record] = {name: _Record() for name in (*players, *byes)}
    for game in games:
        for seat, name in enumerate(game.players):
            records.setdefault(name, _Record()).add(game, seat)
    points = {name: record.points + byes.get(name, 0) for name, record in records.items()}
    rows = [_row(name, record, points, byes.get(name, 0)) for name, record in records.items()]
    return _ranked(rows, tie_breaks)


def crosstable(games: Iterable[Game], players: Sequence[str]) -> Crosstable:
    """Return the crosstable.

    Args:
        games: all that count; those of others than ``players`` are left out.
        players: names in the order wanted, such as that of the standings.
    """
    met: Counter[tuple[str, str]] = Counter()
    points: defaultdict[tuple[str, str], float] = defaultdict(float)
    for game in games:
        for seat, pairing in enumerate((game.players, game.players[::-1])):
            met[pairing] += 1
            points[pairing] += game.points(seat)
    return Crosstable(
        players=tuple(players),
        points=tuple(
            tuple(points[row, column] if met[row, column] else None for column in players)
            for row in players
        ),
        games=tuple(tuple(met[row, column] for column in players) for row in players),
    )


def opening_statistics(games: Iterable[Game]) -> tuple[OpeningStatistics, ...]:
    """Return the statistics of each opening, in the order of first use."""
    by_opening: dict[str, list[Game]] = {}
    for game in games:
        by_opening.setdefault(game.opening, []).append(game)
    return tuple(_summary(opening, played) for opening, played in by_opening.items())


class _Record:
    """A player's games, from its own side."""

    def __init__(self) -> None:
        self.scores: list[tuple[str, float]] = []
        self.margin = 0

    def add(self, game: Game, seat: int) -> None:
        self.scores.append((game.players[1 - seat], game.points(seat)))
        self.margin += game.margin if seat == 0 else -game.margin

    @property
    def points(self) -> float:
        return sum(score for _, score in self.scores)

    def count(self, score: float) -> int:
        return sum(mine == score for _, mine in self.scores)


def _row(name: str, record: _Record, points: Mapping[str, float], bye: float) -> Standing:
    dummy = bye * points[name]
    return Standing(
        rank=0,
        name=name,
        points=points[name],
        games=len(record.scores),
        wins=record.count(1),
        draws=record.count(0.5),
        losses=record.count(0),
        margin=record.margin,
        sonneborn_berger=dummy + sum(mine * points[other] for other, mine in record.scores),
        buchholz=dummy + sum(points[other] for other, _ in record.scores),
    )


def _ranked(rows: Iterable[Standing], tie_breaks: Sequence[TieBreak]) -> tuple[Standing, ...]:
    def merit(row: Standing) -> tuple[float, ...]:
        return row.points, *(float(getattr(row, column)) for column in tie_breaks)

    ordered = sorted(rows, key=lambda row: (*(-value for value in merit(row)), row.name))
    rank_of: dict[tuple[float, ...], int] = {}
    for place, row in enumerate(ordered, start=1):
        rank_of.setdefault(merit(row), place)
    return tuple(replace(row, rank=rank_of[merit(row)]) for row in ordered)


def _summary(opening: str, games: Sequence[Game]) -> OpeningStatistics:
    winners = Counter(game.winner for game in games)
    return OpeningStatistics(
        opening=opening,
        games=len(games),
        first_wins=winners[0],
        draws=winners[None],
        second_wins=winners[1],
        first_score=(winners[0] + winners[None] / 2) / len(games),
        mean_margin=sum(game.margin for game in games) / len(games),
    )
