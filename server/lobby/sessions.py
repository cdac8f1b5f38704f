"""All connections and sessions of a server: what the ports report, and what the rooms do with it.

The registry composes the lobby. :class:`Directory` knows who is who, :class:`Logins` and
:class:`Logouts` begin and end sessions, :class:`Connections` keep the seats of lost connections,
and each other message goes to the room that answers it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import permutations
from types import MappingProxyType
from typing import Any, Final

from mancala.protocol import messages as wire
from mancala.protocol.clock import TimeControl

from ..match.context import Context
from ..match.participant import Participant, RequestError
from ..model.contests import KeptEvent
from ..model.credentials import Credentials
from ..model.day_counts import Counted, CountKind
from ..model.journal import KeptLadder, KeptMatch, KeptSession
from ..model.match import Match, Terms
from ..model.timers import Timer
from ..model.timestamps import seconds_between
from ..net.seat import Seat
from ..reviews.dispatcher import ReviewDispatcher
from .connections import Connections
from .directory import NO_SESSION_HASH, Directory
from .house import House
from .listings import Listings
from .logins import Logins
from .logouts import Logouts
from .request_book import RequestBook
from .requests import MatchRequests
from .submissions import Submissions
from .tables import ReadEvent, Tables

CLOCK: Final = TimeControl(move_ms=60_000)
"""Ample: the levels take their time, so that people can follow the game."""


class Exhibition:
    """Starts games of the house bots with one another, so that there is always something to see.

    One at a time, not rated, of the pair that has met least. It takes a place of both bots like a
    challenge, and only places that are free.
    """

    def __init__(self, context: Context, directory: Directory, tables: Tables) -> None:
        self._context = context
        self._directory = directory
        self._tables = tables
        self._met: Counter[tuple[str, str]] = Counter()
        self._timer: Timer | None = None
        config = context.config.now
        if config.play.exhibition_s > 0 and len(config.house_names) > 1:
            self._arm()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self) -> None:
        due = self._context.now() + self._context.config.now.play.exhibition_s
        self._timer = self._context.call_at(due, self._look)

    def _look(self) -> None:
        self._arm()
        config = self._context.config.now
        here = self._directory.present_of(config.house_names)
        if self._tables.is_draining or any(map(self._is_playing, here)):
            return
        pair = self._next_pair([player.name for player in here if self._is_free(player)])
        if pair is not None:
            self._met[pair] += 1
            self._tables.open_match(pair, Terms(config.default_rules, CLOCK, rated=False, games=1))

    def _is_playing(self, player: Participant) -> bool:
        house, matches = self._context.config.now.house_names, player.matches.values()
        return any(match.ladder is None and house.issuperset(match.names) for match in matches)

    def _is_free(self, player: Participant) -> bool:
        most = self._context.config.now.play.challenges
        return player.takes_challenges and len(player.matches) < most

    def _next_pair(self, names: list[str]) -> tuple[str, str] | None:
        """Return one of the pairs that have met least, who begins first; None without a pair."""
        pairs = list(permutations(sorted(names), 2))
        if not pairs:
            return None
        fewest = min(self._met[pair] for pair in pairs)
        new = [pair for pair in pairs if self._met[pair] == fewest]
        return new[self._context.pick(tuple(range(len(new))))]


NO_LADDERS: Final[Mapping[str, KeptLadder]] = MappingProxyType({})
NO_EVENTS: Final[Mapping[str, KeptEvent]] = MappingProxyType({})


class SessionRegistry:
    def __init__(
        self,
        context: Context,
        credentials: Credentials,
        reviews: ReviewDispatcher,
        read_event: ReadEvent,
    ) -> None:
        """Create a registry without sessions; ``read_event`` reads an event from the store."""
        self._context = context
        self.orders = context.orders
        self.reviews = reviews
        self.directory = directory = Directory()
        self.tables = tables = Tables(context, directory, reviews, read_event)
        self.ladders, self.contests = tables.ladders, tables.contests
        book = RequestBook(context.new_id, context.config)
        self._house = House(context, book, directory, tables)
        tables.must_yield, tables.freed = self._house.must_yield, self._freed
        self._requests = requests = MatchRequests(context, book, directory, tables, self._house)
        self._exhibition = Exhibition(context, directory, tables)
        submissions = Submissions(context, credentials)
        self._connections = Connections(context, directory, tables, requests, reviews, submissions)
        self._logins = Logins(context, credentials, directory, self._connections, tables)
        self.claims = self._logins.claims
        self.logouts = Logouts(context, directory, self._connections, tables)
        self.listings = listings = Listings(directory, tables, requests)
        self._handlers: dict[type[wire.ClientMessage], Callable[[Participant, Any], None]] = {
            wire.Move: tables.move,
            wire.Resign: tables.resign,
            wire.Seek: requests.seek,
            wire.Unseek: requests.unseek,
            wire.Challenge: requests.challenge,
            wire.Accept: requests.accept,
            wire.Decline: requests.decline,
            wire.Watch: tables.spectators.watch,
            wire.Unwatch: tables.spectators.unwatch,
            wire.List: listings.answer,
            wire.Schedule: listings.schedule,
            wire.Join: self.ladders.join,
            wire.Leave: self.ladders.leave,
            wire.Enter: self.contests.enter,
            wire.Withdraw: self.contests.withdraw,
            wire.OfferReviews: reviews.offer,
            wire.Review: reviews.review,
            wire.Submit: submissions.submit,
            wire.Goodbye: self.logouts.goodbye,
        }

    # Who is there

    @property
    def participants(self) -> tuple[Participant, ...]:
        return tuple(self.directory.by_name.values())

    def is_taken(self, name: str) -> bool:
        return self.directory.is_taken(name)

    def send_to_all(self, notice: wire.Notice) -> None:
        """Send a notice on every connection that was welcomed."""
        for player in self.participants:
            if player.is_welcome:
                player.send(notice)

    # Connections

    def on_open(self, seat: Seat) -> None:
        self.directory.seats[seat] = self._context.utc()

    def on_close(self, seat: Seat) -> None:
        player = self.directory.close(seat)
        self.tables.spectators.on_close(seat)
        if player is not None:
            if player.is_guest and not self.tables.is_stopping:
                self.claims.left_league(player.name)
            self._connections.on_disconnect(player)

    def on_message(self, seat: Seat, message: wire.ClientMessage) -> None:
        if isinstance(message, wire.Hello):
            self._logins.log_in(seat, message)
        elif (player := self.directory.owners.get(seat)) is not None:
            try:
                self._handlers[type(message)](player, message)
            except RequestError as refusal:
                player.refuse(refusal)
        else:  # goodbye is all that may be said before welcome
            seat.close("goodbye")

    def on_violation(
        self,
        seat: Seat,
        detail: str,
        received: str,
        reason: wire.Reason = wire.Reason.PROTOCOL,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self.logouts.breach(seat, detail, received, reason, close)

    def dismiss_idle(self, since: float) -> None:
        """Close connections that have sent nothing since then and wait for nothing."""
        for seat in tuple(self.directory.seats):
            if seat.heard_at < since and not self._is_busy(seat):
                seat.close("idle", reconnect_after=self._context.config.now.reconnect_after_s)

    def _is_busy(self, seat: Seat) -> bool:
        player = self.directory.owners.get(seat)
        return player is not None and (
            bool(player.matches)
            or self._requests.is_seeking(player)
            or self.ladders.is_member(player)
            or self.contests.is_waiting(player.name)
            or self.contests.is_early(player.name)
            or self.tables.spectators.is_watching(seat)
            or self.reviews.is_reviewing(player)
        )

    def _freed(self, player: Participant) -> None:
        self.logouts.close_if_free(player)
        self._house.look(player.name)
        self._connections.forget_if_done(player)

    # Stopping and starting

    def restore(
        self,
        sessions: Iterable[KeptSession],
        matches: Iterable[KeptMatch],
        ladders: Mapping[str, KeptLadder] = NO_LADDERS,
        counted: Iterable[Counted] = (),
        events: Mapping[str, KeptEvent] = NO_EVENTS,
    ) -> None:
        """Restore what the journal kept: seats are kept, clocks go on where they stood."""
        for each in counted:
            self._restore_count(each)
        for secret, name, agent, is_guest in sessions:
            self.directory.add(self._absent(name, secret, agent, is_guest=is_guest))
        return_s = self.directory.return_s
        for player in self.participants:
            player.return_s = return_s
        self.ladders.restore(ladders, self.directory.by_name)
        self.contests.restore(events)
        for kept in matches:
            self.tables.restore(kept, self._restore_opponents(kept.match))
        for player in self.participants:
            self._connections.keep_seat(player)
        self.contests.look()

    def _restore_opponents(self, match: Match) -> tuple[Participant, Participant]:
        for name in match.names:
            if self.directory.find(name) is None:
                is_guest = name not in self._context.config.now.own_names
                self.directory.add(self._absent(name, NO_SESSION_HASH, is_guest=is_guest))
        first, second = (self.directory.by_name[name] for name in match.names)
        return first, second

    def _restore_count(self, counted: Counted) -> None:
        age_s = max(0.0, seconds_between(counted.at, self._context.utc()))
        since = self._context.now() - age_s
        match counted.kind:
            case CountKind.VOID:
                self._context.fairness.voids.restore_count(counted, since)
            case CountKind.CLAIM | CountKind.LEAGUE:
                self.claims.restore_count(counted, since)
            case _:
                self.ladders.restore_count(counted, since)

    def _absent(
        self, name: str, secret: str, agent: wire.Agent | None = None, *, is_guest: bool
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
        self._connections.close()

    def dismiss(self, reason: str, reconnect_after_s: float, close_code: int) -> None:
        """Send goodbye on every connection, and close it."""
        for seat in tuple(self.directory.seats):
            seat.close(reason, reconnect_after=reconnect_after_s, close_code=close_code)
