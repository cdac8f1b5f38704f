"""The standings of an event: points, tie-breaks, crosstable and opening statistics.

Points come first, or in a knockout the stage reached. Each tie-break that is asked for decides
between the players that those before it left level. Definitions are FIDE's (Handbook C.07, in force
since March 2026), by the game where a pairing has several. A round without play counts in Buchholz
and Sonneborn-Berger as games against an opponent who has as many points as the player (the dummy
opponent of article 16.4), but at most as if it had drawn each round so far, and in a Swiss event
where the other or the player was absent, at most as many as that one has. For its opponents, a
player that has left has drawn since (16.3), and what a player chose not to play is cut first
(16.5). In other formats a game lost by absence counts as if it had been played.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, groupby, takewhile
from typing import Final, NamedTuple

from msgspec.structs import replace

from ...config.events import TieBreak
from ...model.game import Forfeit, RatedGame, Standing

ROUND_ROBIN_TIE_BREAKS: Final = (TieBreak.SONNEBORN_BERGER, TieBreak.WINS, TieBreak.MARGIN)
SWISS_TIE_BREAKS: Final = (TieBreak.BUCHHOLZ, TieBreak.SONNEBORN_BERGER, TieBreak.MARGIN)


class EventStanding(Standing, frozen=True):
    """A player's row in the standings of an event.

    Attributes:
        direct: points in games with those level before this tie-break; None where it was not
            asked for, none was level, or not all of them had met.
        buchholz_1: Buchholz without the round that adds the least, of those not played by choice
            if there are any.
        progressive: the sum of the points after each round.
    """

    direct: float | None = None
    buchholz_1: float = 0.0
    progressive: float = 0.0


class PlayedRound(NamedTuple):
    """A round as it was played: the games of each encounter, and the points without play."""

    encounters: tuple[tuple[RatedGame, ...], ...]
    unplayed: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True)
class Crosstable:
    """Points and games of each row's player against each column's; None if they never met."""

    players: tuple[str, ...]
    points: tuple[tuple[float | None, ...], ...]
    games: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class OpeningStatistics:
    """How the games from one opening went.

    Attributes:
        opening: the position, as text; empty for the standard start.
        first_score: mean score a game of the player that moved first, 0..1.
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
    rounds: Sequence[PlayedRound],
    *,
    players: Sequence[str],
    games: int,
    tie_breaks: Sequence[TieBreak],
    reached: Mapping[str, int],
    counts_absence: bool,
) -> tuple[EventStanding, ...]:
    """Return the standings of all players after some rounds.

    Args:
        rounds: the rounds in order.
        players: all names.
        games: games per encounter: what a round without play counts for.
        tie_breaks: in order, what decides between equal points; rows that share a rank are
            ordered by name.
        reached: how far each player of a knockout came, as `Plan.reached` has it; then it decides
            the rank, and points only the order in which equals are listed.
        counts_absence: whether a game lost by absence counts as played.
    """
    cards = {name: _Scorecard(name) for name in players}
    for number, each in enumerate(rounds):
        for games_of in each.encounters:
            is_played = counts_absence or not all(isinstance(it, Forfeit) for it in games_of)
            for game in games_of:
                for seat, name in enumerate(game.players):
                    cards[name].add(number, game, seat, is_played=is_played)
        for name, points in each.unplayed.items():
            cards[name].rounds[number] = _RoundScore(None, points, games, is_played=False)
    worth = {name: card.worth for name, card in cards.items()}
    rows = {name: card.row(worth, len(rounds)) for name, card in cards.items()}
    return _Ranking(rows, cards, tie_breaks, reached).ranked()


def crosstable(games: Iterable[RatedGame], players: Sequence[str]) -> Crosstable:
    """Return the crosstable of some players, in the order given; games of others are left out."""
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


def opening_statistics(games: Iterable[RatedGame]) -> tuple[OpeningStatistics, ...]:
    """Return the statistics of each opening, in the order of first use."""
    by_opening: dict[str, list[RatedGame]] = {}
    for game in games:
        by_opening.setdefault(game.opening, []).append(game)
    return tuple(_summary(opening, played) for opening, played in by_opening.items())


class _RoundScore(NamedTuple):
    """A round of one player: its opponent, None without one, its points and the games."""

    opponent: str | None
    points: float
    games: int
    is_played: bool

    @property
    def is_by_choice(self) -> bool:
        """Whether the player did not play it: it asked for a bye, was absent, or had left."""
        return not self.is_played and self.points < self.games

    def worth(self, own: float, others: Mapping[str, float], rounds: int) -> float:
        """Return the points that its opponent counts for, the dummy one without play."""
        if self.is_played:
            return others[self.opponent or ""]
        return min(own, self.games / 2 * rounds if self.opponent is None else others[self.opponent])


