"""One ladder of a running server: it pairs free members, counts games and announces standings.

Nothing is polled. Members are paired when one arrives or comes free, and again when a member has
waited long enough for a new opponent. The joint fit runs in the background some seconds after a
game, and not again until there was another one. The ratings that it changed become durable in
slices, each after the one before, so that the commits of moves go between; each holds ratings as
they stand then, never older ones than a game has committed meanwhile. A kill between two slices
loses nothing: a restart fits again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from random import Random  # noqa: TID251  # only with a fixed seed
from typing import Final, NamedTuple, Protocol

from numpy.linalg import LinAlgError

from mancala.protocol.messages import (
    ErrorCode,
    Joined,
    Left,
    MatchOrigin,
    NextMatch,
    Reason,
)
from mancala.protocol.referee import Ended
from mancala.protocol.rules import Board
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.openings import board_of
from mancala.server.context import Context
from mancala.server.ladders.day_limits import DayLimits, Newcomer
from mancala.server.ladders.fitting import FittedLadder, Superiority, fit_ladder
from mancala.server.ladders.membership import Membership
from mancala.server.ladders.state import (
    NO_SEEDS,
    PENALTIES_PER_FORFEIT,
    Correction,
    CountedGame,
    LadderState,
)
from mancala.server.match.participant import Participant
from mancala.server.model.day_counts import Counted
from mancala.server.model.entrant import (
    NEWCOMER,
    Entrant,
    LiveRating,
    Quarantine,
    entrant_name,
)
from mancala.server.model.game import Encounter, Seats
from mancala.server.model.journal import (
    Announced,
    Announcement,
    EntrantForgotten,
    EntrantRated,
    Entry,
    KeptLadder,
    LadderJoined,
    LadderLeft,
    LadderMoved,
    PairsCounted,
    RatingNoted,
    SeatsTallied,
    StandingsAnnounced,
    SwitchedOff,
)
from mancala.server.model.match import LadderContext, Match, Terms
from mancala.server.model.misfit import Misfit
from mancala.server.model.orders import SwitchKind
from mancala.server.model.pair_counts import by_name
from mancala.server.model.replays import NOTHING_ELSE, Along, Replay
from mancala.server.model.seat_columns import tally_columns
from mancala.server.model.standings import Standing
from mancala.server.model.timers import Timer
from mancala.server.model.timestamps import later
from mancala.server.net.seat import Seat
from mancala.server.rating.information import Share

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

NEVER_ASKED: Final = (
    "this ladder plays the pie rule; your hello does not say swap, so you are never asked to swap, "
    "but your opponent may be"
)


class MatchStarter(Protocol):
    """Starts the matches of a ladder."""

    @property
    def is_draining(self) -> bool:
        """Whether no match may begin."""

    def has_time(self, name: str) -> bool:
        """Return whether a bot may play one more match on this server."""

    def open_match(
        self,
        names: tuple[str, str],
        terms: Terms,
        ladder_context: LadderContext,
        along: Along = NOTHING_ELSE,
    ) -> None:
        """Start a match between two bots that are present."""


class JoinRefusal(NamedTuple):
    """Why a bot may not join."""

    code: ErrorCode
    message: str


class Ladder:
    """A running ladder: its members and its state.

    Attributes:
        settings: its settings.
        terms: the terms of its matches.
        watchers: connections that watch every game.
        standings_at: when the standings last changed; None before the first game.
        held: returns why the operator lets no match begin, or None.
        is_shut: returns whether the operator lets no bot join.
        owed: returns the matches that the operator wants played again.
        settle: called with the id of such a match once it has begun again.
    """

    def __init__(self, settings: LadderSettings, context: Context, starter: MatchStarter) -> None:
        """Open an empty ladder.

        Args:
            settings: its settings.
            context: clock, journal and the rest of what the server hands out.
            starter: starts its matches.
        """
        self.settings = settings
        self.terms = Terms(settings.parsed_rules, settings.clock, rated=True, games=settings.games)
        self.watchers: set[Seat] = set()
        self.standings_at: str | None = None
        self.held: Callable[[], str | None] = lambda: None
        self.is_shut: Callable[[], bool] = lambda: False
        self.owed: Callable[[], tuple[Replay, ...]] = lambda: ()
        self.settle: Callable[[str], None] = lambda _match: None
        self._context = context
        self._starter = starter
        self._openings = shuffled(settings.boards, settings.seed)
        self._matches = 0
        self._former: dict[str, list[Entrant]] = {}
        self._state = LadderState(settings.fixed_ratings, house=settings.house)
        self._limits = DayLimits(settings.name, context)
        self._members = Membership(
            patience_s=settings.patience_s,
            house=settings.house,
            pulse_s=settings.pulse_s,
            parts_guests=settings.parts_guests,
            has_time=starter.has_time,
        )
        self._pairing_timer: Timer | None = None
        self._pairing_due = float("inf")
        self._fit_timer: Timer | None = None
        self._is_fitting = False
        self._is_stale = False
        self._awaiting_fit: list[Callable[[], None]] = []
        self._is_closed = False
        self._seeds: Mapping[str, LiveRating] = NO_SEEDS

    @property
    def name(self) -> str:
        """The ladder's name."""
        return self.settings.name

    @property
    def present(self) -> int:
        """The number of members whose connection stands."""
        return self._members.present

    @property
    def waiting(self) -> int:
        """The number of members that wait for a match."""
        return self._members.free

    def __contains__(self, name: object) -> bool:
        """Return whether a bot is a member."""
        return name in self._members

    def standings(self, most: int | None = None, *, begin: int = 0) -> tuple[Standing, ...]:
        """Return rows of the standings, best first; see :meth:`LadderState.standings`."""
        return self._state.standings(most, begin=begin)

    @property
    def ranked(self) -> int:
        """The number of rows of the standings."""
        return self._state.ranked

    def places(self, bot: str) -> list[Standing]:
        """Return the rows of a bot's versions, the strongest first."""
        return self._state.places(bot)

    def best_elo(self, bot: str) -> float | None:
        """Return the rating of a bot's strongest version; None if none is rated."""
        return self._state.best_elo(bot)

    def strength(self, entrant: str) -> LiveRating:
        """Return the rating by which an entrant is paired, also before its first game."""
        return self._state.entrant(entrant).live

    def rests_on(self, bot: str) -> dict[str, tuple[Share, ...]]:
        """Return, for each version of a bot, the opponents that its rating rests on most."""
        return self._state.rests_on(bot)

    @property
    def groups(self) -> dict[str, int]:
        """The group of each rated version that the last fit knew; see `LadderState`."""
        return self._state.groups

    @property
    def superiority(self) -> Superiority:
        """Who of the best is how likely stronger than whom, as the last fit found it."""
        return self._state.superiority

    @property
    def misfit(self) -> Misfit | None:
        """How far results lie from what the ratings let expect, as the last fit found it."""
        return self._state.misfit

    # Members come and go

    def join(self, player: Participant, matches: int | None = None) -> JoinRefusal | None:
        """Add a bot; return the reason when it may not join, else None.

        Args:
            player: the bot.
            matches: after how many matches it leaves; None for never.
        """
        entrant = entrant_name(player.name, player.agent)
        refusal = self._refusal(player, entrant)
        if refusal is None and player.name in self._members:
            self._members.bound(player.name, matches)
            player.send(self._joined(player, matches))
            return None
        if refusal is not None:
            return refusal
        is_playing = any(match.ladder == self.name for match in player.matches.values())
        self._members.join(
            player.name,
            entrant,
            self._context.now(),
            is_playing=is_playing,
            is_guest=player.is_guest,
            address=player.address_key,
        )
        self._members.bound(player.name, matches)
        self._context.log.info("joined", ladder=self.name, name=player.name, entrant=entrant)
        joined = LadderJoined(self.name, player.secret_hash)
        tell = partial(player.send, self._joined(player, matches))
        self._commit([joined], partial(self._undo_join, player), tell)
        self._pause(player)
        self._pair_by(self._context.now())
        return None

    def _joined(self, player: Participant, matches: int | None) -> Joined:
        terms = self.terms
        warning = NEVER_ASKED if terms.rules.pie and not player.knows_swap else ""
        return Joined(self.name, terms.rules, terms.clock, terms.games, matches, warning)

    def _undo_join(self, player: Participant) -> None:
        self._forget(player.name)
        unstored = JoinRefusal(
            ErrorCode.INTERNAL, "the server could not store that; try again later"
        )
        send_refusal(player, unstored, self.name)

    def leave(self, player: Participant) -> None:
        """Remove a bot; a match under way is played to its end."""
        if player.name in self._members:
            self._forget(player.name)
            left = LadderLeft(self.name, player.secret_hash)
            self._commit([left], done=partial(player.send, Left(self.name)))

    def forget(self, player: Participant) -> None:
        """Remove a bot whose session is over, which the journal knows already."""
        self._forget(player.name)

    def _forget(self, name: str) -> None:
        self._members.leave(name)
        self._limits.release(name)

    def on_connect(self, player: Participant) -> None:
        """Note that a bot's connection stands; one that came as a quarantined version leaves."""
        if player.name not in self._members:
            return
        entrant = entrant_name(player.name, player.agent)
        self._members.on_connect(player.name, entrant, self._context.now(), player.address_key)
        self._pause(player)
        self._keep_or_dismiss(player)

    def on_disconnect(self, player: Participant) -> None:
        """Note that a bot's connection is gone."""
        self._members.on_disconnect(player.name)

    def on_match_end(self, player: Participant) -> None:
        """Note that a bot's match is over."""
        if player.name in self._members:
            self._members.on_match_end(player.name, self._context.now())
            if self._members.has_finished(player.name):
                self.leave(player)
            else:
                self._keep_or_dismiss(player)

    def _keep_or_dismiss(self, player: Participant) -> None:
        """Pair a member, unless the version that it plays as is quarantined."""
        entrant = self._members.entrant(player.name)
        refusal = self._quarantine_of(entrant) or self._excess_of(player, entrant)
        if refusal is None:
            self._pair_by(self._context.now())
        else:
            self.leave(player)
            send_refusal(player, refusal, self.name)

    def found_time(self, player: Participant) -> None:
        """Note that a match of a bot is over, here or elsewhere."""
        if player.name in self._members:
            self._pair_by(self._context.now())

    def restore(
        self,
        kept: KeptLadder,
        members: Sequence[Participant],
        seeds: Mapping[str, LiveRating] = NO_SEEDS,
    ) -> None:
        """Restore what the journal kept; the members are still away.

        Args:
            kept: what it kept.
            members: the bots in the ladder.
            seeds: at what strength entrants of the season before begin, by name.
        """
        self._seeds = seeds
        self._state = self._state_of(kept)
        for player in members:
            entrant = entrant_name(player.name, player.agent)
            self._members.join(player.name, entrant, self._context.now(), is_guest=player.is_guest)
            self._members.on_disconnect(player.name)
        self._members.restore_opponents(kept.met)
        if kept.tallies:
            self._matches = tally_columns(kept.tallies).sum // self.terms.games
            self.standings_at = self._context.utc()
            self._begin_fit()

    def restore_count(self, counted: Counted, since: float) -> None:
        """Count again what a former server counted; ``since`` is when, on the loop's clock."""
        self._limits.restore_count(counted, since)

    def resumed(self, match: Match) -> None:
        """Note that a match restored from the journal goes on, from the openings that it has."""
        self._members.begun(*match.names)
        self._matches += 1

    def close(self) -> None:
        """Start no further match and no further fit."""
        self._is_closed = True
        for timer in (self._pairing_timer, self._fit_timer):
            if timer is not None:
                timer.cancel()

    def left_early(self, player: Participant, match: str) -> bool:
        """Note that a bot left a match before its first move; return whether it loses the game.

        Args:
            player: the bot.
            match: the match, which counts once.
        """
        count = self._limits.left_early(player, match)
        self._context.log.info("left early", ladder=self.name, name=player.name, times=count)
        self._members.pause(player.name, self._limits.pause(player, self.settings).until)
        return count > self.settings.early_departures

    def _pause(self, player: Participant) -> None:
        """Pause a bot that keeps leaving, and a new name whose address does."""
        pauses = [self._limits.pause(player, self.settings)]
        if (newcomer := self._newcomer(player.name)) is not None:
            pauses.append(self._limits.wait(newcomer, self.settings))
        longest = max(pauses, key=lambda pause: pause.until)
        self._members.pause(player.name, longest.until)
        if longest.until > self._context.now():
            send_refusal(player, JoinRefusal(ErrorCode.LIMIT, longest.reason), self.name)

    def _newcomer(self, name: str) -> Newcomer | None:
        """Return a guest that has no record; None for any other member."""
        address = self._members.address(name)
        if address is None or self._state.has_played(name):
            return None
        return Newcomer(name, address)

    def _refusal(self, player: Participant, entrant: str) -> JoinRefusal | None:
        if self._starter.is_draining:
            return JoinRefusal(ErrorCode.SHUTTING_DOWN, "no new match: the server is about to stop")
        if self.is_shut():
            return JoinRefusal(ErrorCode.FORBIDDEN, self.held() or f"{self.name} is closed")
        if player.is_guest and not self.settings.guests:
            detail = f"the ladder {self.name} takes bots with a token only"
            return JoinRefusal(ErrorCode.FORBIDDEN, detail)
        if not self.settings.admits(player.name):
            detail = f"the ladder {self.name} isn't open to {player.name}"
            return JoinRefusal(ErrorCode.FORBIDDEN, detail)
        return self._quarantine_of(entrant) or self._excess_of(player, entrant)

    def _excess_of(self, player: Participant, entrant: str) -> JoinRefusal | None:
        """Return why a new entrant is one too many today, or None."""
        if self._state.games(entrant):
            return None
        excess = self._limits.excess_of(player, entrant, self.settings)
        if excess is None:
            return None
        detail = f"{excess}: the ladder {self.name} takes no other"
        return JoinRefusal(ErrorCode.FORBIDDEN, detail)

    def _quarantine_of(self, entrant: str) -> JoinRefusal | None:
        quarantine = self._state.entrant(entrant).quarantine
        if quarantine is None or quarantine.until <= self._context.utc():
            return None
        detail = f"{entrant} is out of {self.name} until {quarantine.until}: {quarantine.reason}"
        return JoinRefusal(ErrorCode.QUARANTINED, detail)

    # Pairing

    def _pair_by(self, when: float) -> None:
        if self._is_closed or when >= self._pairing_due:
            return
        if self._pairing_timer is not None:
            self._pairing_timer.cancel()
        self._pairing_due = when
        self._pairing_timer = self._context.call_at(when, self._pair)

    def _pair(self) -> None:
        self._pairing_timer, self._pairing_due = None, float("inf")
        if self._starter.is_draining or self.held() is not None:
            return
        now = self._context.now()
        for replay in self.owed():
            if all(self._members.is_free(name, now) for name in replay.names):
                self._start_again(replay)
        for encounter in self._members.pair(self._state, now):
            self._start(encounter)
        again = self._members.next_look(self._state, now)
        if again < float("inf"):
            self._pair_by(again)

    def _start(self, encounter: Encounter) -> None:
        first, second = encounter
        entrants = self._members.entrant(first), self._members.entrant(second)
        self._members.begun(first, second)
        ladder_context = LadderContext(self.name, entrants, self._next_openings())
        terms = self.terms._replace(rated=self._may_be_rated(encounter))
        self._starter.open_match((first, second), terms, ladder_context)

    def _start_again(self, replay: Replay) -> None:
        """Start a match that was annulled, from the same positions."""
        first, second = replay.names
        entrants = self._members.entrant(first), self._members.entrant(second)
        self._members.begun(first, second)
        boards = tuple(board_of(text, self.terms.rules) for text in replay.openings)
        off = SwitchedOff(SwitchKind.REPLAY, replay.match)
        along = Along((off,), partial(self.settle, replay.match))
        ladder_context = LadderContext(self.name, entrants, boards)
        self._starter.open_match((first, second), self.terms, ladder_context, along)

    def counting(
        self, players: tuple[Participant, Participant], openings: tuple[Board, ...]
    ) -> LadderContext | None:
        """Return what lets the ladder count a match of an event; None where it does not.

        Args:
            players: who plays, members or not; the ladder has to take both.
            openings: positions that its pairs of games start from.
        """
        if self.held() is not None:
            return None
        first, second = (entrant_name(player.name, player.agent) for player in players)
        takes = [
            self._refusal(player, entrant) is None
            for player, entrant in zip(players, (first, second), strict=True)
        ]
        new = [
            Newcomer(player.name, address)
            for player in players
            if (address := player.address_key) and not self._state.has_played(player.name)
        ]
        if all(takes) and self._limits.may_be_rated(new, self.settings):
            return LadderContext(self.name, (first, second), openings)
        return None

    def _may_be_rated(self, encounter: Encounter) -> bool:
        newcomers = [new for name in encounter if (new := self._newcomer(name)) is not None]
        return self._limits.may_be_rated(newcomers, self.settings)

    def _next_openings(self) -> tuple[Board, ...]:
        pairs, everything = self.terms.games // 2, self._openings
        begin = self._matches * pairs
        self._matches += 1
        count = min(pairs, len(everything))
        return tuple(everything[(begin + place) % len(everything)] for place in range(count))

    def next_match(self, name: str) -> NextMatch:
        """Return what a member waits for, and when it can be paired if that is known."""
        now = self._context.now()
        wait = self._members.wait_of(name, self._state, now)
        is_timed = now < wait.until < float("inf")
        at = later(self._context.utc(), wait.until - now) if is_timed else None
        why = self.held() or wait.why
        return NextMatch(
            MatchOrigin.LADDER, self.name, games=self.terms.games, at=at, waits_for=why
        )

    def look_again(self) -> None:
        """Pair those that wait, after the operator let matches begin again."""
        self._pair_by(self._context.now())

    # Games that ended

    def count(
        self, match: Match, ladder_context: LadderContext, ended: Ended, result: Announcement
    ) -> list[Entry]:
        """Count a game; return what becomes durable with its end."""
        announced = Announced(self._context.events.ladder_game(self.name, result))
        if ended.reason is Reason.ABORTED or not match.terms.rated:
            return [announced]
        entrants = ladder_context.entrants
        game = _counted(match, ladder_context, ended)
        seats = game.seats
        self._former[match.id] = [self._state.entrant(name) for name in seats]
        both = self._state.count(game)
        tallied = SeatsTallied(self.name, seats, self._state.tally(seats))
        paired = self._paired(match, entrants)
        rated = [EntrantRated(self.name, self._judged(entrant, ended)) for entrant in both]
        self._fit_soon()
        return [announced, tallied, *paired, *rated, self._announced_standings()]

    def uncount(self, match: Match, ladder_context: LadderContext, ended: Ended) -> None:
        """Take back a game that :meth:`count` counted: the store did not take it."""
        former = self._former.pop(match.id, None)
        if former is not None:
            points = match.counted_pair
            pairs = [] if points is None else [by_name(ladder_context.entrants, points)]
            self._state.uncount(_counted(match, ladder_context, ended), pairs, former)
            self._fit_soon()

    def on_stored(self, match: str) -> None:
        """Note that all that was counted of a match is durable."""
        self._former.pop(match, None)

    def _paired(self, match: Match, entrants: tuple[str, str]) -> list[Entry]:
        """Return what becomes durable when a side-swapped pair of games is complete."""
        points = match.counted_pair
        if points is None:
            return []
        seats, seen = by_name(entrants, points)
        return [PairsCounted(self.name, seats, self._state.count_pair(seats, seen))]

    def ratings(self, match: Match, ladder_context: LadderContext) -> dict[str, float]:
        """Return the ratings of both bots of a match, by name."""
        elos = (round(self._state.entrant(name).live.elo, 1) for name in ladder_context.entrants)
        return dict(zip(match.names, elos, strict=True))

    def _judged(self, entrant: Entrant, ended: Ended) -> Entrant:
        settings = self.settings
        if entrant.penalties < PENALTIES_PER_FORFEIT * settings.quarantine_after:
            return entrant
        until = later(self._context.utc(), settings.quarantine_s)
        detail = ended.evidence.detail if ended.evidence is not None else ""
        reason = f"too many games forfeited, the last one by {ended.reason}: {detail}"
        self._context.log.warning("quarantine", ladder=self.name, entrant=entrant.name, why=reason)
        quarantine = Quarantine(until, reason)
        return self._state.quarantine(entrant.name, quarantine)

    def _announced_standings(self) -> StandingsAnnounced:
        self.standings_at = self._context.utc()
        rows, total = self._state.standings(ANNOUNCED_ROWS), self._state.ranked
        facts = self.name, self._context.new_id(), self.standings_at, rows
        result = self._context.events.standings(*facts, total=total)
        return StandingsAnnounced(self.name, result)

    def _commit(
        self,
        entries: Sequence[Entry],
        refused: Callable[[], None] = lambda: None,
        done: Callable[[], None] = lambda: None,
    ) -> None:
        self._context.journal.commit(entries, done, refused)

    # Settings and corrections

    def reconfigure(self, settings: LadderSettings) -> None:
        """Take new settings for matches to come; other anchors call for another fit."""
        former, self.settings = self.settings, settings
        self.terms = Terms(settings.parsed_rules, settings.clock, rated=True, games=settings.games)
        self._openings = shuffled(settings.boards, settings.seed)
        self._members.reconfigure(
            patience_s=settings.patience_s,
            pulse_s=settings.pulse_s,
            parts_guests=settings.parts_guests,
        )
        if settings.fixed_ratings != former.fixed_ratings:
            self._state.anchor_at(settings.fixed_ratings)
            self.refit(lambda: None)
        self._pair_by(self._context.now())

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
        corrected = correction_entries(self.name, self._state.correct(games, pairs, sign=sign))
        return [*corrected, self._announced_standings()]

    def rename(
        self, old: str, new: str, *, leaves: bool = True
    ) -> tuple[list[Entry], Callable[[], None]]:
        """Move a bot's versions to another name; :meth:`refit` must follow.

        Of two quarantines of a version the longer one holds. A bot that comes back under the name
        that goes is not free either.

        Args:
            old: the name that goes.
            new: the other one.
            leaves: whether quarantines hold for the name that goes, too.

        Returns:
            What becomes durable with it, and what takes it back.
        """
        state, renaming = self._state, self._state.renaming(old, new)
        both = dict.fromkeys(name for pair in renaming.names.items() for name in pair)
        former = {name: state.known(name) for name in both}
        out = {name: found for name in both if (found := self.quarantine_of(name)) is not None}
        state.rename(renaming)
        for name, other in renaming.names.items():
            held = [out[each] for each in (name, other) if each in out]
            if held:
                state.quarantine(other, max(held))
            if name in out and leaves:
                state.quarantine(name, out[name])

        def take_back() -> None:
            state.rename(renaming.back)
            state.put_back(former)

        return self._rated(both), take_back

    def knows(self, bot: str) -> bool:
        """Return whether any version of a bot has a game or a quarantine."""
        return self._state.knows(bot)

    def quarantines(self, bot: str) -> dict[str, Quarantine]:
        """Return the quarantines of a bot's versions that hold, by version."""
        names = (row.name for row in self._state.places(bot))
        return {name: found for name in names if (found := self.quarantine_of(name)) is not None}

    def renew(self, kept: KeptLadder) -> None:
        """Take over tables that were made anew while no game was under way; fit again."""
        self._state = self._state_of(kept)
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

    # Seasons

    @property
    def has_games(self) -> bool:
        """Whether any game counts in this season."""
        return self._state.has_games

    def end_season(self, archive: Ladder, *, seeds: bool) -> list[Entry]:
        """Hand all that was played to another ladder, and begin with nothing.

        Quarantines that hold go on. :meth:`refit` of both must follow.

        Args:
            archive: the ladder that has the games from now on.
            seeds: whether bots begin at the strength that they have.

        Returns:
            What becomes durable with it.
        """
        former, now = self._state, self._context.utc()
        self._seeds = former.lives if seeds else NO_SEEDS
        archive.take_season(self)
        out = [each for each in map(former.entrant, former.names) if _is_out(each, now)]
        kept = [replace(self._seeded(each.name), quarantine=each.quarantine) for each in out]
        self._state = self._state_of(KeptLadder(tuple(kept)))
        self.standings_at, self._matches = None, 0
        rated = [EntrantRated(self.name, each) for each in kept]
        return [LadderMoved(self.name, archive.name), *rated]

    def take_season(self, former: Ladder) -> None:
        """Take all that was played in another ladder."""
        self._state, self.standings_at = former._state, former.standings_at
        self._matches = former._matches

    def _seeded(self, name: str) -> Entrant:
        return Entrant(name, self._seeds.get(name, NEWCOMER))

    def refit(self, done: Callable[[], None]) -> None:
        """Fit all ratings again; call ``done`` once they and the standings are handed in."""
        self._awaiting_fit.append(done)
        if self._is_fitting:
            self._is_stale = True
        elif self._state.has_games:
            self._cancel_fit_timer()
            self._begin_fit()
        else:
            self._commit([self._announced_standings()])
            self._report_fit()

    def _cancel_fit_timer(self) -> None:
        if self._fit_timer is not None:
            self._fit_timer.cancel()
            self._fit_timer = None

    def _report_fit(self) -> None:
        awaiting, self._awaiting_fit = self._awaiting_fit, []
        for done in awaiting:
            done()

    @property
    def entrants(self) -> tuple[str, ...]:
        """All versions that are ranked or in quarantine."""
        return self._state.names

    def quarantine_of(self, name: str) -> Quarantine | None:
        """Return an entrant's quarantine, if it still holds."""
        found = self._state.entrant(name).quarantine
        return None if found is None or found.until <= self._context.utc() else found

    def quarantine(self, name: str, quarantine: Quarantine | None) -> Entry:
        """Quarantine an entrant, or lift its quarantine; return what becomes durable."""
        if quarantine is None:
            return EntrantRated(self.name, self._state.release(name))
        return EntrantRated(self.name, self._state.quarantine(name, quarantine))

    def dismiss_quarantined(self, player: Participant) -> None:
        """Remove a member that plays as a quarantined version."""
        if player.name in self._members:
            self._keep_or_dismiss(player)

    # The joint fit

    def _fit_soon(self) -> None:
        if self._fit_timer is None and not (self._is_fitting or self._is_closed):
            due = self._context.now() + self.settings.refit_s
            self._fit_timer = self._context.call_at(due, self._begin_fit)

    def _begin_fit(self) -> None:
        self._fit_timer, self._is_fitting = None, True
        work = partial(_fitted, partial(fit_ladder, self._state.begin_fit()))
        self._context.in_background(work, partial(self._adopt, self._state))

    def _adopt(self, state: LadderState, fitted: FittedLadder | None) -> None:
        """Adopt a fit, unless the tables that it was made from were replaced meanwhile."""
        if fitted is None:
            self._context.log.warning("no joint fit", ladder=self.name)
        if fitted is None or self._is_closed or state is not self._state:
            self._end_fit()
            return
        changed = state.adopt(fitted)
        self._context.log.debug("fitted", ladder=self.name, entrants=state.ranked)
        self._keep(state, changed)
        self._free_former(state)

    def _free_former(self, state: LadderState) -> None:
        if state.free_former(FREED) and not self._is_closed:
            self._context.call_at(self._context.now(), partial(self._free_former, state))

    def _keep(self, state: LadderState, changed: Sequence[str], begin: int = 0) -> None:
        """Make durable what a fit changed: a slice, then the next one after its commit."""
        end = begin + SLICE
        if self._is_closed or state is not self._state:
            self._end_fit()
        elif end >= len(changed):
            self._keep_last(changed[begin:])
            self._end_fit()
        else:
            after = partial(self._keep, state, changed, end)
            self._commit(self._rated(changed[begin:end]), refused=after, done=after)

    def _keep_last(self, changed: Sequence[str]) -> None:
        """Make the last slice durable, the ratings of those that had played, and the standings."""
        rated, noted = self._rated(changed), self._noted()
        announced = [self._announced_standings()] if rated or self._awaiting_fit else []
        if announced or noted:
            self._commit([*rated, *noted, *announced])

    def _rated(self, names: Iterable[str]) -> list[Entry]:
        """Return what makes these ratings durable, except of those forgotten meanwhile."""
        found = (self._state.known(name) for name in names)
        return [EntrantRated(self.name, entrant) for entrant in found if entrant is not None]

    def _end_fit(self) -> None:
        self._is_fitting = False
        if self._is_closed:
            return
        if self._is_stale and self._state.has_games:
            self._is_stale = False
            self._begin_fit()
            return
        self._report_fit()
        if self._state.has_news:
            self._fit_soon()

    def _noted(self) -> list[RatingNoted]:
        at = self._context.utc()
        return [
            RatingNoted(self.name, row.name, at, row.elo, row.elo_error, row.games)
            for row in self._state.take_fitted()
            if row.elo is not None and row.elo_error is not None
        ]


