"""All connections and sessions of a server: what the ports report, and what the rooms do with it.

The registry composes the lobby. :class:`Directory` knows who is who, :class:`Logins` and
:class:`Logouts` begin and end sessions, :class:`GraceTimers` keep the seats of lost connections,
and :mod:`mancala.server.lobby.dispatch` says which room answers each other message.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Final, Protocol

from mancala.protocol.messages import Agent, ClientMessage, Hello, Message, Notice, Reason

from ..contest.live.registry import Contests
from ..ladders.registry import Ladders
from ..match.context import Context
from ..match.participant import Participant
from ..model.contests import KeptEvent
from ..model.day_counts import Counted, CountKind
from ..model.journal import NOTHING_ELSE, Along, KeptLadder, KeptMatch, KeptSession
from ..model.match import EventContext, LadderContext, Match, Terms
from ..model.timestamps import seconds_between
from ..net.seat import Seat
from ..reviews.dispatcher import ReviewDispatcher
from .connections import Connections
from .directory import NO_SESSION_HASH, Directory
from .dispatch import handlers
from .exhibition import Exhibition
from .grace_timers import GraceTimers
from .house import House
from .listings import Listings
from .logins import Logins, TokenChecker
from .logouts import Logouts
from .orders import Orders
from .request_book import RequestBook
from .requests import MatchRequests
from .schedules import Schedules
from .submissions import SubmissionRights, Submissions
from .tables import Tables

NO_LADDERS: Final[Mapping[str, KeptLadder]] = MappingProxyType({})
NO_EVENTS: Final[Mapping[str, KeptEvent]] = MappingProxyType({})


ReadEvent = Callable[[str, Callable[[KeptEvent | None], None]], None]
"""Reads an event from the store, then calls with it, or with None before its first step."""


class Credentials(TokenChecker, SubmissionRights, Protocol):
    """Checks tokens, and knows what they give the right to."""


class SessionRegistry:
    """All connections and sessions of a server.

    Attributes:
        ladders: the ladders.
        contests: the events.
        tables: every match under way.
        logouts: ends sessions.
        reviews: hands finished games to reviewers.
        read_event: calls back with an event as the store has it.
        schedules: says when bots play next.
    """

    def __init__(
        self,
        tokens: Credentials,
        context: Context,
        reviews: ReviewDispatcher,
        read_event: ReadEvent,
    ) -> None:
        """Create a registry without sessions.

        Args:
            tokens: checks the bots' tokens, and knows what they give the right to.
            context: settings, clock, journal and the rest of what the server hands out.
            reviews: hands finished games to reviewers.
            read_event: reads an event from the store.
        """
        self.read_event = read_event
        self._context = context
        self.reviews = reviews
        self.orders = Orders(context.utc)
        self._directory = directory = Directory()
        self.ladders = ladders = Ladders(context, self, self.orders)
        self.contests = Contests(context.config.now.event, context, self)
        self.tables = tables = Tables(
            *(context, ladders, self._freed, reviews),
            contests=self.contests,
            must_yield=self._must_yield,
        )
        book = RequestBook(context.new_id, context.config)
        self._house = House(book, self, context)
        self._requests = MatchRequests(book, self, self._house, context)
        self._exhibition = Exhibition(self, context)
        submissions = Submissions(tokens, context)
        self._grace_timers = GraceTimers(directory, ladders, context)
        self._connections = Connections(
            directory,
            self._grace_timers,
            tables=tables,
            requests=self._requests,
            ladders=ladders,
            reviews=reviews,
            contests=self.contests,
            submissions=submissions,
            now=context.now,
        )
        self._logins = Logins(
            tokens,
            context,
            directory=directory,
            grace_timers=self._grace_timers,
            connections=self._connections,
            tables=tables,
            ladders=ladders,
            orders=self.orders,
        )
        self.logouts = Logouts(directory, self._grace_timers, tables, ladders, context)
        self.schedules = Schedules(
            self.find, contests=self.contests, ladders=ladders, requests=self._requests
        )
        self._handlers = handlers(
            tables=tables,
            requests=self._requests,
            ladders=ladders,
            contests=self.contests,
            listings=Listings(tables.by_game, ladders, directory.by_name),
            schedules=self.schedules,
            submissions=submissions,
            reviews=reviews,
            logouts=self.logouts,
        )

    # State

    @property
    def is_draining(self) -> bool:
        """Whether nothing new may begin."""
        return self.tables.is_draining or self.orders.is_drained

    @property
    def connections(self) -> int:
        """The number of open connections, before ``hello`` or after."""
        return self._directory.connections

    @property
    def present(self) -> list[Participant]:
        """The connected participants."""
        return [player for player in self._directory.by_name.values() if player.is_present]

    @property
    def reviewers(self) -> int:
        """The number of reviewers that are connected."""
        return self.reviews.reviewers

    @property
    def session_hashes(self) -> frozenset[str]:
        """The hashes of the secrets of all sessions, present or kept."""
        return self._directory.session_hashes

    @property
    def participants(self) -> tuple[Participant, ...]:
        """All participants, present or with their seats kept."""
        return tuple(self._directory.by_name.values())

    @property
    def unplayed_ladders(self) -> frozenset[str]:
        """The ladders that have no game in this season, and no match under way."""
        playing = self.tables.ladders_at_play
        return frozenset(
            ladder.name
            for ladder in self.ladders.all_ladders
            if not ladder.has_games and ladder.name not in playing
        )

    def since(self, seat: Seat) -> str | None:
        """Return when a connection was made, RFC 3339; None if it is gone."""
        return self._directory.since(seat)

    def send_to_all(self, notice: Notice) -> None:
        """Send a notice on every connection that was welcomed."""
        for player in self._directory.by_name.values():
            if player.is_welcome:
                player.send(notice)

    def find(self, name: str) -> Participant | None:
        """Return the participant of that name, present or with its seat kept."""
        return self._directory.find(name)

    def is_taken(self, name: str) -> bool:
        """Return whether the name is in use; a seat that is kept without games doesn't count."""
        return self._directory.is_taken(name)

    # Connections

    def on_open(self, seat: Seat) -> None:
        """Note a new connection, which hasn't said hello."""
        self._directory.open(seat, self._context.utc())

    def on_close(self, seat: Seat) -> None:
        """Note that a connection is gone."""
        player = self._directory.close(seat)
        self.tables.spectators.on_close(seat)
        if player is not None:
            self._connections.on_disconnect(player)

    def on_message(self, seat: Seat, message: ClientMessage) -> None:
        """Dispatch a message that the session state machine accepted."""
        if isinstance(message, Hello):
            self._logins.log_in(seat, message)
        elif (player := self._directory.owners.get(seat)) is not None:
            self._handlers[type(message)](player, message)
        else:  # goodbye is all that may be said before welcome
            seat.close("goodbye")

    def on_violation(
        self,
        seat: Seat,
        detail: str,
        received: str,
        reason: Reason = Reason.PROTOCOL,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        """End the games and the session of a connection that broke the protocol.

        ``close`` is called once the ends have been sent, or some seconds later.
        """
        self.logouts.breach(seat, detail, received, reason, close)

    def dismiss_idle(self, since: float) -> None:
        """Close connections that have sent nothing since then and wait for nothing."""
        for seat in self._directory.seats:
            if seat.heard_at < since and not self._is_busy(seat):
                seat.close("idle", reconnect_after=self._context.config.now.reconnect_after_s)

    def _is_busy(self, seat: Seat) -> bool:
        player = self._directory.owners.get(seat)
        return player is not None and (
            bool(player.matches)
            or self._requests.is_seeking(player)
            or self.ladders.is_member(player)
            or self.contests.is_waiting(player.name)
            or self.contests.is_early(player.name)
            or self.tables.spectators.is_watching(seat)
            or self.reviews.is_reviewing(player)
        )

    # Matches

    def has_time(self, name: str) -> bool:
        """Return whether a ladder may give a bot one more match: events go first."""
        return self._has_room(name) and not self.contests.holds(name)

    def _has_room(self, name: str) -> bool:
        player = self._directory.find(name)
        return player is not None and len(player.matches) < self._context.config.now.limits.tables

    def is_free(self, name: str) -> bool:
        """Return whether a bot may play one more match, and is in no match of a ladder."""
        player = self._directory.find(name)
        return (
            player is not None
            and self._has_room(name)
            and all(not self.ladders.is_paired(match) for match in player.matches.values())
        )

    def send(self, name: str, message: Message) -> None:
        """Send a message to a bot, if it is connected and welcomed."""
        player = self._directory.find(name)
        if player is not None and player.is_welcome:
            player.send(message)

    def release(self, names: Collection[str]) -> None:
        """Let ladders pair bots again that an event held."""
        for name in names:
            if (player := self._directory.find(name)) is not None:
                for ladder in self.ladders.all_ladders:
                    ladder.found_time(player)

    def open_match(
        self,
        names: tuple[str, str],
        terms: Terms,
        ladder_context: LadderContext | None = None,
        along: Along = NOTHING_ELSE,
    ) -> None:
        """Start a match between two bots."""
        first, second = (self._directory.by_name[name] for name in names)
        self.tables.open((first, second), terms, ladder_context, along=along)

    def open_request(self, names: tuple[str, str], terms: Terms) -> None:
        """Start a match that two bots asked for; a ladder of requests may count it."""
        first, second = (self._directory.by_name[name] for name in names)
        terms, counting = self.ladders.counting_request(terms, (first, second))
        self.tables.open((first, second), terms, counting)

    def is_paired(self, match: Match) -> bool:
        """Return whether a ladder paired a match."""
        return self.ladders.is_paired(match)

    def is_here(self, name: str) -> bool:
        """Return whether a bot is connected, and may hear of a match."""
        player = self._directory.find(name)
        return player is not None and player.is_welcome

    def has_session(self, name: str) -> bool:
        """Return whether a bot is connected, or its session is kept for it."""
        player = self._directory.find(name)
        return player is not None and not player.has_left

    def can_rate(self, ladder: str | None) -> bool:
        """Return whether the ladder that is to count an event's games is there, if any is to."""
        return ladder is None or self.ladders.get(ladder) is not None

    def open_event_match(
        self,
        names: tuple[str, str],
        terms: Terms,
        event_context: EventContext,
        rated: str | None = None,
    ) -> None:
        """Start a match of an event between two bots; the ladder ``rated`` may count it too."""
        first, second = (self._directory.by_name[name] for name in names)
        counting = self.ladders.counting(rated, (first, second), event_context)
        terms = terms._replace(rated=counting is not None)
        self.tables.open((first, second), terms, counting, event_context)

    def end_match(self, match: str, detail: str) -> None:
        """End a match under way; its present game does not count."""
        self.tables.end_match(match, detail)

    def _freed(self, player: Participant) -> None:
        """Note that a match of a participant is over."""
        self.logouts.close_if_free(player)
        self._house.look(player.name)
        self._grace_timers.forget_if_done(player)

    def _must_yield(self, match: Match) -> bool:
        return self._house.must_yield(match)

    # Stopping and starting

    def restore(
        self,
        sessions: Iterable[KeptSession],
        matches: Iterable[KeptMatch],
        ladders: Mapping[str, KeptLadder] = NO_LADDERS,
        counted: Iterable[Counted] = (),
        events: Mapping[str, KeptEvent] = NO_EVENTS,
    ) -> None:
        """Restore what the journal kept: seats are kept, clocks go on where they stood.

        Args:
            sessions: the bots.
            matches: the matches under way.
            ladders: the ladders, by name.
            counted: what is limited to a few in 24 hours, the earliest first.
            events: the events, by name.
        """
        for each in counted:
            self._restore_count(each)
        for secret, name, agent, is_guest in sessions:
            self._directory.add(self._absent(name, secret, agent, is_guest=is_guest))
        self.ladders.restore(ladders, self._directory.by_name)
        self.contests.restore(events)
        for kept in matches:
            self.tables.restore(kept, self._restore_opponents(kept.match))
        for player in tuple(self._directory.by_name.values()):
            self._grace_timers.start(player)
        self.contests.look()

    def _restore_opponents(self, match: Match) -> tuple[Participant, Participant]:
        """Return both players of a match, also those whose session is over."""
        for name in match.names:
            if self._directory.find(name) is None:
                is_guest = name not in self._context.config.now.own_names
                self._directory.add(self._absent(name, NO_SESSION_HASH, is_guest=is_guest))
        first, second = (self._directory.by_name[name] for name in match.names)
        return first, second

    def _restore_count(self, counted: Counted) -> None:
        """Count again what a former server counted."""
        age_s = max(0.0, seconds_between(counted.at, self._context.utc()))
        since = self._context.now() - age_s
        match counted.kind:
            case CountKind.VOID:
                self._context.fairness.voids.restore_count(counted, since)
            case CountKind.CLAIM:
                self._logins.claims.restore_count(counted, since)
            case _:
                self.ladders.restore_count(counted, since)

    def _absent(
        self, name: str, secret: str, agent: Agent | None = None, *, is_guest: bool
    ) -> Participant:
        is_own = not is_guest and name in self._context.config.now.own_names
        player = Participant(name, secret, agent, is_guest=is_guest, is_own=is_own)
        player.lost_at = self._context.now()
        return player

    def drain(self, idle: Callable[[], None]) -> None:
        """Begin nothing new; call ``idle`` once no game is under way."""
        self.reviews.close()
        self.tables.drain(idle)

    def suspend(self) -> None:
        """Stop every match where it stands, and forget no session; the journal knows all."""
        self.ladders.close()
        self.contests.close()
        self._house.close()
        self._exhibition.close()
        self.tables.suspend()
        self._grace_timers.close()

    def dismiss(self, reason: str, reconnect_after_s: float, close_code: int) -> None:
        """Send goodbye on every connection, and close it."""
        for seat in self._directory.seats:
            seat.close(reason, reconnect_after=reconnect_after_s, close_code=close_code)
