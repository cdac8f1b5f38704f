"""Login, resume, logout and message dispatch.

The registry knows participants by name and by the hash of their session's secret. It receives
messages that the session state machine has already accepted, and dispatches them: requests for
matches to :class:`MatchRequests`, spectators to :class:`Spectators`, moves to the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Protocol

from protocol.messages import (
    REPLACED,
    REPLACED_CLOSE,
    VERSION,
    Accept,
    Challenge,
    ClientMessage,
    Decline,
    ErrorCode,
    Goodbye,
    Hello,
    Join,
    Leave,
    List,
    Move,
    OfferReviews,
    Reason,
    Resign,
    Review,
    Seek,
    Unseek,
    Unwatch,
    Watch,
    Welcome,
)
from server.config.settings import Config
from server.context import Context
from server.ladders.registry import Ladders
from server.lobby.claims import Claims, TokenBinder
from server.lobby.limits import announced
from server.lobby.listings import Listings
from server.lobby.request_book import RequestBook
from server.lobby.requests import MatchRequests
from server.lobby.tables import Tables
from server.match.participant import Participant, secret_hash
from server.model.credentials import TokenProblem
from server.model.day_counts import Counted, CountKind
from server.model.journal import (
    KeptLadder,
    KeptMatch,
    KeptSession,
    SessionClosed,
    SessionOpened,
)
from server.model.match import LadderContext, Terms
from server.model.timers import Timer
from server.model.timestamps import seconds_between
from server.net.seat import Seat
from server.reviews.desk import ReviewDesk

REVOKED: Final = "the token was revoked"
RESERVED: Final = "the name is reserved; its token is required"
NO_GUESTS: Final = "this server takes no guests; hello needs a token"
CHOOSE: Final = "this server takes no guests; choose a token and send it as auth:token"
NO_SESSION_HASH: Final = ""
"""Of a bot whose session is over, while a match of it still is under way."""
NO_SESSION: Final = "no session of that name is kept for that secret"
PARTING_S: Final = 2.0
"""Longest time for the ends of games to reach the journal before their loser is expelled."""
NO_LADDERS: Final[Mapping[str, KeptLadder]] = MappingProxyType({})


class TokenChecker(TokenBinder, Protocol):
    """Checks tokens; the answers come later, on the event loop."""

    def check(
        self, name: str, token: str | None, answer: Callable[[TokenProblem | None], None]
    ) -> None:
        """Call ``answer`` with None when the bot may log in, or with what is wrong."""

    def recall(self, secret_hash: str, answer: Callable[[bool], None]) -> None:
        """Call ``answer`` with whether a session is still valid: its token wasn't revoked."""