def _is_out(entrant: Entrant, now: str) -> bool:
    return entrant.quarantine is not None and entrant.quarantine.until > now


def send_refusal(player: Participant, refusal: JoinRefusal, ladder: str) -> None:
    """Send a bot the reason of a refusal, if it is present."""
    if player.seat is not None:
        player.seat.send_error(refusal.code, refusal.message, ladder)


def correction_entries(ladder: str, found: Correction) -> list[Entry]:
    """Return what becomes durable when games of a ladder are annulled, or count again."""
    return [
        *(SeatsTallied(ladder, seats, tally) for seats, tally in found.tallies.items()),
        *(PairsCounted(ladder, seats, counts) for seats, counts in found.pairs.items()),
        *(EntrantForgotten(ladder, name) for name in found.forgotten),
    ]


def _counted(match: Match, ladder_context: LadderContext, ended: Ended) -> CountedGame:
    """Return the present game of a match as the ladder counts it."""
    entrants = ladder_context.entrants
    seats = entrants[match.side(0)], entrants[match.side(1)]
    return CountedGame(seats, ended.winner, forfeited_by(ended.reason, ended.winner))


def forfeited_by(reason: Reason, winner: int | None) -> int | None:
    """Return the player that forfeited a game that ended so, or None."""
    if reason not in FORFEITS or winner is None:
        return None
    return 1 - winner


def shuffled(openings: Sequence[Board], seed: int) -> tuple[Board, ...]:
    """Return the openings in an order fixed by a seed."""
    order = list(openings)
    Random(seed).shuffle(order)  # noqa: S311  # a fixed order, no secret
    return tuple(order)


def _fitted(work: Callable[[], FittedLadder]) -> FittedLadder | None:
    try:
        return work()
    except LinAlgError:
        return None
