"""Who is here: greeting, resuming, parting, and the way to whatever one came for.

The hall knows participants by name and by the hash of their session's secret. It is handed
messages that the session table has already found in place, and hands them on: who wants to play
goes to the desk, who wants to look on to the gallery, answers to the tables.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from protocol import codec
from protocol.messages import (
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
    Move,
    Reason,
    Resign,
    Seek,
    Unseek,
    Unwatch,
    Watch,
    Welcome,
)
from protocol.messages import Limits as WireLimits
from server.config.settings import Config
from server.context import Doorkeeper, Surroundings
from server.ladders.registry import Ladders
from server.lobby.request_book import Lobby
from server.lobby.requests import Desk
from server.lobby.tables import Tables
from server.match.participant import Participant, secret_hash
from server.model.journal import (
    KeptLadder,
    KeptMatch,
    KeptSession,
    SessionClosed,
    SessionOpened,
)
from server.model.match import Occasion, Terms
from server.model.timers import Timer
from server.net.seat import Seat

REVOKED: Final = "the token was revoked"
NO_SESSION: Final = "no session of that name is kept for that secret"
NO_LADDERS: Final[Mapping[str, KeptLadder]] = MappingProxyType({})


class Hall:
    """Everybody who is here."""

    def __init__(self, config: Config, doors: Doorkeeper, world: Surroundings) -> None:
        self._config = config
        self._doors = doors
        self._world = world
        self._by_name: dict[str, Participant] = {}
        self._by_secret: dict[str, Participant] = {}
        self._owners: dict[Seat, Participant] = {}
        self._seats: set[Seat] = set()
        self._farewells: dict[Participant, Timer] = {}
        self._ladders = Ladders(config.ladder, world.of_ladders(self))
        self._tables = Tables(config, world, self._ladders, self._forget_if_done)
        lobby = Lobby(world.new_id, challenges=config.limits.challenges)
        self._desk = Desk(config, lobby, self)
        self._gallery = self._tables.gallery
        self._deeds: dict[type[ClientMessage], Callable[[Participant, Any], None]] = {
            Move: self._tables.move,
            Resign: self._tables.resign,
            Seek: self._desk.seek,
            Unseek: self._desk.unseek,
            Challenge: self._desk.challenge,
            Accept: self._desk.accept,
            Decline: self._desk.decline,
            Watch: self._gallery.watch,
            Unwatch: self._gallery.unwatch,
            Join: self._ladders.join,
            Leave: self._ladders.leave,
            Goodbye: self._goodbye,
        }

    # How it stands

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
        """How many connections are open, those without a ``hello`` yet included."""
        return len(self._seats)

    def find(self, name: str) -> Participant | None:
        """Find somebody who is here, or whose seat is kept."""
        return self._by_name.get(name)

    # Connections come and go

    def arrived(self, seat: Seat) -> None:
        """Note a new connection, which hasn't said hello."""
        self._seats.add(seat)

    def left(self, seat: Seat) -> None:
        """Note that a connection is gone."""
        self._seats.discard(seat)
        self._gallery.left(seat)
        who = self._owners.pop(seat, None)
        if who is not None:
            self._lose(who)

    def heard(self, seat: Seat, message: ClientMessage) -> None:
        """Act on a message that was in place."""
        if isinstance(message, Hello):
            self._greet(seat, message)
        elif (who := self._owners.get(seat)) is not None:
            self._deeds[type(message)](who, message)
        else:  # goodbye is all that may be said before welcome
            seat.part("goodbye")

    def broken(
        self, seat: Seat, detail: str, received: str, reason: Reason = Reason.PROTOCOL
    ) -> None:
        """Note that a connection broke the protocol: its games are lost, its session is over."""
        who = self._owners.get(seat)
        self._world.log.warning(
            "protocol broken", name=who and who.name, address=seat.address, detail=detail
        )
        if who is None:
            return
        self._see_off(who)
        for table in tuple(who.tables):
            table.fault(who, reason, detail, received)

    # Greeting and resuming

    def _greet(self, seat: Seat, hello: Hello) -> None:
        if hello.protocol != VERSION:
            detail = f"this server speaks {VERSION}, not {hello.protocol}"
            seat.expel(ErrorCode.UNSUPPORTED_PROTOCOL, detail)
        elif hello.resume is not None:
            self._resume(seat, hello, hello.resume)
        elif self.is_draining:
            seat.expel(ErrorCode.SHUTTING_DOWN, "the server is about to stop")
        elif hello.token is None and not self._config.guests:
            seat.expel(ErrorCode.BAD_TOKEN, "this server takes no guests; hello needs a token")
        else:
            self._doors.check(hello.name, hello.token, partial(self._admit, seat, hello))

    def _admit(self, seat: Seat, hello: Hello, problem: str | None) -> None:
        if seat not in self._seats:
            return
        if problem is not None:
            seat.expel(ErrorCode.BAD_TOKEN, problem)
            return
        if self.is_taken(hello.name):
            seat.expel(ErrorCode.BAD_NAME, f"the name {hello.name} is taken")
            return
        secret = secrets.token_urlsafe(24)
        is_guest = hello.token is None
        who = Participant(hello.name, secret_hash(secret), hello.agent, is_guest=is_guest)
        self._register(who)
        self._seat(who, seat)
        opened = SessionOpened(who.secret_hash, who.name, who.agent, is_guest)
        self._world.journal.commit([opened], partial(self._welcome, who, secret, resumed=False))

    def is_taken(self, name: str) -> bool:
        """Tell whether somebody bears the name; a seat kept without games doesn't keep it."""
        who = self._by_name.get(name)
        if who is None:
            return False
        if who.tables or (who.is_present and not who.has_left):
            return True
        self._forget(who)
        return False

    def _resume(self, seat: Seat, hello: Hello, secret: str) -> None:
        who = self._by_secret.get(secret_hash(secret))
        if who is None or who.has_left or who.name != hello.name:
            seat.expel(ErrorCode.BAD_RESUME, NO_SESSION)
        elif who.is_guest:
            self._take_back(who, seat, hello, secret)
        else:
            take_back = partial(self._take_back, who, seat, hello, secret)
            self._doors.recall(who.secret_hash, partial(self._readmit, who, seat, take_back))

    def _readmit(
        self,
        who: Participant,
        seat: Seat,
        take_back: Callable[[], None],
        is_good: bool,  # noqa: FBT001  # the doorkeeper's answer
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
            former.part("resumed on another connection")
        self._seat(who, seat)
        who.agent = hello.agent or who.agent
        self._welcome(who, secret, resumed=True)
        who.catch_up()
        for table in tuple(who.tables):
            table.back(who)
        self._ladders.came(who)
        self._desk.came_back(who)

    def _seat(self, who: Participant, seat: Seat) -> None:
        who.seat = seat
        self._owners[seat] = who
        timer = self._farewells.pop(who, None)
        if timer is not None:
            timer.cancel()

    def _welcome(self, who: Participant, secret: str, *, resumed: bool) -> None:
        config = self._config
        limits = WireLimits(codec.FRAME_LIMIT, config.limits.games, config.grace_s)
        matches = tuple(table.match.id for table in who.tables)
        who.send(Welcome(VERSION, config.name, secret, resumed, limits, matches))
        self._world.log.info("welcome", name=who.name, resumed=resumed)

    def _register(self, who: Participant) -> None:
        self._by_name[who.name] = who
        self._by_secret[who.secret_hash] = who

    # Parting

    def _goodbye(self, who: Participant, _message: Goodbye) -> None:
        self._see_off(who)
        for table in tuple(who.tables):
            table.leave(who)
        if who.seat is not None:
            who.seat.part("goodbye")

    def _see_off(self, who: Participant) -> None:
        who.has_left = True
        self._ladders.went(who)

    def _lose(self, who: Participant) -> None:
        self._ladders.went(who)
        who.seat = None
        who.lost_at = self._world.now()
        self._desk.went(who)
        for table in tuple(who.tables):
            table.lost(who)
        self._keep_for_grace_time(who)

    def _keep_for_grace_time(self, who: Participant) -> None:
        if not self._forget_if_done(who):
            ends = who.lost_at + self._config.grace_s
            self._farewells[who] = self._world.call_at(ends, partial(self._expire, who))

    def _expire(self, who: Participant) -> None:
        self._forget_if_done(who)

    def _forget_if_done(self, who: Participant) -> bool:
        is_gone = who.is_gone(self._world.now(), self._config.grace_s)
        if who.is_present or who.tables or not is_gone:
            return False
        self._forget(who)
        return True

    def _forget(self, who: Participant) -> None:
        timer = self._farewells.pop(who, None)
        if timer is not None:
            timer.cancel()
        if self._by_name.get(who.name) is who:
            del self._by_name[who.name]
            self._ladders.forget(who)
        if self._by_secret.pop(who.secret_hash, None) is not None:
            self._world.journal.commit([SessionClosed(who.secret_hash)], lambda: None)

    @property
    def sessions(self) -> frozenset[str]:
        """The hashes of the sessions that were opened with a token."""
        return frozenset(key for key, who in self._by_secret.items() if not who.is_guest)

    def send_away(self, revoked: Iterable[str]) -> None:
        """End sessions, by hash, whose token was revoked; their games are lost."""
        for key in revoked:
            who = self._by_secret.get(key)
            if who is not None and not who.has_left:
                self._send_away(who)

    def _send_away(self, who: Participant) -> None:
        self._see_off(who)
        for table in tuple(who.tables):
            table.fault(who, Reason.DISCONNECTED, REVOKED)
        if who.seat is not None:
            who.seat.expel(ErrorCode.BAD_TOKEN, REVOKED)
        else:
            self._forget_if_done(who)

    def dismiss_idle(self, since: float) -> None:
        """Ask those to come back who have said nothing since then, and wait for nothing."""
        for seat in tuple(self._seats):
            if seat.heard_at < since and not self._is_busy(seat):
                seat.part("idle", reconnect_after=self._config.reconnect_after_s)

    def _is_busy(self, seat: Seat) -> bool:
        who = self._owners.get(seat)
        return who is not None and (
            bool(who.tables)
            or self._desk.is_seeking(who)
            or self._ladders.is_member(who)
            or self._gallery.is_watching(seat)
        )

    # Matches

    def has_time(self, name: str) -> bool:
        """Tell whether a bot may play one more match."""
        who = self._by_name.get(name)
        return who is not None and len(who.tables) < self._config.limits.tables

    def open_match(
        self, names: tuple[str, str], terms: Terms, occasion: Occasion | None = None
    ) -> None:
        """Seat two bots who are here."""
        first, second = names
        self._tables.open((self._by_name[first], self._by_name[second]), terms, occasion)

    # Stopping and starting

    def reconfigure(self, config: Config) -> None:
        """Take new settings, as far as they can be changed in a running server."""
        self._config = config
        self._desk.reconfigure(config)
        self._world.fairness.limits = config.limits
        self._gallery.most = config.limits.watched
        self._ladders.reconfigure(config.ladder)

    def restore(
        self,
        sessions: Iterable[KeptSession],
        matches: Iterable[KeptMatch],
        ladders: Mapping[str, KeptLadder] = NO_LADDERS,
    ) -> None:
        """Take up what a former server left: seats are kept, clocks stand as they stood."""
        for secret, name, agent, is_guest in sessions:
            self._register_absent(Participant(name, secret, agent, is_guest=is_guest))
        self._ladders.restore(ladders, self._by_name)
        for kept in matches:
            for name in kept.match.names:
                if name not in self._by_name:
                    self._register_absent(Participant(name, f"none for {name}", None))
            first, second = kept.match.names
            self._tables.restore(kept, (self._by_name[first], self._by_name[second]))
        for who in tuple(self._by_name.values()):
            self._keep_for_grace_time(who)

    def _register_absent(self, who: Participant) -> None:
        who.lost_at = self._world.now()
        self._register(who)

    def drain(self, idle: Callable[[], None]) -> None:
        """Begin nothing new; ``idle`` is called when no game is under way any more."""
        self._tables.drain(idle)

    def suspend(self) -> None:
        """Stop every match where it stands; the journal knows how to go on."""
        self._ladders.close()
        self._tables.suspend()

    def dismiss(self, reason: str, reconnect_after_s: float, close_code: int) -> None:
        """Say goodbye to everybody."""
        for seat in tuple(self._seats):
            seat.part(reason, reconnect_after=reconnect_after_s, close_code=close_code)
