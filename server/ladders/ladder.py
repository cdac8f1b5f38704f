"""One ladder of a running server: its ratings, and the members that it pairs.

Nothing is polled. Members are paired when one arrives or comes free, and again when a member has
waited long enough for a new opponent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random  # noqa: TID251  # only with a fixed seed
from typing import Final, NamedTuple, Protocol

from mancala.protocol.messages import (
    ErrorCode,
    Joined,
    Left,
    MatchOrigin,
    NextMatch,
)
from mancala.protocol.rules import Board

from ..config.ladders import LadderSettings
from ..config.openings import board_of
from ..match.context import Context
from ..match.participant import Participant
from ..model.day_counts import Counted
from ..model.entrant import LiveRating, entrant_name
from ..model.game import Encounter
from ..model.journal import NOTHING_ELSE, Along, KeptLadder, LadderJoined, LadderLeft, SwitchedOff
from ..model.match import LadderContext, Match, Terms
from ..model.orders import Replay, SwitchKind
from ..model.timers import Timer
from ..model.timestamps import later
from ..net.seat import Seat
from .day_limits import DayLimits, Newcomer
from .membership import Membership
from .ratings import LadderRatings
from .state import NO_SEEDS

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


class Ladder(LadderRatings):
    """A running ladder: its ratings, and the members that it pairs.

    Attributes:
        terms: the terms of its matches.
        watchers: connections that watch every game.
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
        super().__init__(settings, context)
        self.terms = Terms(settings.parsed_rules, settings.clock, rated=True, games=settings.games)
        self.watchers: set[Seat] = set()
        self.held: Callable[[], str | None] = lambda: None
        self.is_shut: Callable[[], bool] = lambda: False
        self.owed: Callable[[], tuple[Replay, ...]] = lambda: ()
        self.settle: Callable[[str], None] = lambda _match: None
        self._starter = starter
        self._openings = shuffled(settings.boards, settings.seed)
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
        self._is_closed = False

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

    # Members come and go

    def join(self, player: Participant, matches: int | None = None) -> JoinRefusal | None:
        """Add a bot; return the reason when it may not join, else None.

        Args:
            player: the bot.
            matches: after how many matches it leaves; None for never.
        """
        if self.settings.requests:
            detail = f"the ladder {self.name} is for requests: challenge a bot, and it counts"
            return JoinRefusal(ErrorCode.FORBIDDEN, detail)
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
        self._context.journal.commit([joined], tell, partial(self._undo_join, player))
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
            self._context.journal.commit([left], partial(player.send, Left(self.name)))

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
        for player in members:
            entrant = entrant_name(player.name, player.agent)
            self._members.join(player.name, entrant, self._context.now(), is_guest=player.is_guest)
            self._members.on_disconnect(player.name)
        self._members.restore_opponents(kept.met)
        self.restore_ratings(kept, seeds)

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
        self.joint_fit.close()
        if self._pairing_timer is not None:
            self._pairing_timer.cancel()

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
        if address is None or self.state.has_played(name):
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
        if self.state.games(entrant):
            return None
        excess = self._limits.excess_of(player, entrant, self.settings)
        if excess is None:
            return None
        detail = f"{excess}: the ladder {self.name} takes no other"
        return JoinRefusal(ErrorCode.FORBIDDEN, detail)

    def _quarantine_of(self, entrant: str) -> JoinRefusal | None:
        quarantine = self.state.entrant(entrant).quarantine
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
        for encounter in self._members.pair(self.state, now):
            self._start(encounter)
        again = self._members.next_look(self.state, now)
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
        """Return what lets the ladder count a match that it did not pair; None where it does not.

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
            if (address := player.address_key) and not self.state.has_played(player.name)
        ]
        if all(takes) and self._limits.may_be_rated(new, self.settings):
            return LadderContext(self.name, (first, second), openings)
        return None

    def is_played_by(self, terms: Terms) -> bool:
        """Return whether a match of these terms may be rated with the ladder's games."""
        return (terms.rules, terms.clock) == (self.terms.rules, self.terms.clock)

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
        wait = self._members.wait_of(name, self.state, now)
        is_timed = now < wait.until < float("inf")
        at = later(self._context.utc(), wait.until - now) if is_timed else None
        held = self.held()
        why = wait.why if held is None else f"the organiser: {held}"
        return NextMatch(
            MatchOrigin.LADDER, self.name, games=self.terms.games, at=at, waits_for=why
        )

    def look_again(self) -> None:
        """Pair those that wait, after the operator let matches begin again."""
        self._pair_by(self._context.now())

    # Settings and quarantines

    def reconfigure(self, settings: LadderSettings) -> None:
        """Take new settings for matches to come; those of ratings call for another fit."""
        former, self.settings = self.settings, settings
        self.terms = Terms(settings.parsed_rules, settings.clock, rated=True, games=settings.games)
        self._openings = shuffled(settings.boards, settings.seed)
        self._members.reconfigure(
            patience_s=settings.patience_s,
            pulse_s=settings.pulse_s,
            parts_guests=settings.parts_guests,
        )
        if settings.fixed_ratings != former.fixed_ratings:
            self.state.anchor_at(settings.fixed_ratings)
        if (settings.fixed_ratings, settings.leave_out_unusual) != (
            former.fixed_ratings,
            former.leave_out_unusual,
        ):
            self.refit(lambda: None)
        self._pair_by(self._context.now())

    def dismiss_quarantined(self, player: Participant) -> None:
        """Remove a member that plays as a quarantined version."""
        if player.name in self._members:
            self._keep_or_dismiss(player)


def send_refusal(player: Participant, refusal: JoinRefusal, ladder: str) -> None:
    """Send a bot the reason of a refusal, if it is present."""
    if player.seat is not None:
        player.seat.send_error(refusal.code, refusal.message, ladder)


def shuffled(openings: Sequence[Board], seed: int) -> tuple[Board, ...]:
    """Return the openings in an order fixed by a seed."""
    order = list(openings)
    Random(seed).shuffle(order)  # noqa: S311  # a fixed order, no secret
    return tuple(order)