class SessionRegistry:
    """All connections and sessions of a server."""

    def __init__(
        self, config: Config, tokens: TokenChecker, context: Context, reviews: ReviewDesk
    ) -> None:
        """Create a registry without sessions.

        Args:
            config: the server's settings.
            tokens: checks the bots' tokens.
            context: clock, journal and the rest of what the server hands out.
            reviews: hands finished games to reviewers.
        """
        self._config = config
        self._tokens = tokens
        self._claims = Claims(config, tokens, context)
        self._context = context
        self._by_name: dict[str, Participant] = {}
        self._by_secret: dict[str, Participant] = {}
        self._owners: dict[Seat, Participant] = {}
        self._seats: dict[Seat, None] = {}  # in the order of arrival
        self._partings: dict[Participant, Callable[[], None]] = {}
        self._grace_timers: dict[Participant, Timer] = {}
        self._is_suspended = False
        self._ladders = Ladders(config.ladder, context, self)
        self._reviews = reviews
        self._tables = Tables(config, context, self._ladders, self._freed, reviews)
        book = RequestBook(context.new_id, challenges=config.limits.challenges)
        self._requests = MatchRequests(config, book, self, context.now)
        self._spectators = self._tables.spectators
        self._handlers: dict[type[ClientMessage], Callable[[Participant, Any], None]] = {
            Move: self._tables.move,
            Resign: self._tables.resign,
            Seek: self._requests.seek,
            Unseek: self._requests.unseek,
            Challenge: self._requests.challenge,
            Accept: self._requests.accept,
            Decline: self._requests.decline,
            Watch: self._spectators.watch,
            Unwatch: self._spectators.unwatch,
            List: Listings(self._tables.by_game, self._ladders, self._by_name).answer,
            Join: self._ladders.join,
            Leave: self._ladders.leave,
            OfferReviews: self._reviews.offer,
            Review: self._reviews.review,
            Goodbye: self._goodbye,
        }

    # State

    @property
    def ladders(self) -> Ladders:
        """The ladders."""
        return self._ladders

    @property
    def tables(self) -> Tables:
        """Every match under way."""
        return self._tables

    @property
    def is_draining(self) -> bool:
        """Whether nothing new may begin."""
        return self._tables.is_draining

    @property
    def connections(self) -> int:
        """The number of open connections, before ``hello`` or after."""
        return len(self._seats)

    @property
    def present(self) -> list[Participant]:
        """The connected participants."""
        return [who for who in self._by_name.values() if who.is_present]

    def find(self, name: str) -> Participant | None:
        """Return the participant of that name, present or with its seat kept."""
        return self._by_name.get(name)

    # Connections

    def arrived(self, seat: Seat) -> None:
        """Note a new connection, which hasn't said hello."""
        self._seats[seat] = None

    def left(self, seat: Seat) -> None:
        """Note that a connection is gone."""
        self._seats.pop(seat, None)
        self._spectators.left(seat)
        who = self._owners.pop(seat, None)
        if who is not None:
            self._lose(who)

    def heard(self, seat: Seat, message: ClientMessage) -> None:
        """Dispatch a message that the session state machine accepted."""
        if isinstance(message, Hello):
            self._log_in(seat, message)
        elif (who := self._owners.get(seat)) is not None:
            self._handlers[type(message)](who, message)
        else:  # goodbye is all that may be said before welcome
            seat.part("goodbye")

    def broken(
        self,
        seat: Seat,
        detail: str,
        received: str,
        reason: Reason = Reason.PROTOCOL,
        part: Callable[[], None] = lambda: None,
    ) -> None:
        """End the games and the session of a connection that broke the protocol.

        ``part`` is called once the ends have been sent, or after ``PARTING_S``.
        """
        who = self._owners.get(seat)
        self._context.log.warning(
            "protocol broken", name=who and who.name, address=seat.address, detail=detail
        )
        if who is None:
            part()
            return
        self._end_session(who)
        self._partings[who] = part
        for table in self._tables.of(who):
            table.fault(who, reason, detail, received)
        self._part_if_free(who)
        if who in self._partings:
            self._context.call_at(self._context.now() + PARTING_S, partial(self._part, who))

    def _part_if_free(self, who: Participant) -> None:
        if not who.matches:
            self._part(who)

    def _part(self, who: Participant) -> None:
        part = self._partings.pop(who, None)
        if part is not None:
            part()

    def _freed(self, who: Participant) -> None:
        """Note that a match of a participant is over."""
        self._part_if_free(who)
        self._forget_if_done(who)

    # Login and resume

    def _log_in(self, seat: Seat, hello: Hello) -> None:
        if hello.protocol != VERSION:
            detail = f"this server speaks {VERSION}, not {hello.protocol}"
            self._refuse_login(seat, hello, ErrorCode.UNSUPPORTED_PROTOCOL, detail)
        elif hello.resume is not None:
            self._resume(seat, hello, hello.resume)
        elif self.is_draining:
            detail = "the server is about to stop"
            self._refuse_login(seat, hello, ErrorCode.SHUTTING_DOWN, detail)
        elif hello.token is None and not self._config.guests:
            detail = CHOOSE if seat.may_claim else NO_GUESTS
            self._refuse_login(seat, hello, ErrorCode.BAD_TOKEN, detail)
        else:
            self._tokens.check(hello.name, hello.token, partial(self._admit, seat, hello))

    def _admit(self, seat: Seat, hello: Hello, problem: TokenProblem | None) -> None:
        if seat not in self._seats:
            return
        is_free = problem is not None and problem.is_free
        if problem is not None and not (is_free and seat.may_claim):
            self._refuse_login(seat, hello, ErrorCode.BAD_TOKEN, problem.detail)
        elif self.is_taken(hello.name):
            detail = f"the name {hello.name} is taken"
            self._refuse_login(seat, hello, ErrorCode.BAD_NAME, detail)
        elif is_free and hello.token is not None:
            admit = partial(self._admit, seat, hello)
            self._claims.claim(seat, hello.name, hello.token, admit)
        else:
            self._open_session(seat, hello)

    def _refuse_login(self, seat: Seat, hello: Hello, code: ErrorCode, detail: str) -> None:
        self._context.log.info(
            "login refused", name=hello.name, address=seat.address, code=code, detail=detail
        )
        seat.expel(code, detail)

    def _open_session(self, seat: Seat, hello: Hello) -> None:
        self._free(hello.name)
        secret = self._context.new_secret()
        is_guest = hello.token is None
        who = Participant(hello.name, secret_hash(secret), hello.agent, is_guest=is_guest)
        who.takes_challenges = hello.challenges
        self._register(who)
        self._seat(who, seat)
        opened = SessionOpened(who.secret_hash, who.name, who.agent, hello.token)
        welcome = partial(self._welcome, who, secret, resumed=False)
        self._context.journal.commit([opened], welcome, partial(self._turn_away, who))

    def _turn_away(self, who: Participant) -> None:
        """Send away a bot whose session can't be stored."""
        who.has_left = True
        if self._by_name.get(who.name) is who:
            del self._by_name[who.name]
        self._by_secret.pop(who.secret_hash, None)
        if who.seat is not None:
            who.seat.expel(ErrorCode.INTERNAL, "the server could not store the session")

    def is_taken(self, name: str) -> bool:
        """Return whether the name is in use; a seat that is kept without games doesn't count."""
        who = self._by_name.get(name)
        return who is not None and bool(who.matches or (who.is_present and not who.has_left))

    def _free(self, name: str) -> None:
        """Forget who had the name, for a bot that was checked and may have it."""
        former = self._by_name.get(name)
        if former is not None:
            self._forget(former)

    def _resume(self, seat: Seat, hello: Hello, secret: str) -> None:
        who = self._by_secret.get(secret_hash(secret))
        if who is None or who.has_left or who.name != hello.name:
            self._refuse_login(seat, hello, ErrorCode.BAD_RESUME, NO_SESSION)
        elif who.is_guest:
            self._take_back(who, seat, hello, secret)
        else:
            take_back = partial(self._take_back, who, seat, hello, secret)
            self._tokens.recall(who.secret_hash, partial(self._readmit, who, seat, take_back))

    def _readmit(
        self,
        who: Participant,
        seat: Seat,
        take_back: Callable[[], None],
        is_good: bool,  # noqa: FBT001  # the token checker's answer
    ) -> None:
        if seat not in self._seats:
            return
        if is_good and not who.has_left and self._by_secret.get(who.secret_hash) is who:
            take_back()
        else:
            seat.expel(ErrorCode.BAD_RESUME, NO_SESSION)

    def _take_back(self, who: Participant, seat: Seat, hello: Hello, secret: str) -> None:
        if who.seat is not None:
            former = who.seat
            del self._owners[former]
            former.part(REPLACED, close_code=REPLACED_CLOSE)
        self._seat(who, seat)
        self._reviews.left(who)
        who.agent = hello.agent or who.agent
        who.takes_challenges = hello.challenges
        self._welcome(who, secret, resumed=True)
        who.catch_up()
        for table in self._tables.of(who):
            table.back(who)
        self._ladders.came(who)
        self._requests.came_back(who)

    def _seat(self, who: Participant, seat: Seat) -> None:
        who.seat, who.address = seat, seat.address
        self._owners[seat] = who
        timer = self._grace_timers.pop(who, None)
        if timer is not None:
            timer.cancel()

    def _welcome(self, who: Participant, secret: str, *, resumed: bool) -> None:
        config = self._config
        matches = tuple(who.matches)
        who.send(Welcome(VERSION, config.name, secret, resumed, announced(config), matches))
        self._context.log.info("welcome", name=who.name, resumed=resumed)

    def _register(self, who: Participant) -> None:
        self._by_name[who.name] = who
        self._by_secret[who.secret_hash] = who

    # Logout

    def _goodbye(self, who: Participant, _message: Goodbye) -> None:
        self._end_session(who)
        for table in self._tables.of(who):
            table.leave(who)
        if who.seat is not None:
            who.seat.part("goodbye")

    def _end_session(self, who: Participant) -> None:
        who.has_left = True
        self._ladders.went(who)

    def _lose(self, who: Participant) -> None:
        self._ladders.went(who)
        self._reviews.left(who)
        who.seat = None
        who.lost_at = self._context.now()
        self._requests.went(who)
        for table in self._tables.of(who):
            table.lost(who)
        self._keep_for_grace_time(who)

    def _keep_for_grace_time(self, who: Participant) -> None:
        """Forget a participant once its time is over; a timer may fire a little early."""
        self._grace_timers.pop(who, None)
        if self._is_suspended or who.is_present or self._forget_if_done(who):
            return
        ends = who.lost_at + self._config.grace_s
        if self._context.now() < ends:
            keep = partial(self._keep_for_grace_time, who)
            self._grace_timers[who] = self._context.call_at(ends, keep)

    def _forget_if_done(self, who: Participant) -> bool:
        is_gone = who.is_gone(self._context.now(), self._config.grace_s)
        if who.is_present or who.matches or not is_gone:
            return False
        self._forget(who)
        return True

    def _forget(self, who: Participant) -> None:
        timer = self._grace_timers.pop(who, None)
        if timer is not None:
            timer.cancel()
        if self._by_name.get(who.name) is who:
            del self._by_name[who.name]
            self._ladders.forget(who)
        if self._by_secret.pop(who.secret_hash, None) is not None:
            self._context.journal.commit([SessionClosed(who.secret_hash)], lambda: None)

    @property
    def session_hashes(self) -> frozenset[str]:
        """The hashes of all sessions."""
        return frozenset(self._by_secret)

    def revoke(self, revoked: Iterable[str]) -> None:
        """End sessions, by hash: their token was revoked, or their guest's name reserved.

        Their games are lost.
        """
        for key in revoked:
            who = self._by_secret.get(key)
            if who is not None and not who.has_left:
                self._revoke(who)

    def _revoke(self, who: Participant) -> None:
        detail = RESERVED if who.is_guest else REVOKED
        self._end_session(who)
        for table in self._tables.of(who):
            table.fault(who, Reason.DISCONNECTED, detail)
        if who.seat is not None:
            who.seat.expel(ErrorCode.BAD_TOKEN, detail)
        else:
            self._forget_if_done(who)

    def dismiss_idle(self, since: float) -> None:
        """Close connections that have sent nothing since then and wait for nothing."""
        for seat in tuple(self._seats):
            if seat.heard_at < since and not self._is_busy(seat):
                seat.part("idle", reconnect_after=self._config.reconnect_after_s)

    def _is_busy(self, seat: Seat) -> bool:
        who = self._owners.get(seat)
        return who is not None and (
            bool(who.matches)
            or self._requests.is_seeking(who)
            or self._ladders.is_member(who)
            or self._spectators.is_watching(seat)
            or self._reviews.is_reviewing(who)
        )

    # Matches

    def has_time(self, name: str) -> bool:
        """Return whether a bot may play one more match."""
        who = self._by_name.get(name)
        return who is not None and len(who.matches) < self._config.limits.tables

    def open_match(
        self, names: tuple[str, str], terms: Terms, ladder_context: LadderContext | None = None
    ) -> None:
        """Start a match between two bots."""
        first, second = names
        self._tables.open((self._by_name[first], self._by_name[second]), terms, ladder_context)

    # Stopping and starting

    def reconfigure(self, config: Config) -> None:
        """Take new settings, as far as they can be changed in a running server."""
        self._config = config
        self._requests.reconfigure(config)
        self._context.fairness.limits = config.limits
        self._spectators.most = config.limits.watched
        self._tables.reconfigure(config.limits)
        self._ladders.reconfigure(config.ladder)

    def restore(
        self,
        sessions: Iterable[KeptSession],
        matches: Iterable[KeptMatch],
        ladders: Mapping[str, KeptLadder] = NO_LADDERS,
        counted: Iterable[Counted] = (),
    ) -> None:
        """Restore what the journal kept: seats are kept, clocks go on where they stood.

        Args:
            sessions: the bots.
            matches: the matches under way.
            ladders: the ladders, by name.
            counted: what is limited to a few in 24 hours, the earliest first.
        """
        for each in counted:
            self._recall(each)
        for secret, name, agent, is_guest in sessions:
            self._register(self._absent(Participant(name, secret, agent, is_guest=is_guest)))
        self._ladders.restore(ladders, self._by_name)
        for kept in matches:
            for name in kept.match.names:
                if name not in self._by_name:
                    self._by_name[name] = self._absent(Participant(name, NO_SESSION_HASH, None))
            first, second = kept.match.names
            self._tables.restore(kept, (self._by_name[first], self._by_name[second]))
        for who in tuple(self._by_name.values()):
            self._keep_for_grace_time(who)

    def _recall(self, counted: Counted) -> None:
        """Count again what a former server counted."""
        age_s = max(0.0, seconds_between(counted.at, self._context.utc()))
        since = self._context.now() - age_s
        match counted.kind:
            case CountKind.VOID:
                self._context.fairness.voids.note(counted.key, counted.item, since)
            case CountKind.CLAIM:
                self._claims.recall(counted, since)
            case _:
                self._ladders.recall(counted, since)

    def _absent(self, who: Participant) -> Participant:
        who.lost_at = self._context.now()
        return who

    def drain(self, idle: Callable[[], None]) -> None:
        """Begin nothing new; call ``idle`` once no game is under way."""
        self._reviews.close()
        self._tables.drain(idle)

    def suspend(self) -> None:
        """Stop every match where it stands, and forget no session; the journal knows all."""
        self._ladders.close()
        self._tables.suspend()
        self._is_suspended = True
        for timer in self._grace_timers.values():
            timer.cancel()
        self._grace_timers.clear()

    def dismiss(self, reason: str, reconnect_after_s: float, close_code: int) -> None:
        """Say goodbye on every connection."""
        for seat in tuple(self._seats):
            seat.part(reason, reconnect_after=reconnect_after_s, close_code=close_code)
