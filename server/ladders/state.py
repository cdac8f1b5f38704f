"""What a ladder remembers: who beat whom, how strong all are thought to be, and who is no good.

There is one number an entrant. The joint fit (``ratings.py``) sets it now and then for all, from
all games; in between, each game moves it at once (``glicko.py``). Games that end while a fit is
at work are booked again upon what it finds. An anchor's number never moves.

Strikes tell a program that crashes from bad luck. A game forfeited (time, rules, protocol, a lost
connection) costs two strikes, a game played to its end takes one back. So ``n`` forfeits in a row
reach ``2n``, a bot that fails in every other game gets there as well, only later, and one that
fails in every third never does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from server.rating.entrant import Entrant, Quarantine, bot_name
from server.rating.game import Tally
from server.rating.glicko import MOST_DEVIATION, Live, after_game
from server.rating.ratings import Ratings
from server.rating.sprt import Z95

Seats = tuple[str, str]
Tallies = Mapping[Seats, Tally]

STRIKES_A_FORFEIT: Final = 2


class Outcome(NamedTuple):
    """A game that counts.

    Attributes:
        seats: the entrants, who moved first named first.
        winner: 0, 1, or None for a draw.
        forfeited: the seat that lost it outside of the game, or None.
    """

    seats: Seats
    winner: int | None
    forfeited: int | None = None


class Line(NamedTuple):
    """An entrant's line of the table.

    Attributes:
        rank: place, from 1; equals share one.
        name: the entrant.
        games: games that counted.
        wins: games won.
        draws: games drawn.
        losses: games lost.
        elo: its rating; None without games, unless it is an anchor.
        error: half the width of the rating's 95 % interval, in Elo; None likewise.
    """

    rank: int
    name: str
    games: int
    wins: int
    draws: int
    losses: int
    elo: float | None
    error: float | None

    @property
    def points(self) -> float:
        """Wins and half the draws."""
        return self.wins + self.draws / 2


class Books:
    """A ladder's books; pure.

    Attributes:
        tallies: outcomes for each pair of seats.
        advantage: what moving first is worth, in Elo, as the last fit found it.
    """

    def __init__(
        self,
        anchors: Mapping[str, float],
        entrants: Iterable[Entrant] = (),
        tallies: Tallies | None = None,
    ) -> None:
        """Open the books.

        Args:
            anchors: ratings that are given, by entrant or by bot.
            entrants: who is in them.
            tallies: what they have played.
        """
        self.tallies: dict[Seats, Tally] = dict(tallies or {})
        self.advantage = 0.0
        self._anchors = anchors
        self._entrants = {entrant.name: self._anchored(entrant) for entrant in entrants}
        self._since_fit: list[Outcome] = []
        self._records: dict[str, Tally] = {}
        for seats, tally in self.tallies.items():
            self._record(seats, tally)

    @property
    def has_news(self) -> bool:
        """Whether games were booked that no fit has looked at."""
        return bool(self._since_fit)

    def entrant(self, name: str) -> Entrant:
        """Look an entrant up; whoever is new is entered."""
        if name not in self._entrants:
            self._entrants[name] = self._anchored(Entrant(name))
        return self._entrants[name]

    def meetings(self, one: str, two: str) -> int:
        """Tell how many games two entrants have played."""
        both = (one, two), (two, one)
        return sum(sum(self.tallies.get(seats, Tally())) for seats in both)

    def anchor(self, name: str) -> float | None:
        """Tell the rating given to an entrant, if one is."""
        return self._anchors.get(name, self._anchors.get(bot_name(name)))

    def book(self, outcome: Outcome) -> tuple[Entrant, Entrant]:
        """Count a game; gives both entrants as they are after it, in seat order."""
        tally = _tally_of(outcome.winner)
        self.tallies[outcome.seats] = _sum(self.tallies.get(outcome.seats, Tally()), tally)
        self._record(outcome.seats, tally)
        self._since_fit.append(outcome)
        self._rate(outcome)
        for seat, name in enumerate(outcome.seats):
            self._strike(name, forfeited=seat == outcome.forfeited)
        first, second = outcome.seats
        return self._entrants[first], self._entrants[second]

    def quarantine(self, name: str, quarantine: Quarantine) -> Entrant:
        """Send an entrant out; its strikes are then paid for."""
        entrant = replace(self.entrant(name), strikes=0, quarantine=quarantine)
        self._entrants[name] = entrant
        return entrant

    # The joint fit

    def begin_fit(self) -> tuple[dict[Seats, Tally], tuple[str, ...], dict[str, float]]:
        """Give what a fit works on: all outcomes, all names, and the anchors among them."""
        self._since_fit.clear()
        anchors = {name: elo for name in self._entrants if (elo := self.anchor(name)) is not None}
        return dict(self.tallies), tuple(self._entrants), anchors

    def adopt(self, ratings: Ratings) -> list[Entrant]:
        """Take over what the fit found; gives the entrants whose number it changed."""
        before = dict(self._entrants)
        self.advantage = ratings.advantage
        for rating in ratings.players:
            entrant = self.entrant(rating.name)
            deviation = min(rating.error / Z95, MOST_DEVIATION)
            live = replace(entrant.live, elo=rating.elo, deviation=deviation)
            self._entrants[rating.name] = self._anchored(replace(entrant, live=live))
        for outcome in self._since_fit:
            self._rate(outcome)
        return [entrant for name, entrant in self._entrants.items() if entrant != before.get(name)]

    # The table

    def table(self) -> tuple[Line, ...]:
        """Draw up the table: the strongest first, whoever hasn't played last."""
        lines = [self._line(entrant) for entrant in self._entrants.values()]
        lines.sort(key=lambda line: (-_merit(line), line.name))
        rank_of: dict[float, int] = {}
        for place, line in enumerate(lines, start=1):
            rank_of.setdefault(_merit(line), place)
        return tuple(line._replace(rank=rank_of[_merit(line)]) for line in lines)

    def _line(self, entrant: Entrant) -> Line:
        record = self._records.get(entrant.name, Tally())
        is_known = sum(record) > 0 or self.anchor(entrant.name) is not None
        elo = round(entrant.live.elo, 1) if is_known else None
        error = round(Z95 * entrant.live.deviation, 1) if is_known else None
        return Line(0, entrant.name, sum(record), *record, elo, error)

    def _record(self, seats: Seats, tally: Tally) -> None:
        first, second = seats
        self._records[first] = _sum(self._records.get(first, Tally()), tally)
        self._records[second] = _sum(self._records.get(second, Tally()), Tally(*reversed(tally)))

    def _rate(self, outcome: Outcome) -> None:
        first, second = (self.entrant(name) for name in outcome.seats)
        score = 0.5 if outcome.winner is None else float(outcome.winner == 0)
        lives = after_game(first.live, second.live, score, advantage=self.advantage)
        for entrant, live in zip((first, second), lives, strict=True):
            self._entrants[entrant.name] = self._anchored(replace(entrant, live=live))

    def _strike(self, name: str, *, forfeited: bool) -> None:
        entrant = self._entrants[name]
        strikes = entrant.strikes + STRIKES_A_FORFEIT if forfeited else max(0, entrant.strikes - 1)
        self._entrants[name] = replace(entrant, strikes=strikes)

    def _anchored(self, entrant: Entrant) -> Entrant:
        elo = self.anchor(entrant.name)
        return entrant if elo is None else replace(entrant, live=Live(elo, deviation=0.0))


def _tally_of(winner: int | None) -> Tally:
    return Tally(wins=int(winner == 0), draws=int(winner is None), losses=int(winner == 1))


def _sum(one: Tally, two: Tally) -> Tally:
    return Tally(one.wins + two.wins, one.draws + two.draws, one.losses + two.losses)


def _merit(line: Line) -> float:
    return float("-inf") if line.elo is None else line.elo
