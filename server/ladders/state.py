"""The state of a ladder: tallies, ratings, penalties and quarantines; pure.

Each entrant has one rating. The joint fit (``rating/ratings.py``) sets the ratings of all from time
to time, from all games; in between, each game moves them immediately (``rating/glicko.py``). Games
that end while a fit is running are rated again on top of its result. An anchor's rating is fixed.

Where no anchor holds a group of entrants that have met, directly or by others, the joint fit fixes
its mean, so guests that lose on purpose would lift all others in it. Where the group has house
bots, their mean is fixed instead; each interval is then that of the difference from this mean.

Penalties tell a program that crashes from bad luck. A game forfeited (time, rules, protocol, a lost
connection) costs two, a game played to its end takes one back. So ``n`` forfeits in a row reach
``2n``; a bot that fails in every other game gets there as well, only later, and one that fails in
every third never does.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from operator import add
from types import MappingProxyType
from typing import Final, NamedTuple

from ..model.entrant import NEWCOMER, Entrant, LiveRating, Quarantine, bot_name, renamed
from ..model.game import Seats, Standing, Tally
from ..model.pair_counts import NO_PAIRS, PairCounts
from ..rating.fit import Start
from ..rating.glicko import after_game
from ..rating.information import Share, rests_on
from ..rating.pair_table import PairTable
from ..rating.ratings import RankRange
from ..rating.scale import Z95
from .fitting import UNRATED, Findings, FitInput, FittedLadder, Ranking, anchor, anchored, merit_of

Tallies = Mapping[Seats, Tally]
NO_SEEDS: Final[Mapping[str, LiveRating]] = MappingProxyType({})

PENALTIES_PER_FORFEIT: Final = 2
NAMED_OPPONENTS: Final = 5
"""Opponents that are named as what a rating rests on."""


class CountedGame(NamedTuple):
    """A game that counts, by seats: the first one moved first; without a winner it is drawn."""

    seats: Seats
    winner: int | None
    forfeited: int | None = None


class Correction(NamedTuple):
    """The tallies and pairs that changed, as they are now, and the entrants that were forgotten."""

    tallies: dict[Seats, Tally]
    pairs: dict[Seats, PairCounts]
    forgotten: tuple[str, ...]


class MovedTally(NamedTuple):
    """What two entrants have played from these seats; the pairs only from one of both seats."""

    old: Seats
    new: Seats
    tally: Tally
    pairs: PairCounts


class Renaming(NamedTuple):
    """The other name of each of a bot's versions, and what these have played."""

    names: dict[str, str]
    moved: tuple[MovedTally, ...]

    @property
    def back(self) -> Renaming:
        names = {new: old for old, new in self.names.items()}
        moved = (each._replace(old=each.new, new=each.old) for each in self.moved)
        return Renaming(names, tuple(moved))


