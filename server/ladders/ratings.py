"""The ratings of a running ladder: games counted, corrected, fitted, and handed on by seasons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final

from mancala.protocol.messages import (
    Outcome,
    Reason,
)

from ..config.ladders import LadderSettings
from ..match.context import Context
from ..model.entrant import NEWCOMER, Entrant, LiveRating, Quarantine
from ..model.game import Seats, Standing
from ..model.journal import (
    Announced,
    Announcement,
    EntrantForgotten,
    EntrantRated,
    Entry,
    KeptLadder,
    LadderMoved,
    PairsCounted,
    SeatsTallied,
    StandingsAnnounced,
)
from ..model.match import LadderContext, Match
from ..model.misfit import Misfit
from ..model.orders import of_both
from ..model.pair_counts import by_name
from ..model.seat_columns import tally_columns
from ..model.timestamps import later
from ..rating.information import Share
from .fitting import Superiority
from .joint_fit import JointFit
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


class LadderRatings:
    """The ratings of a ladder, apart from its members.

    Attributes:
        settings: its settings.
        state: its tables.
        standings_at: when the standings last changed; None before the first game.
        joint_fit: fits them all.
    """

    def __init__(self, settings: LadderSettings, context: Context) -> None:
        """Begin without a game.

        Args:
            settings: the ladder's settings.
            context: clock, journal and the rest of what the server hands out.
        """
        self.settings = settings
        self.standings_at: str | None = None
        self.state = LadderState(settings.fixed_ratings, house=settings.house)
        self.joint_fit = JointFit(self, context)
        self._context = context
        self._matches = 0
        self._former: dict[str, list[Entrant]] = {}
        self._seeds: Mapping[str, LiveRating] = NO_SEEDS

    @property
    def name(self) -> str:
        """The ladder's name."""
        return self.settings.name

    def standings(self, most: int | None = None, *, begin: int = 0) -> tuple[Standing, ...]:
        """Return rows of the standings, best first; see :meth:`LadderState.standings`."""
        return self.state.standings(most, begin=begin)

    @property
    def ranked(self) -> int:
        """The number of rows of the standings."""
        return self.state.ranked

    def places(self, bot: str) -> list[Standing]:
        """Return the rows of a bot's versions, the strongest first."""
        return self.state.places(bot)

    def best_elo(self, bot: str) -> float | None:
        """Return the rating of a bot's strongest version; None if none is rated."""
        return self.state.best_elo(bot)

    def strength(self, entrant: str) -> LiveRating:
        """Return the rating by which an entrant is paired, also before its first game."""
        return self.state.entrant(entrant).live

    def rests_on(self, bot: str) -> dict[str, tuple[Share, ...]]:
        """Return, for each version of a bot, the opponents that its rating rests on most."""
        return self.state.rests_on(bot)

    @property
    def groups(self) -> dict[str, int]:
        """The group of each rated version that the last fit knew; see `LadderState`."""
        return self.state.groups

    @property
    def superiority(self) -> Superiority:
        """Who of the best is how likely stronger than whom, as the last fit found it."""
        return self.state.superiority

    @property
    def misfit(self) -> Misfit | None:
        """How far results lie from what the ratings let expect, as the last fit found it."""
        return self.state.misfit

    def count(
        self, match: Match, ladder_context: LadderContext, ended: Outcome, result: Announcement
    ) -> list[Entry]:
        """Count a game; return what becomes durable with its end."""
        announced = Announced(self._context.events.ladder_game(self.name, result))
        if ended.reason is Reason.ABORTED or not match.terms.rated:
            return [announced]
        entrants = ladder_context.entrants
        game = _counted(match, ladder_context, ended)
        seats = game.seats
        self._former[match.id] = [self.state.entrant(name) for name in seats]
        both = self.state.count(game)
        tallied = SeatsTallied(self.name, seats, self.state.tally(seats))
        paired = self._paired(match, entrants)
        rated = [EntrantRated(self.name, self._judged(entrant, ended)) for entrant in both]
        self.joint_fit.refit_soon()
        return [announced, tallied, *paired, *rated, self.announced_standings()]

    def uncount(self, match: Match, ladder_context: LadderContext, ended: Outcome) -> None:
        """Take back a game that :meth:`count` counted: the store did not take it."""
        former = self._former.pop(match.id, None)
        if former is not None:
            points = match.counted_pair
            pairs = [] if points is None else [by_name(ladder_context.entrants, points)]
            self.state.uncount(_counted(match, ladder_context, ended), pairs, former)
            self.joint_fit.refit_soon()

    def on_stored(self, match: str) -> None:
        """Note that all that was counted of a match is durable."""
        self._former.pop(match, None)

    def _paired(self, match: Match, entrants: tuple[str, str]) -> list[Entry]:
        """Return what becomes durable when a side-swapped pair of games is complete."""
        points = match.counted_pair
        if points is None:
            return []
        seats, seen = by_name(entrants, points)
        return [PairsCounted(self.name, seats, self.state.count_pair(seats, seen))]

    def ratings(self, match: Match, ladder_context: LadderContext) -> dict[str, float]:
        """Return the ratings of both bots of a match, by name."""
        elos = (round(self.state.entrant(name).live.elo, 1) for name in ladder_context.entrants)
        return dict(zip(match.names, elos, strict=True))

    def _judged(self, entrant: Entrant, ended: Outcome) -> Entrant:
        settings = self.settings
        if entrant.penalties < PENALTIES_PER_FORFEIT * settings.quarantine_after:
            return entrant
        until = later(self._context.utc(), settings.quarantine_s)
        detail = ended.evidence.detail if ended.evidence is not None else ""
        reason = f"too many games forfeited, the last one by {ended.reason}: {detail}"
        self._context.log.warning("quarantine", ladder=self.name, entrant=entrant.name, why=reason)
        quarantine = Quarantine(until, reason)
        return self.state.quarantine(entrant.name, quarantine)

    def announced_standings(self) -> StandingsAnnounced:
        """Return what announces the standings as they are now."""
        self.standings_at = self._context.utc()
        rows, total = self.state.standings(ANNOUNCED_ROWS), self.state.ranked
        facts = self.name, self._context.new_id(), self.standings_at, rows
        result = self._context.events.standings(*facts, total=total)
        return StandingsAnnounced(self.name, result)

    def correct(
        self,
        games: Iterable[CountedGame],
        pairs: Iterable[tuple[Seats, tuple[float, float]]],
        *,
        sign: int,
    ) -> list[Entry]:
        """Take games out that were annulled, or count them again; :meth:`refit` must follow.

        The standings are announced with it and again by the fit, which a kill may precede: a ladder
        without games is not fitted after a restart.

        Args:
            games: the games.
            pairs: the side-swapped pairs that are complete no more, or again.
            sign: -1 to take out, 1 to count again.

        Returns:
            What becomes durable with it.
        """
        corrected = correction_entries(self.name, self.state.correct(games, pairs, sign=sign))
        return [*corrected, self.announced_standings()]

    def rename(
        self, old: str, new: str, *, leaves: bool = True
    ) -> tuple[list[Entry], Callable[[], None]]:
        """Move a bot's versions to another name; :meth:`refit` must follow.

        Quarantines hold as :func:`of_both` says.

        Args:
            old: the name that goes.
            new: the other one.
            leaves: whether quarantines hold for the name that goes, too.

        Returns:
            What becomes durable with it, and what takes it back.
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

        return self.rated(both), take_back

    def knows(self, bot: str) -> bool:
        """Return whether any version of a bot has a game or a quarantine."""
        return self.state.knows(bot)

    def quarantines(self, bot: str) -> dict[str, Quarantine]:
        """Return the quarantines of a bot's versions that hold, by version."""
        names = (row.name for row in self.state.places(bot))
        return {name: found for name in names if (found := self.quarantine_of(name)) is not None}

    def renew(self, kept: KeptLadder) -> None:
        """Take over tables that were made anew while no game was under way; fit again."""
        self.state = self._state_of(kept)
        self.refit(lambda: None)

    def _state_of(self, kept: KeptLadder) -> LadderState:
        return LadderState(
            self.settings.fixed_ratings,
            kept.entrants,
            kept.tallies,
            self.settings.house,
            kept.pairs,
            self._seeds,
        )

    @property
    def has_games(self) -> bool:
        """Whether any game counts in this season."""
        return self.state.has_games

    def end_season(self, archive: LadderRatings, *, seeds: bool) -> list[Entry]:
        """Hand all that was played to another ladder, and begin with nothing.

        Quarantines that hold go on. :meth:`refit` of both must follow.

        Args:
            archive: the ladder that has the games from now on.
            seeds: whether bots begin at the strength that they have.

        Returns:
            What becomes durable with it.
        """
        former, now = self.state, self._context.utc()
        self._seeds = former.lives if seeds else NO_SEEDS
        archive.take_season(self)
        out = [each for each in map(former.entrant, former.names) if _is_out(each, now)]
        kept = [replace(self._seeded(each.name), quarantine=each.quarantine) for each in out]
        self.state = self._state_of(KeptLadder(tuple(kept)))
        self.standings_at, self._matches = None, 0
        rated = [EntrantRated(self.name, each) for each in kept]
        return [LadderMoved(self.name, archive.name), *rated]

    def take_season(self, former: LadderRatings) -> None:
        """Take all that was played in another ladder."""
        self.state, self.standings_at = former.state, former.standings_at
        self._matches = former._matches

    def _seeded(self, name: str) -> Entrant:
        return Entrant(name, self._seeds.get(name, NEWCOMER))

    @property
    def entrants(self) -> tuple[str, ...]:
        """All versions that are ranked or in quarantine."""
        return self.state.names

    def quarantine_of(self, name: str) -> Quarantine | None:
        """Return an entrant's quarantine, if it still holds."""
        found = self.state.entrant(name).quarantine
        return None if found is None or found.until <= self._context.utc() else found

    def quarantine(self, name: str, quarantine: Quarantine | None) -> Entry:
        """Quarantine an entrant, or lift its quarantine; return what becomes durable."""
        if quarantine is None:
            return EntrantRated(self.name, self.state.release(name))
        return EntrantRated(self.name, self.state.quarantine(name, quarantine))

    def rated(self, names: Iterable[str]) -> list[Entry]:
        """Return what makes these ratings durable, except of those forgotten meanwhile."""
        found = (self.state.known(name) for name in names)
        return [EntrantRated(self.name, entrant) for entrant in found if entrant is not None]

    def restore_ratings(self, kept: KeptLadder, seeds: Mapping[str, LiveRating]) -> None:
        """Take over what the journal kept; ``seeds`` is how strong entrants begin, by name."""
        self._seeds = seeds
        self.state = self._state_of(kept)
        if kept.tallies:
            self._matches = tally_columns(kept.tallies).sum // self.settings.games
            self.standings_at = self._context.utc()
            self.joint_fit.begin()

    def refit(self, done: Callable[[], None]) -> None:
        """Fit all ratings again; call ``done`` once they and the standings are handed in."""
        self.joint_fit.refit(done)


def _is_out(entrant: Entrant, now: str) -> bool:
    return entrant.quarantine is not None and entrant.quarantine.until > now


def correction_entries(ladder: str, found: Correction) -> list[Entry]:
    """Return what becomes durable when games of a ladder are annulled, or count again."""
    return [
        *(SeatsTallied(ladder, seats, tally) for seats, tally in found.tallies.items()),
        *(PairsCounted(ladder, seats, counts) for seats, counts in found.pairs.items()),
        *(EntrantForgotten(ladder, name) for name in found.forgotten),
    ]


def _counted(match: Match, ladder_context: LadderContext, ended: Outcome) -> CountedGame:
    """Return the present game of a match as the ladder counts it."""
    entrants = ladder_context.entrants
    seats = entrants[match.side(0)], entrants[match.side(1)]
    return CountedGame(seats, ended.winner, forfeited_by(ended.reason, ended.winner))


def forfeited_by(reason: Reason, winner: int | None) -> int | None:
    """Return the player that forfeited a game that ended so, or None."""
    if reason not in FORFEITS or winner is None:
        return None
    return 1 - winner
