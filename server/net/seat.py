"""One websocket connection: frames to messages and back, the round trip, and how it ends.

Sending never waits. All messages sent to a connection in one iteration of the event loop are
written to the socket at its end, in one system call, which is most of what a frame costs. A
``turn`` is written immediately, with what waits before it, because the player's clock runs from
then on. A peer with more than ``limits.outgoing_bytes`` unread is disconnected: a spectator is
gone, a bot may reconnect and resume. So no connection needs a task or a queue for sending, and one
that doesn't read does not slow the others.

A frame that is not a message, or a message out of place, ends the conversation: the peer gets an
``error`` with ``fatal`` and a ``goodbye``, and the handler gets what was received, as evidence. Two
mistakes get only an ``error``: an unknown message type, and a game that this connection was not
part of. Both happen to well-behaved bots.

A peer pays for its messages (:mod:`mancala.server.net.limits.costs`). Each ``turn`` and each
``challenged`` sent to it prepays the answers. So a fast bot never runs out, however many games it
plays, and neither does one that many others challenge. What a spectator is shown is paid from
budgets of its own, so nothing else waits for it (:mod:`mancala.server.match.audience`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Protocol

from websockets import CloseCode

from mancala.protocol import codec
from mancala.protocol import messages as wire
from mancala.protocol.codec import DecodeError
from mancala.protocol.session import ConnectionState, GameStage, RemoteProtocolError, Role, Session
from mancala.protocol.text import quote

from ..config.settings import Limits
from .arrivals.arrival import Arrival
from .limits import costs as prices
from .message_connection import MessageConnection

LARGEST_FRAME: Final = 4 * codec.FRAME_LIMIT
"""Larger frames fail the connection (1009); those above the codec's limit get an error."""


