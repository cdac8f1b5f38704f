"""The ratings of a running ladder: games counted, corrected, fitted, and handed on by seasons.

The joint fit is made in the background, some seconds after a game, and not again until there was
another one. The ratings that it changed become durable in slices, each after the one before, so
that the commits of moves go between; each holds ratings as they stand then, never older ones than a
game has committed meanwhile. A kill between two slices loses nothing: a restart fits again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from numpy.linalg import LinAlgError

from mancala.protocol.messages import Outcome, Reason

from ..config.ladders import LadderSettings
from ..match.context import Context
from ..match.deadline_timer import EarliestTimer
from ..model.entrant import NEWCOMER, Entrant, LiveRating, Quarantine
from ..model.game import Seats
from ..model.journal import (
    Announced,
    Announcement,
    EntrantForgotten,
    EntrantRated,
    Entry,
    KeptLadder,
    LadderMoved,
    PairsCounted,
    RatingNoted,
    SeatsTallied,
    StandingsAnnounced,
)
from ..model.match import Match
from ..model.orders import of_both
from ..model.pair_counts import by_name
from ..model.seat_columns import tally_columns
from ..model.timestamps import later
from .fitting import FitInput, FittedLadder, fit_ladder
from .state import NO_SEEDS, PENALTIES_PER_FORFEIT, Correction, CountedGame, LadderState

FORFEITS: Final = {
    Reason.TIMEOUT,
    Reason.ILLEGAL,
    Reason.DISCONNECTED,
    Reason.PROTOCOL,
    Reason.WEDGED,
}
ANNOUNCED_ROWS: Final = 100
"""Rows of the standings in an announcement, some 15 kB; the API has the others."""
SLICE: Final = 200
"""Entrants that a fit changed and that are committed together: under 2 ms of the event loop."""
FREED: Final = 1000
"""Entrants of whom the event loop frees in one go what was known before a fit."""


class LadderRatings:
    """The ratings of a ladder, apart from its members.

    Attributes:
        state: its tables; they may be replaced while a fit is made.
    """

    def __init__(self, settings: LadderSettings, context: Context) -> None:
        self.settings = settings
        self.standings_at: str | None = None
        self.state = LadderState(settings.fixed_ratings, house=settings.house)
        self._context = context
        self._matches = 0
        self._before: dict[str, list[Entrant]] = {}
        self._seeds: Mapping[str, LiveRating] = NO_SEEDS
        self._is_closed = False
        self._fit_timer = EarliestTimer(context, self._begin_fit)
        self._is_fitting = False
        self._is_stale = False
        self._awaiting: list[Callable[[], None]] = []

    @property
    def name(self) -> str:
        return self.settings.name

    def close(self) -> None:
        self._is_closed = True
        self._fit_timer.cancel()

    # Games

    def count(self, match: Match, ended: Outcome, result: Announcement) -> list[Entry]:
        """Count a game; return what becomes durable with its end."""
        announced = Announced(self._context.events.ladder_game(self.name, result))
        if ended.reason is Reason.ABORTED or not match.terms.rated:
            return [announced]
        game = _counted(match, ended)
        seats = game.seats
        self._before[match.id] = [self.state.entrant(name) for name in seats]
        both = self.state.count(game)
        tallied = SeatsTallied(self.name, seats, self.state.tally(seats))
        paired = [
            PairsCounted(self.name, pair, self.state.count_pair(pair, points))
            for pair, points in _completed(match)
        ]
        rated = [EntrantRated(self.name, self._judged(entrant, ended)) for entrant in both]
        self._refit_soon()
        return [announced, tallied, *paired, *rated, self._announced_standings()]

    def uncount(self, match: Match, ended: Outcome) -> None:
        """Take back a game that :meth:`count` counted: the store did not take it."""
        former = self._before.pop(match.id, None)
        if former is not None:
            self.state.uncount(_counted(match, ended), _completed(match), former)
            self._refit_soon()

    def on_stored(self, match: str) -> None:
        """Note that all that was counted of a match is durable."""
        self._before.pop(match, None)

    def ratings(self, match: Match) -> dict[str, float] | None:
        """Return the ratings of both bots of a match, by name; None when it is not rated."""
        if not match.terms.rated:
            return None
        elos = (round(self.state.entrant(name).live.elo, 1) for name in match.entrants)
        return dict(zip(match.names, elos, strict=True))

    def _judged(self, entrant: Entrant, ended: Outcome) -> Entrant:
        settings = self.settings
        if entrant.penalties < PENALTIES_PER_FORFEIT * settings.quarantine_after:
            return entrant
        until = later(self._context.utc(), settings.quarantine_s)
        detail = ended.evidence.detail if ended.evidence is not None else ""
        reason = f"too many games forfeited, the last one by {ended.reason}: {detail}"
        self._context.log.warning("quarantine", ladder=self.name, entrant=entrant.name, why=reason)
        return self.state.quarantine(entrant.name, Quarantine(until, reason))

    def _announced_standings(self) -> StandingsAnnounced:
        self.standings_at = self._context.utc()
        rows, total = self.state.standings(ANNOUNCED_ROWS), self.state.ranked
        facts = self.name, self._context.new_id(), self.standings_at, rows
        games = self.state.games_counted
        result = self._context.events.standings(*facts, total=total, games=games)
        return StandingsAnnounced(self.name, result)

    # Corrections by the operator

    def correct(
        self,
        games: Iterable[CountedGame],
        pairs: Iterable[tuple[Seats, tuple[float, float]]],
        *,
        sign: int,
    ) -> list[Entry]:
        """Take games out that were annulled, or count them again, as :meth:`LadderState.correct`.

        Return what becomes durable with it; :meth:`refit` must follow. The standings are announced
        with it and again by the fit, which a kill may precede: a ladder without games is not fitted
        after a restart.
        """
        corrected = correction_entries(self.name, self.state.correct(games, pairs, sign=sign))
        return [*corrected, self._announced_standings()]

    def rename(
        self, old: str, new: str, *, leaves: bool = True
    ) -> tuple[list[Entry], Callable[[], None]]:
        """Move a bot's versions to another name; :meth:`refit` must follow.

        Quarantines hold as :func:`of_both` says, for the name that goes only if it ``leaves``.
        Return what becomes durable with it, and what takes it back.
        """
        state, renaming = self.state, self.state.renaming(old, new)
        both = dict.fromkeys(name for pair in renaming.names.items() for name in pair)
        former = {name: state.known(name) for name in both}
        out = {name: found for name in both if (found := self.quarantine_of(name)) is not None}
        state.rename(renaming)
        for name, other in renaming.names.items():
            out_of = out.get(name), out.get(other)
            held = of_both(*out_of, lasts=Quarantine.lasts_until, leaves=leaves)
            for each, quarantine in zip((name, other), held, strict=True):
                if quarantine is not None:
                    state.quarantine(each, quarantine)

        def take_back() -> None:
            state.rename(renaming.back)
            state.put_back(former)

        return self._rated(both), take_back

    def quarantines(self, bot: str) -> dict[str, Quarantine]:
        """Return the quarantines of a bot's versions that hold, by version."""
        names = (row.name for row in self.state.places(bot))
        return {name: found for name in names if (found := self.quarantine_of(name)) is not None}

    def quarantine_of(self, name: str) -> Quarantine | None:
        """Return an entrant's quarantine, if it still holds."""
        found = self.state.entrant(name).quarantine
        return None if found is None or found.until <= self._context.utc() else found

    def quarantine(self, name: str, quarantine: Quarantine | None) -> Entry:
        """Quarantine an entrant, or lift its quarantine; return what becomes durable."""
        return EntrantRated(self.name, self.state.quarantine(name, quarantine))

    def _rated(self, names: Iterable[str]) -> list[Entry]:
        """Return what makes these ratings durable, except of those forgotten meanwhile."""
        found = (self.state.known(name) for name in names)
        return [EntrantRated(self.name, entrant) for entrant in found if entrant is not None]

    # What was kept, and seasons

    def restore_ratings(self, kept: KeptLadder, seeds: Mapping[str, LiveRating]) -> None:
        """Take over what the journal kept; ``seeds`` is how strong entrants begin, by name."""
        self._seeds = seeds
        self.state = self._state_of(kept)
        if kept.tallies:
            self._matches = tally_columns(kept.tallies).sum // self.settings.games
            self.standings_at = self._context.utc()
            self._begin_fit()

    def renew(self, kept: KeptLadder) -> None:
        """Take over tables that were made anew while no game was under way; fit again."""
        self.state = self._state_of(kept)
        self.refit(lambda: None)

    def _state_of(self, kept: KeptLadder) -> LadderState:
        settings = self.settings
        known = settings.fixed_ratings, kept.entrants, kept.tallies, settings.house, kept.pairs
        return LadderState(*known, self._seeds)

    def end_season(self, archive: LadderRatings, *, seeds: bool) -> list[Entry]:
        """Hand all that was played to another ladder, and begin with nothing.

        Quarantines that hold go on; with ``seeds`` bots begin at the strength that they have.
        Return what becomes durable with it. :meth:`refit` of both must follow.
        """
        former = self.state
        self._seeds = former.lives if seeds else NO_SEEDS
        archive.take_season(self)
        out = {name: found for name in former.names if (found := self.quarantine_of(name))}
        kept = [
            Entrant(name, self._seeds.get(name, NEWCOMER), quarantine=quarantine)
            for name, quarantine in out.items()
        ]
        self.state = self._state_of(KeptLadder(tuple(kept)))
        self.standings_at, self._matches = None, 0
        rated = [EntrantRated(self.name, each) for each in kept]
        return [LadderMoved(self.name, archive.name), *rated]

    def take_season(self, former: LadderRatings) -> None:
        """Take all that was played in another ladder."""
        self.state, self.standings_at = former.state, former.standings_at
        self._matches = former._matches

    # The joint fit

    def refit(self, done: Callable[[], None]) -> None:
        """Fit all ratings again; call ``done`` once they and the standings are handed in."""
        self._awaiting.append(done)
        if self._is_fitting:
            self._is_stale = True
        elif self.state.has_games:
            self._fit_timer.cancel()
            self._begin_fit()
        else:
            self._commit([self._announced_standings()])
            self._report()

    def _report(self) -> None:
        awaiting, self._awaiting = self._awaiting, []
        for done in awaiting:
            done()

    def _refit_soon(self) -> None:
        """Fit some seconds from now, with all games that end until then."""
        if not (self._is_fitting or self._is_closed):
            self._fit_timer.set(self._context.now() + self.settings.refit_s)

    def _begin_fit(self) -> None:
        self._is_fitting = True
        begun = self.state.begin_fit(leave_out=self.settings.leave_out_unusual)
        self._context.in_background(partial(_fitted, begun), partial(self._adopt, self.state))

    def _adopt(self, state: LadderState, fitted: FittedLadder | None) -> None:
        """Adopt a fit, unless the tables that it was made from were replaced meanwhile."""
        if fitted is None:
            self._context.log.warning("no joint fit", ladder=self.name)
        if fitted is None or self._is_closed or state is not self.state:
            self._end_fit()
            return
        changed = state.adopt(fitted)
        self._context.log.debug("fitted", ladder=self.name, entrants=state.ranked)
        self._keep(state, changed)
        self._free_replaced(state)

    def _free_replaced(self, state: LadderState) -> None:
        if state.free_replaced(FREED) and not self._is_closed:
            self._context.call_at(self._context.now(), partial(self._free_replaced, state))

    def _keep(self, state: LadderState, changed: Sequence[str], begin: int = 0) -> None:
        """Make durable what a fit changed: a slice, then the next one after its commit."""
        end = begin + SLICE
        if self._is_closed or state is not self.state:
            self._end_fit()
        elif end >= len(changed):
            self._keep_last(changed[begin:])
            self._end_fit()
        else:
            self._commit(self._rated(changed[begin:end]), partial(self._keep, state, changed, end))

    def _keep_last(self, changed: Sequence[str]) -> None:
        """Make the last slice durable, the ratings of those that had played, and the standings."""
        rated, noted = self._rated(changed), self._noted()
        announced = [self._announced_standings()] if rated or self._awaiting else []
        if announced or noted:
            self._commit([*rated, *noted, *announced])

    def _end_fit(self) -> None:
        self._is_fitting = False
        if self._is_closed:
            return
        if self._is_stale and self.state.has_games:
            self._is_stale = False
            self._begin_fit()
            return
        self._report()
        if self.state.has_news:
            self._refit_soon()

    def _noted(self) -> list[RatingNoted]:
        at = self._context.utc()
        return [
            RatingNoted(self.name, row.name, at, row.elo, row.elo_error, row.games)
            for row in self.state.take_fitted()
            if row.elo is not None and row.elo_error is not None
        ]

    def _commit(self, entries: Sequence[Entry], after: Callable[[], None] = lambda: None) -> None:
        """Commit entries; call ``after`` then, whether or not the store takes them."""
        self._context.journal.commit(entries, after, after)


def _fitted(begun: FitInput) -> FittedLadder | None:
    try:
        return fit_ladder(begun)
    except LinAlgError:
        return None


def correction_entries(ladder: str, found: Correction) -> list[Entry]:
    """Return what becomes durable when games of a ladder are annulled, or count again."""
    return [
        *(SeatsTallied(ladder, seats, tally) for seats, tally in found.tallies.items()),
        *(PairsCounted(ladder, seats, counts) for seats, counts in found.pairs.items()),
        *(EntrantForgotten(ladder, name) for name in found.forgotten),
    ]


def _counted(match: Match, ended: Outcome) -> CountedGame:
    seats = match.entrants[match.side(0)], match.entrants[match.side(1)]
    return CountedGame(seats, ended.winner, forfeited_by(ended.reason, ended.winner))


def _completed(match: Match) -> list[tuple[Seats, tuple[float, float]]]:
    """Return the side-swapped pair that the present game of a match completes, if it does."""
    points = match.counted_pair
    return [] if points is None else [by_name(match.entrants, points)]


def forfeited_by(reason: Reason, winner: int | None) -> int | None:
    """Return the player that forfeited a game that ended so, or None."""
    return None if reason not in FORFEITS or winner is None else 1 - winner
