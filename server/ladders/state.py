"""The state of a ladder: tallies, ratings, penalties and quarantines; pure.

Each entrant has one rating. The joint fit (``rating/ratings.py``) sets the ratings of all from time
to time, from all games; in between, each game moves them immediately (``rating/glicko.py``). Games
that end while a fit is running are rated again on top of its result. An anchor's rating is fixed.

Without anchors the joint fit fixes the mean of each group of entrants that have met, directly or by
others, so guests that lose on purpose would lift all others in it. Where the group has house bots,
their mean is fixed instead: the whole group is shifted.

Penalties tell a program that crashes from bad luck. A game forfeited (time, rules, protocol, a lost
connection) costs two, a game played to its end takes one back. So ``n`` forfeits in a row reach
``2n``; a bot that fails in every other game gets there as well, only later, and one that fails in
every third never does.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from heapq import nsmallest
from statistics import fmean
from typing import Final, NamedTuple

from server.model.entrant import MOST_DEVIATION, Entrant, LiveRating, Quarantine, bot_name
from server.model.game import Seats, Tally
from server.model.pair_counts import NO_PAIRS, PairCounts
from server.model.standings import Standing
from server.rating.fit import Model, Start, fit_columns
from server.rating.glicko import after_game
from server.rating.information import Share, rests_on
from server.rating.pair_table import PairColumns, PairTable
from server.rating.ratings import Floats, RankRange, Ratings
from server.rating.scale import Z95

Tallies = Mapping[Seats, Tally]

PENALTIES_PER_FORFEIT: Final = 2


COMPARED: Final = 20
"""Entrants, the best, that are compared each with each."""

NAMED_OPPONENTS: Final = 5
"""Opponents that are named as what a rating rests on."""

LEAST_CHANGE: Final = 0.05
"""A fit changes no rating by less, in Elo, so that what is stored after it is what it changed."""


class Outcome(NamedTuple):
    """A game that counts.

    Attributes:
        seats: the entrants; the one that moved first is named first.
        winner: 0, 1, or None for a draw.
        forfeited: the seat that forfeited it, or None.
    """

    seats: Seats
    winner: int | None
    forfeited: int | None = None


class FitInput(NamedTuple):
    """What a fit needs.

    Attributes:
        columns: all outcomes and all names.
        anchors: the anchors among them.
        start: the ratings as they stand.
    """

    columns: PairColumns
    anchors: dict[str, float]
    start: Start


class FittedLadder(NamedTuple):
    """A joint fit, with what takes too long to compute between two moves.

    Attributes:
        ratings: the fit.
        rank_ranges: the ranks that each entrant may have.
        superiority: shape (entrants, entrants): the likelihood that the row's entrant is stronger
            than the column's, of the best :data:`COMPARED` in the order of the ratings.
    """

    ratings: Ratings
    rank_ranges: dict[str, RankRange]
    superiority: Floats


def fit_ladder(known: FitInput) -> FittedLadder:
    """Fit a ladder's ratings; takes up to some seconds.

    Raises:
        LinAlgError: when there is no fit.
    """
    ratings = fit_columns(known.columns, anchors=known.anchors, start=known.start)
    return FittedLadder(ratings, ratings.rank_ranges(), ratings.los(COMPARED))


class Superiority(NamedTuple):
    """Who is how likely stronger than whom, as the last fit found it.

    Attributes:
        names: the best entrants, the strongest first.
        los: the likelihood, 0..1, that the row's entrant is stronger than the column's.
    """

    names: tuple[str, ...] = ()
    los: tuple[tuple[float, ...], ...] = ()


class LadderState:
    """The tallies, ratings and penalties of one ladder.

    Attributes:
        advantage: what moving first is worth, in Elo, as the last fit found it.
        superiority: who is stronger than whom, as the last fit found it.
    """

    def __init__(
        self,
        anchors: Mapping[str, float],
        entrants: Iterable[Entrant] = (),
        tallies: Tallies | None = None,
        house: Container[str] = (),
        pairs: Mapping[Seats, PairCounts] = NO_PAIRS,
    ) -> None:
        """Create a ladder's state.

        Args:
            anchors: fixed ratings, by entrant or by bot.
            entrants: all that were ever rated; those without a game are dropped, unless they are
                in quarantine.
            tallies: what they have played.
            house: the organiser's bots, whose mean is fixed where there is no anchor.
            pairs: the side-swapped pairs among these games, counted for the entrant named first.
        """
        self.advantage = 0.0
        self.superiority = Superiority()
        self._rank_ranges: Mapping[str, RankRange] = {}
        self._pairs = PairTable(tallies, pairs)
        self._anchors = anchors
        self._house = house
        self._since_fit: list[Outcome] = []
        self._records: dict[str, Tally] = {}
        for seats, tally in (tallies or {}).items():
            self._record(seats, tally)
        self._entrants = {
            entrant.name: self._anchored(entrant)
            for entrant in entrants
            if entrant.name in self._records or entrant.quarantine is not None
        }

    @property
    def has_news(self) -> bool:
        """Whether games were counted since the last fit began."""
        return bool(self._since_fit)

    def entrant(self, name: str) -> Entrant:
        """Return an entrant; one that has not finished a game is like any newcomer."""
        known = self._entrants.get(name)
        return known if known is not None else self._anchored(Entrant(name))

    def meetings(self, one: str, two: str) -> int:
        """Return the number of games that two entrants have played."""
        return self._pairs.meetings(one, two)

    def tally(self, seats: Seats) -> Tally:
        """Return the outcomes of the games from these seats."""
        return self._pairs.tally(seats)

    def games(self, name: str) -> int:
        """Return the number of games that an entrant has played."""
        return sum(self._records.get(name, Tally()))

    def anchor(self, name: str) -> float | None:
        """Return the fixed rating of an entrant, or None."""
        return self._anchors.get(name, self._anchors.get(bot_name(name)))

    def count(self, outcome: Outcome) -> tuple[Entrant, Entrant]:
        """Count a game; return both entrants as they are after it, in seat order."""
        tally = _tally_of(outcome.winner)
        self._pairs.add(outcome.seats, tally)
        self._record(outcome.seats, tally)
        self._since_fit.append(outcome)
        self._rate(outcome)
        for seat, name in enumerate(outcome.seats):
            self._penalise(name, forfeited=seat == outcome.forfeited)
        first, second = outcome.seats
        return self._entrants[first], self._entrants[second]

    def count_pair(self, seats: Seats, points: tuple[float, float]) -> PairCounts:
        """Count two games that were a side-swapped pair; :meth:`count` has counted each.

        Args:
            seats: the entrants; the one that moved first in the first game is named first.
            points: that one's points in both games.

        Returns:
            All pairs of these entrants, counted for the first-named.
        """
        self._pairs.add_pairs(seats, PairCounts.of([points]))
        return self._pairs.pairs(seats)

    def quarantine(self, name: str, quarantine: Quarantine) -> Entrant:
        """Quarantine an entrant and clear its penalties."""
        entrant = replace(self.entrant(name), penalties=0, quarantine=quarantine)
        self._entrants[name] = entrant
        return entrant

    # The joint fit

    def rests_on(self, bot: str) -> dict[str, tuple[Share, ...]]:
        """Return, for each version of a bot, the opponents that its rating rests on most.

        An anchor's rating rests on no game.
        """
        versions = [name for name in self._records if bot_name(name) == bot]
        columns = self._pairs.columns_of(versions)
        free = [name for name in versions if self.anchor(name) is None]
        return rests_on(columns, self._ratings(), free, most=NAMED_OPPONENTS)

    def _ratings(self) -> Start:
        elos = {name: entrant.live.elo for name, entrant in self._entrants.items()}
        return Start(elos, self.advantage)

    def begin_fit(self) -> FitInput:
        """Return the input of a fit."""
        self._since_fit.clear()
        anchors = {name: elo for name in self._entrants if (elo := self.anchor(name)) is not None}
        self._pairs.name(self._entrants)
        return FitInput(self._pairs.columns(), anchors, self._ratings())

    def adopt(self, fitted: FittedLadder) -> list[Entrant]:
        """Take over the ratings of a fit; return the entrants that it changed."""
        ratings = fitted.ratings
        before, shifts = dict(self._entrants), self._shifts(ratings)
        self.advantage, self._rank_ranges = ratings.advantage, fitted.rank_ranges
        self.superiority = Superiority(
            tuple(rating.name for rating in ratings.players[: len(fitted.superiority)]),
            tuple(tuple(round(los, 4) for los in row) for row in fitted.superiority.tolist()),
        )
        for rating, shift in zip(ratings.players, shifts, strict=True):
            entrant = self.entrant(rating.name)
            deviation = min(rating.error / Z95, MOST_DEVIATION)
            live = replace(entrant.live, elo=rating.elo + shift, deviation=deviation)
            moved = abs(live.elo - entrant.live.elo), abs(live.deviation - entrant.live.deviation)
            if max(moved) >= LEAST_CHANGE:
                self._entrants[rating.name] = self._anchored(replace(entrant, live=live))
        for outcome in self._since_fit:
            self._rate(outcome)
        return [entrant for name, entrant in self._entrants.items() if entrant != before.get(name)]

    def _shifts(self, ratings: Ratings) -> list[float]:
        """Return what is added to each rating of a fit, in Elo, to fix the house bots' mean."""
        groups = ratings.groups.tolist()
        if any(self.anchor(rating.name) is not None for rating in ratings.players):
            return [0.0] * len(groups)
        house: dict[int, list[float]] = {}
        for rating, group in zip(ratings.players, groups, strict=True):
            if bot_name(rating.name) in self._house:
                house.setdefault(group, []).append(rating.elo)
        shifts = {group: Model().centre - fmean(elos) for group, elos in house.items()}
        return [shifts.get(group, 0.0) for group in groups]

    # The standings

    @property
    def ranked(self) -> int:
        """The number of rows of the standings."""
        return len(self._entrants)

    def standings(self, most: int | None = None) -> tuple[Standing, ...]:
        """Return the standings: the strongest first, entrants without games last.

        Args:
            most: number of rows wanted; by default all.
        """
        best = nsmallest(
            len(self._entrants) if most is None else most,
            ((-self._merit(entrant), name) for name, entrant in self._entrants.items()),
        )
        rank_of: dict[float, int] = {}
        for place, (merit, _name) in enumerate(best, start=1):
            rank_of.setdefault(merit, place)
        return tuple(
            self._ranked(self._row(self._entrants[name]), rank_of[merit]) for merit, name in best
        )

    def _ranked(self, row: Standing, rank: int) -> Standing:
        """Return a row with its rank; games since the last fit may have carried it out of range."""
        known = self._rank_ranges.get(row.name)
        if row.elo is None or known is None:
            return replace(row, rank=rank)
        return replace(row, rank=rank, rank_range=(min(known.best, rank), max(known.worst, rank)))

    def _is_rated(self, entrant: Entrant) -> bool:
        return entrant.name in self._records or self.anchor(entrant.name) is not None

    def _merit(self, entrant: Entrant) -> float:
        return round(entrant.live.elo, 1) if self._is_rated(entrant) else float("-inf")

    def _row(self, entrant: Entrant) -> Standing:
        record = self._records.get(entrant.name, Tally())
        is_rated = self._is_rated(entrant)
        return Standing(
            rank=0,
            name=entrant.name,
            points=record.wins + record.draws / 2,
            games=sum(record),
            wins=record.wins,
            draws=record.draws,
            losses=record.losses,
            elo=round(entrant.live.elo, 1) if is_rated else None,
            elo_error=round(Z95 * entrant.live.deviation, 1) if is_rated else None,
        )

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

    def _penalise(self, name: str, *, forfeited: bool) -> None:
        entrant = self._entrants[name]
        if forfeited:
            penalties = entrant.penalties + PENALTIES_PER_FORFEIT
        else:
            penalties = max(0, entrant.penalties - 1)
        self._entrants[name] = replace(entrant, penalties=penalties)

    def _anchored(self, entrant: Entrant) -> Entrant:
        elo = self.anchor(entrant.name)
        return entrant if elo is None else replace(entrant, live=LiveRating(elo, deviation=0.0))


def _tally_of(winner: int | None) -> Tally:
    return Tally(wins=int(winner == 0), draws=int(winner is None), losses=int(winner == 1))


def _sum(one: Tally, two: Tally) -> Tally:
    return Tally(one.wins + two.wins, one.draws + two.draws, one.losses + two.losses)