class LadderState:
    """The tallies, ratings and penalties of one ladder."""

    def __init__(
        self,
        anchors: Mapping[str, float],
        entrants: Iterable[Entrant] = (),
        tallies: Tallies | None = None,
        house: Container[str] = (),
        pairs: Mapping[Seats, PairCounts] = NO_PAIRS,
        seeds: Mapping[str, LiveRating] = NO_SEEDS,
    ) -> None:
        """Create a ladder's state from all that were ever rated, and what they have played."""
        self.fit = Findings()
        self._pairs = PairTable(tallies, pairs)
        self._anchors = anchors
        self._house = house
        self._seeds = seeds
        self._since_fit: list[CountedGame] = []
        self._since_begun: set[str] | None = None
        self._replaced: tuple[dict[str, Entrant], dict[str, RankRange]] = {}, {}
        self._fitted: set[str] = set()
        self._records = self._pairs.records()
        self.games_counted = sum(map(sum, self._records.values())) // 2
        self._versions: dict[str, dict[str, None]] = {}
        self._entrants = {
            entrant.name: self._anchored(entrant)
            for entrant in entrants
            if entrant.name in self._records or entrant.quarantine is not None
        }
        self._ranking = Ranking(self._merits())
        for name in self._entrants:
            self._note_version(name)

    @property
    def has_news(self) -> bool:
        """Whether games were counted since the last fit began."""
        return bool(self._since_fit)

    def entrant(self, name: str) -> Entrant:
        """Return an entrant; one without a game begins anew, or at its strength of last season."""
        fresh = Entrant(name, self._seeds.get(name, NEWCOMER))
        return self._entrants.get(name) or self._anchored(fresh)

    def known(self, name: str) -> Entrant | None:
        return self._entrants.get(name)

    def meetings(self, one: str, two: str) -> int:
        return self._pairs.meetings(one, two)

    def tally(self, seats: Seats) -> Tally:
        """Return the outcomes of the games from these seats."""
        return self._pairs.tally(seats)

    def games(self, name: str) -> int:
        return sum(self._records.get(name, Tally()))

    def has_played(self, bot: str) -> bool:
        return any(name in self._records for name in self._versions.get(bot, ()))

    def knows(self, bot: str) -> bool:
        """Return whether any version of a bot has a game or a quarantine."""
        return bool(self._versions.get(bot))

    def anchor_at(self, anchors: Mapping[str, float]) -> None:
        """Take new fixed ratings; a fit must follow."""
        self._anchors = anchors
        self._entrants = {name: self._anchored(each) for name, each in self._entrants.items()}
        self._ranking.replace(self._merits())
        for name in self._entrants:
            self._note_change(name)

    def anchor(self, name: str) -> float | None:
        return anchor(self._anchors, name)

    def count(self, outcome: CountedGame) -> tuple[Entrant, Entrant]:
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

        Points are those of the first-named, that moved first in the first game. Return all pairs of
        these entrants, counted for the first-named.
        """
        self._pairs.add_pairs(seats, PairCounts.of([points]))
        return self._pairs.pairs(seats)

    def uncount(
        self,
        outcome: CountedGame,
        pairs: Iterable[tuple[Seats, tuple[float, float]]],
        former: Iterable[Entrant],
    ) -> None:
        """Take back both entrants' last game and the pair that it completed; a fit must follow."""
        self.put_back({entrant.name: entrant for entrant in former})
        self.correct([outcome], pairs, sign=-1)

    def correct(
        self,
        games: Iterable[CountedGame],
        pairs: Iterable[tuple[Seats, tuple[float, float]]],
        *,
        sign: int,
    ) -> Correction:
        """Take games out that do not count any more, or count some again; a fit must follow.

        Args:
            games: the games.
            pairs: the points of side-swapped pairs that are complete no more, or again; the
                entrants in the order of their names, points of the first-named.
            sign: -1 to take out, 1 to count again.
        """
        tallies: dict[Seats, Tally] = {}
        for each in games:
            outcome = Tally(*(sign * count for count in _tally_of(each.winner)))
            self._pairs.add(each.seats, outcome)
            self._record(each.seats, outcome)
            tallies[each.seats] = self._pairs.tally(each.seats)
            if sign < 0 and each in self._since_fit:
                self._since_fit.remove(each)
        changed: dict[Seats, PairCounts] = {}
        for seats, points in pairs:
            self._pairs.add_pairs(seats, PairCounts.of([points]), sign=sign)
            changed[seats] = self._pairs.pairs(seats)
        return Correction(tallies, changed, self._forget_idle(tallies))

    def renaming(self, old: str, new: str) -> Renaming:
        """Return what gives a bot's versions to another name, beside what that one has played."""
        versions = [name for name in {**self._records, **self._entrants} if bot_name(name) == old]
        names = {name: renamed(name, old, new) for name in versions}
        moved = (each for name in versions for each in self._moved(name, names))
        return Renaming(names, tuple(moved))

    def _moved(self, name: str, names: Mapping[str, str]) -> Iterator[MovedTally]:
        columns = self._pairs.columns_of([name])
        for number in {*columns.low.tolist(), *columns.high.tolist()}:
            other = columns.names[number]
            if other != name:
                here, back = (name, other), (other, name)
                new = names[name]
                yield MovedTally(here, (new, other), self.tally(here), self._pairs.pairs(here))
                yield MovedTally(back, (other, new), self.tally(back), PairCounts())

    def rename(self, renaming: Renaming) -> None:
        """Rename versions; a fit must follow."""
        rated = self._records.keys() & renaming.names.values()
        for each in renaming.moved:
            less = Tally(*(-count for count in each.tally))
            for seats, tally, sign in ((each.old, less, -1), (each.new, each.tally, 1)):
                self._pairs.add(seats, tally)
                self._pairs.add_pairs(seats, each.pairs, sign=sign)
                self._record(seats, tally)
        names = renaming.names
        for old, new in names.items():
            if new not in rated:
                self._keep(self._anchored(replace(self.entrant(old), name=new)))
            if old not in self._records:
                self._forget(old)
        self._since_fit = [_under(names, each) for each in self._since_fit]
        self._fitted = {names.get(name, name) for name in self._fitted}

    def put_back(self, former: Mapping[str, Entrant | None]) -> None:
        """Make entrants what they were; forget those that were none. A fit must follow."""
        for name, entrant in former.items():
            if entrant is None:
                self._forget(name)
            else:
                self._keep(entrant)

    def _forget_idle(self, tallies: Iterable[Seats]) -> tuple[str, ...]:
        """Forget those without a game; add those that have one again."""
        forgotten = []
        for name in dict.fromkeys(name for seats in tallies for name in seats):
            if name in self._records or self.entrant(name).quarantine is not None:
                self._keep(self.entrant(name))
            else:
                self._forget(name)
                forgotten.append(name)
        return tuple(forgotten)

    @property
    def has_games(self) -> bool:
        return bool(self._records)

    @property
    def lives(self) -> dict[str, LiveRating]:
        return {name: each.live for name, each in self._entrants.items() if name in self._records}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._entrants)

    def quarantine(self, name: str, quarantine: Quarantine | None) -> Entrant:
        """Quarantine an entrant, or lift its quarantine; clear its penalties."""
        entrant = replace(self.entrant(name), penalties=0, quarantine=quarantine)
        self._keep(entrant)
        return entrant

    # The joint fit

    def rests_on(self, bot: str) -> dict[str, tuple[Share, ...]]:
        """Return what each version of a bot rests on most; an anchor's rating rests on no game."""
        versions = [name for name in self._versions.get(bot, ()) if name in self._records]
        columns = self._pairs.columns_of(versions)
        free = [name for name in versions if self.anchor(name) is None]
        numbers = {*columns.low.tolist(), *columns.high.tolist()}
        met = [columns.names[number] for number in numbers]
        elos = {name: self.entrant(name).live.elo for name in met}
        return rests_on(columns, Start(elos, self.fit.advantage), free, most=NAMED_OPPONENTS)

    def begin_fit(self, *, leave_out: bool = False) -> FitInput:
        """Return the input of a fit, which may leave out the games of unusual pairs."""
        self._fitted.update(name for outcome in self._since_fit for name in outcome.seats)
        self._since_fit.clear()
        self._since_begun = set()
        columns, entrants = self._pairs.columns(), dict(self._entrants)
        known = columns, self._anchors, self._house, entrants, self.fit.advantage
        return FitInput(*known, leave_out)

    def adopt(self, fitted: FittedLadder) -> list[str]:
        """Take over a fit of this state; return the entrants that it changed, by name.

        Its tables take the place of the former ones. Those that changed since it began are carried
        over one by one, and rated again on top of it.
        """
        ranges, self.fit = self.fit.rank_ranges, fitted.findings
        before, self._entrants, self._ranking = self._entrants, fitted.entrants, fitted.ranking
        later, self._since_begun = sorted(self._since_begun or ()), None
        for name in later:
            self._carry_over(name, before.get(name))
        for name in fitted.added:
            if name in self._entrants and name not in before:
                self._note_version(name)
        for outcome in self._since_fit:
            self._rate(outcome)
        for name in later:
            fitted.changed.pop(name, None)
        moved = [name for name in later if self._entrants.get(name) != before.get(name)]
        self._replaced = before, ranges
        return [*fitted.changed, *moved]

    def free_replaced(self, most: int) -> bool:
        """Free a part of what the last fit replaced; return whether more is left.

        Freeing everything in one go takes milliseconds.
        """
        for table in self._replaced:
            for _ in range(min(most, len(table))):
                table.popitem()
        return any(self._replaced)

    def _carry_over(self, name: str, now: Entrant | None) -> None:
        """Make an entrant that changed since a fit began what it is now, with the fit's rating."""
        fitted = self._entrants.get(name)
        if now is None:
            if fitted is not None:
                del self._entrants[name]
                self._ranking.drop(name)
            return
        live = now.live if fitted is None else fitted.live
        self._keep(self._anchored(replace(now, live=live)))

    def take_fitted(self) -> list[Standing]:
        """Return, once, the rows of those whose games a fit was the first to take in."""
        rows = [self._standing(name) for name in sorted(self._fitted & self._entrants.keys())]
        self._fitted.clear()
        return rows

    # The standings

    @property
    def ranked(self) -> int:
        return len(self._entrants)

    def standings(self, most: int | None = None, *, begin: int = 0) -> tuple[Standing, ...]:
        """Return rows of the standings: the strongest first, entrants without games last."""
        end = None if most is None else begin + most
        return tuple(map(self._standing, self._ranking.names(begin, end)))

    def places(self, bot: str) -> list[Standing]:
        """Return the rows of a bot's versions, the strongest first."""
        rows = map(self._standing, self._versions.get(bot, ()))
        return sorted(rows, key=lambda row: (row.rank, row.name))

    def best_elo(self, bot: str) -> float | None:
        """Return the rating of a bot's strongest version; None if none is rated."""
        names = self._versions.get(bot, ())
        merits = [merit for name in names if (merit := self._merit(self._entrants[name])) > UNRATED]
        return max(merits, default=None)

    def _standing(self, name: str) -> Standing:
        record, live = self._records.get(name, Tally()), self._entrants[name].live
        rank, known = self._ranking.rank(name), self.fit.rank_ranges.get(name)
        is_rated, ranks = self._is_rated(name), None
        if is_rated and known is not None:  # games since the fit may have carried it out of range
            ranks = min(known.best, rank), max(known.worst, rank)
        return Standing(
            rank=rank,
            name=name,
            points=record.wins + record.draws / 2,
            games=sum(record),
            wins=record.wins,
            draws=record.draws,
            losses=record.losses,
            elo=round(live.elo, 1) if is_rated else None,
            elo_error=round(Z95 * live.deviation, 1) if is_rated else None,
            rank_range=ranks,
        )

    def _merits(self) -> dict[str, float]:
        return {name: self._merit(entrant) for name, entrant in self._entrants.items()}

    def _keep(self, entrant: Entrant) -> None:
        if entrant.name not in self._entrants:
            self._note_version(entrant.name)
        self._put(entrant)
        self._ranking.put(entrant.name, self._merit(entrant))

    def _put(self, entrant: Entrant) -> None:
        self._entrants[entrant.name] = entrant
        self._note_change(entrant.name)

    def _note_change(self, name: str) -> None:
        """Note that an entrant changed, while a fit runs that does not know of it."""
        if self._since_begun is not None:
            self._since_begun.add(name)

    def _forget(self, name: str) -> None:
        self._note_change(name)
        if self._entrants.pop(name, None) is not None:
            self._ranking.drop(name)
            del self._versions[bot_name(name)][name]

    def _note_version(self, name: str) -> None:
        self._versions.setdefault(bot_name(name), {})[name] = None
        self._pairs.name((name,))

    def _is_rated(self, name: str) -> bool:
        return name in self._records or self.anchor(name) is not None

    def _merit(self, entrant: Entrant) -> float:
        return merit_of(entrant, is_rated=self._is_rated(entrant.name))

    def _record(self, seats: Seats, tally: Tally) -> None:
        """Add to what both have played; who has played nothing has no record."""
        self.games_counted += sum(tally)
        for name, its in zip(seats, (tally, Tally(*reversed(tally))), strict=True):
            record = Tally(*map(add, self._records.pop(name, Tally()), its))
            if any(record):
                self._records[name] = record

    def _rate(self, outcome: CountedGame) -> None:
        first, second = (self.entrant(name) for name in outcome.seats)
        score = 0.5 if outcome.winner is None else float(outcome.winner == 0)
        lives = after_game(first.live, second.live, score, advantage=self.fit.advantage)
        for entrant, live in zip((first, second), lives, strict=True):
            self._keep(self._anchored(replace(entrant, live=live)))

    def _penalise(self, name: str, *, forfeited: bool) -> None:
        entrant = self._entrants[name]
        more = PENALTIES_PER_FORFEIT if forfeited else -1
        self._put(replace(entrant, penalties=max(0, entrant.penalties + more)))

    def _anchored(self, entrant: Entrant) -> Entrant:
        return anchored(self._anchors, entrant)


def _under(names: Mapping[str, str], game: CountedGame) -> CountedGame:
    first, second = (names.get(name, name) for name in game.seats)
    return game._replace(seats=(first, second))


def _tally_of(winner: int | None) -> Tally:
    return Tally(wins=int(winner == 0), draws=int(winner is None), losses=int(winner == 1))