class _Scorecard:
    """A player's rounds, from its own side."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.rounds: dict[int, _RoundScore] = {}
        self.results: Counter[float] = Counter()
        self.margin = 0

    def add(self, number: int, game: RatedGame, seat: int, *, is_played: bool) -> None:
        before = self.rounds.get(number)
        points, games = (0.0, 0) if before is None else (before.points, before.games)
        self.rounds[number] = _RoundScore(
            game.players[1 - seat], points + game.points(seat), games + 1, is_played
        )
        self.results[game.points(seat)] += 1
        self.margin += game.margin if seat == 0 else -game.margin

    @property
    def points(self) -> float:
        return sum(each.points for each in self.rounds.values())

    @property
    def worth(self) -> float:
        """Points as its opponents count them: each round since it left is a draw."""
        ordered = [self.rounds[number] for number in sorted(self.rounds, reverse=True)]
        left = takewhile(lambda each: each.is_by_choice, ordered)
        return self.points + sum(
            each.games / 2 - each.points for each in left if each.opponent is None
        )

    def against(self, names: Collection[str | None]) -> float:
        """Return the points in games with some players."""
        return sum(each.points for each in self.rounds.values() if each.opponent in names)

    def row(self, points: Mapping[str, float], count: int) -> EventStanding:
        """Return the row, without a rank, from what all players' points are worth."""
        rounds = [self.rounds[number] for number in sorted(self.rounds)]
        worth = [each.worth(self.points, points, count) for each in rounds]
        shares = [each.games * value for each, value in zip(rounds, worth, strict=True)]
        chosen = [share for each, share in zip(rounds, shares, strict=True) if each.is_by_choice]
        return EventStanding(
            rank=0,
            name=self.name,
            points=self.points,
            games=self.results.total(),
            wins=self.results[1],
            draws=self.results[0.5],
            losses=self.results[0],
            margin=self.margin,
            sonneborn_berger=sum(
                each.points * value for each, value in zip(rounds, worth, strict=True)
            ),
            buchholz=sum(shares),
            buchholz_1=sum(shares) - min(chosen or shares, default=0),
            progressive=sum(accumulate(each.points for each in rounds)),
        )


class _Ranking:
    """Rows in order: groups of level players, split by one tie-break after the other."""

    def __init__(
        self,
        rows: dict[str, EventStanding],
        cards: Mapping[str, _Scorecard],
        tie_breaks: Sequence[TieBreak],
        reached: Mapping[str, int],
    ) -> None:
        self.rows, self.cards = rows, cards
        self.tie_breaks, self.reached = tie_breaks, reached

    def ranked(self) -> tuple[EventStanding, ...]:
        ordered: list[EventStanding] = []
        for stage in _split(sorted(self.rows), {n: self.reached.get(n, 0) for n in self.rows}):
            first = len(ordered) + 1
            for level in _split(stage, {name: self.rows[name].points for name in stage}):
                for group in self._resolved(level, self.tie_breaks):
                    rank = first if self.reached else len(ordered) + 1
                    ordered += [replace(self.rows[name], rank=rank) for name in group]
        return tuple(ordered)

    def _resolved(
        self, group: Sequence[str], tie_breaks: Sequence[TieBreak]
    ) -> list[Sequence[str]]:
        if len(group) == 1 or not tie_breaks:
            return [group]
        first, *further = tie_breaks
        if first is TieBreak.DIRECT:
            parts = self._direct(group)
            further = further if len(parts) == 1 else [first, *further]
        else:
            parts = _split(group, {name: getattr(self.rows[name], first.column) for name in group})
        return [each for part in parts for each in self._resolved(part, further)]

    def _direct(self, group: Sequence[str]) -> Sequence[Sequence[str]]:
        for one, two in combinations(group, 2):
            if all(each.opponent != two for each in self.cards[one].rounds.values()):
                return [group]
        points = {name: self.cards[name].against(group) for name in group}
        for name in group:
            if self.rows[name].direct is None:
                self.rows[name] = replace(self.rows[name], direct=points[name])
        return _split(group, points)


def _split(names: Sequence[str], values: Mapping[str, float]) -> list[Sequence[str]]:
    """Return groups of equal value, the highest first, each in the order given."""
    ordered = sorted(names, key=lambda name: -values[name])
    return [[*group] for _, group in groupby(ordered, key=lambda name: values[name])]


def _summary(opening: str, games: Sequence[RatedGame]) -> OpeningStatistics:
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