class SeatHandler(Protocol):
    def on_message(self, seat: Seat, message: wire.ClientMessage) -> None:
        """Handle a message that the session table allows."""

    def on_violation(
        self,
        seat: Seat,
        detail: str,
        received: str,
        reason: wire.Reason = wire.Reason.PROTOCOL,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        """Handle a breach of the protocol, which ends the seat's games for ``reason``.

        What was ``received`` is the evidence; ``close`` closes the connection, and is called once
        the games' ends have been sent to it, or some seconds later.
        """

    def on_close(self, seat: Seat) -> None:
        """Handle the loss of the connection."""


class SeatRegistry(SeatHandler, Protocol):
    """Keeps the seats of a server, and the names in use."""

    def on_open(self, seat: Seat) -> None:
        """Add a new connection, which hasn't said hello."""

    def is_taken(self, name: str) -> bool:
        """Return whether the name is in use; a seat that is kept without games doesn't count."""


class Seat(ABC):
    """The server's end of one connection, whatever language its peer speaks.

    Attributes:
        may_claim: whether its ``hello`` may bind a free name to a token of its own.
        is_excused: whether the connection was lost by no fault of its peer.
    """

    def __init__(self, address: str = "") -> None:
        self.session = Session(Role.SERVER)
        self.address = address
        self.may_claim = False
        self.is_own = False
        self.is_excused = False
        self.heard_at = 0.0

    @property
    def lag_ms(self) -> float:
        """The lag that its player may be credited, in milliseconds."""
        return 0.0

    @property
    def is_held_up(self) -> bool:
        """Whether another process reads it, whose event loop is late."""
        return False

    @property
    def spent(self) -> float:
        """Units of work that the connection has made so far; see ``costs.py``."""
        return 0.0

    def charge_shown(self, price: float) -> float:  # noqa: ARG002  # only some seats pay
        """Charge what a spectator was shown; return for how long it is shown nothing, in s."""
        return 0.0

    def shown_wait_s(self) -> float:
        """Return for how long a spectator is shown nothing, in seconds."""
        return 0.0

    def shown_turn(self, earliest: float) -> float:
        """Return when a spectator that waits is shown something: not with many others."""
        return earliest

    def arrival(self, now: float, *, is_doubted: bool) -> Arrival:  # noqa: ARG002  # not all ask
        """Return when the message that is being handled arrived."""
        return Arrival(now, now)

    def hear_out(self, done: Callable[[], None]) -> None:
        """Call back once all has been heard that had arrived from its peer by now."""
        done()

    @abstractmethod
    def send(self, message: wire.Message, frame: bytes | None = None) -> None:
        """Send a message, unless this end has said goodbye or the peer is gone."""

    def show(self, moves: Sequence[tuple[wire.Moved, bytes]], framed: bytes) -> None:  # noqa: ARG002  # only a websocket has frames
        """Send moves of one game that a spectator is shown together, each with its encoding."""
        for message, frame in moves:
            self.send(message, frame)

    @abstractmethod
    def close(
        self,
        reason: str,
        *,
        reconnect_after: float | None = None,
        close_code: int = CloseCode.NORMAL_CLOSURE,
    ) -> None:
        """Send ``goodbye`` and close."""

    def send_error(self, code: wire.ErrorCode, message: str, ref: str | None = None) -> None:
        """Send an error that is not fatal; the conversation goes on."""
        self.send(wire.Error(code, message, fatal=False, ref=ref))

    def close_with_error(self, code: wire.ErrorCode, message: str) -> None:
        self.send(wire.Error(code, message, fatal=True))
        self.close(str(code), close_code=CloseCode.POLICY_VIOLATION)


Unsent = dict[MessageConnection, None]
"""The connections of a port that have messages to write at the end of this iteration of the loop.
"""


class SocketSeat(Seat):
    """A connection that speaks ``mancala.v1`` over a websocket."""

    def __init__(
        self, connection: MessageConnection, handler: SeatHandler, limits: Limits, unsent: Unsent
    ) -> None:
        """Wrap an open connection; ``unsent`` is shared by those that are flushed together."""
        super().__init__(connection.address)
        self._connection = connection
        connection.outgoing_bytes = limits.outgoing_bytes
        self._loop = connection.loop
        self._handler = handler
        self._limits = limits
        self._unsent = unsent
        self._is_closing = False
        self._is_ending = False
        self._playing: set[str] = set()
        self.heard_at = self._loop.time()
        self._meter = connection.meter
        self.is_own = connection.is_own

    @property
    def lag_ms(self) -> float:
        """The smallest of its last round trips, as far as acknowledgements confirm it."""
        return self._connection.lag_s * 1000

    @property
    def is_held_up(self) -> bool:
        return self._connection.is_held_up

    @property
    def spent(self) -> float:
        return self._meter.spent

    def charge_shown(self, price: float) -> float:
        return self._meter.charge_shown(price, self._loop.time())

    def shown_wait_s(self) -> float:
        return self._meter.shown_wait_s(self._loop.time())

    def shown_turn(self, earliest: float) -> float:
        return self._meter.shown_turn(earliest)

    def arrival(self, now: float, *, is_doubted: bool) -> Arrival:
        return self._connection.arrival(now) if is_doubted else self._connection.read_at(now)

    def hear_out(self, done: Callable[[], None]) -> None:
        self._connection.hear_out(done)

    async def run(self) -> None:
        """Receive messages until the connection ends."""
        self._connection.on_flood(self._cut_off)
        patience = self._loop.call_later(self._limits.handshake_s, self._hear_out_silent)
        try:
            await self._connection.listen(self._hear)
        finally:
            patience.cancel()
            self._note_unreadable()
            self.is_excused = self._connection.is_excused
            self._handler.on_close(self)

    def _note_unreadable(self) -> None:
        if self._connection.fault is not None:
            self._handler.on_violation(self, self._connection.fault, "")

    def send(self, message: wire.Message, frame: bytes | None = None) -> None:
        if self.session.has_left or not self._connection.is_open:
            return
        self.session.send(message)
        self._connection.send(frame or codec.encode(message))
        if isinstance(message, wire.Turn):
            self._meter.grant(prices.ANSWERS_A_TURN)
            self._unsent.pop(self._connection, None)
            self._connection.flush()
            return
        if not isinstance(message, wire.Moved):  # as nearly all are
            if isinstance(message, wire.GameStart | wire.GameOver):
                self._measure_while_playing(message)
            elif isinstance(message, wire.Challenged):
                self._meter.grant(prices.ANSWERS_A_CHALLENGE)
        self._flush_soon()

    def show(self, moves: Sequence[tuple[wire.Moved, bytes]], framed: bytes) -> None:
        """Send moves of one game, which leave the session where the last of them does."""
        if not self.session.has_left and self._connection.is_open:
            self.session.send(moves[-1][0])
            self._connection.send_frames(framed)
            self._flush_soon()

    def _flush_soon(self) -> None:
        if not self._unsent:
            self._loop.call_soon(_flush_all, self._unsent)
        self._unsent[self._connection] = None

    def _measure_while_playing(self, message: wire.GameStart | wire.GameOver) -> None:
        """Measure the lag from the first move on, which a ``turn`` asks for later."""
        if isinstance(message, wire.GameOver):
            self._playing.discard(message.game)
        elif message.seat is not None:
            self._playing.add(message.game)
        self._connection.measure_lag(plays=bool(self._playing))

    def close(
        self,
        reason: str,
        *,
        reconnect_after: float | None = None,
        close_code: int = CloseCode.NORMAL_CLOSURE,
    ) -> None:
        if self._is_closing:
            return
        self.send(wire.Goodbye(reason, reconnect_after))
        self._is_closing = True
        self._connection.close(close_code, reason)

    def _hear_out_silent(self) -> None:
        """Close if no hello came, once what lies in a front or a socket after a stall is read."""
        if self.session.state is ConnectionState.CONNECTED:
            read = partial(self._connection.hear_out, self._close_if_silent)
            self._loop.call_soon(self._loop.call_soon, read)

    def _close_if_silent(self) -> None:
        if self.session.state is ConnectionState.CONNECTED:
            self.close_with_error(
                wire.ErrorCode.TIMEOUT, f"no hello within {self._limits.handshake_s:g} s"
            )

    def _hear(self, frame: bytes) -> None:
        now = self._loop.time()
        if self.session.has_left or self._is_ending:
            self._meter.charge(prices.UNREADABLE, now)
            return
        self.heard_at = now
        try:
            message = codec.decode_client(frame)
        except DecodeError as error:
            self._meter.charge(prices.UNREADABLE, now)
            self._hear_nonsense(error)
            return
        self._meter.charge_message(message, now)
        try:
            self.session.receive(message)
        except RemoteProtocolError as error:
            self._hear_out_of_place(error, frame)
        else:
            self._handler.on_message(self, message)

    def _cut_off(self) -> None:
        if self._is_ending:
            self.close_with_error(wire.ErrorCode.LIMIT, prices.TOO_MUCH)
        else:
            self._end(wire.ErrorCode.LIMIT, prices.TOO_MUCH, "")

    def _end(self, code: wire.ErrorCode, detail: str, received: str) -> None:
        """End the games, then close: it reads why it lost before the goodbye."""
        self._is_ending = True
        self._handler.on_violation(
            self, detail, received, close=partial(self.close_with_error, code, detail)
        )

    def _hear_nonsense(self, error: DecodeError) -> None:
        if error.code is wire.ErrorCode.UNKNOWN_TYPE:
            self.send_error(error.code, str(error))
            return
        self._end(error.code, str(error), error.received)

    def _hear_out_of_place(self, error: RemoteProtocolError, frame: bytes) -> None:
        if error.state is GameStage.UNKNOWN:
            game = getattr(error.message, "game", None)
            self.send_error(wire.ErrorCode.UNKNOWN_GAME, "no such game was started here", game)
            return
        self._end(wire.ErrorCode.OUT_OF_PLACE, str(error), quote(frame))


def _flush_all(unsent: Unsent) -> None:
    due = tuple(unsent)
    unsent.clear()
    for connection in due:
        connection.flush()
