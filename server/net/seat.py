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

A peer pays for its messages (:mod:`server.net.prices`). Each ``turn`` and each ``challenged`` sent
to it prepays the answers. So a fast bot never runs out, however many games it plays, and neither
does one that many others challenge.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Final, Protocol

from websockets import CloseCode, ConnectionClosed
from websockets import State as SocketState

from protocol import codec
from protocol.codec import DecodeError
from protocol.messages import (
    Challenged,
    ClientMessage,
    Error,
    ErrorCode,
    Goodbye,
    Message,
    Reason,
    Turn,
)
from protocol.session import GameState, RemoteProtocolError, Role, Session, State
from protocol.text import quote
from server.config.settings import Limits
from server.model.timers import Spawn
from server.net import prices
from server.net.arrival import Arrival, arrival
from server.net.connection import Connection

LARGEST_FRAME: Final = 4 * codec.FRAME_LIMIT
"""Larger frames fail the connection (1009); those above the codec's limit get an error."""
UNREADABLE: Final = {CloseCode.PROTOCOL_ERROR, CloseCode.INVALID_DATA, CloseCode.MESSAGE_TOO_BIG}


class SeatHandler(Protocol):
    """Handles what a seat receives."""

    def heard(self, seat: Seat, message: ClientMessage) -> None:
        """Handle a message that the session table allows."""

    def broken(
        self,
        seat: Seat,
        detail: str,
        received: str,
        reason: Reason = Reason.PROTOCOL,
        part: Callable[[], None] = lambda: None,
    ) -> None:
        """Handle a breach of the protocol, which ends the seat's games.

        Args:
            seat: the connection.
            detail: the breach in words.
            received: what was received, as evidence.
            reason: the reason of its games' ends.
            part: closes the connection; called once the games' ends have been sent to it.
        """

    def left(self, seat: Seat) -> None:
        """Handle the loss of the connection."""


class SeatRegistry(SeatHandler, Protocol):
    """Keeps the seats of a server, and the names in use."""

    def arrived(self, seat: Seat) -> None:
        """Add a new connection."""

    def is_taken(self, name: str) -> bool:
        """Return whether the name is in use."""


class Seat(ABC):
    """The server's end of one connection, whatever language its peer speaks.

    Attributes:
        session: the state of the conversation.
        heard_at: when the peer last sent something, on the event loop's clock.
        may_claim: whether its ``hello`` may bind a free name to a token of its own.
    """

    def __init__(self) -> None:
        self.session = Session(Role.SERVER)
        self.may_claim = False
        self.heard_at = 0.0

    @property
    @abstractmethod
    def lag_ms(self) -> float:
        """The lag that its player may be credited, in milliseconds."""

    @property
    @abstractmethod
    def address(self) -> str:
        """The peer's address."""

    @abstractmethod
    def arrival(self, now: float) -> Arrival:
        """Return when the message that is being handled arrived.

        Args:
            now: the present time, in seconds on the event loop's clock.
        """

    @abstractmethod
    def send(self, message: Message, frame: bytes | None = None) -> None:
        """Send a message, unless this end has said goodbye or the peer is gone.

        Args:
            message: the message.
            frame: the encoded message, if it was encoded already for other receivers.
        """

    @abstractmethod
    def part(
        self,
        reason: str,
        *,
        reconnect_after: float | None = None,
        close_code: int = CloseCode.NORMAL_CLOSURE,
    ) -> None:
        """Send ``goodbye`` and close."""

    def refuse(self, code: ErrorCode, message: str, ref: str | None = None) -> None:
        """Send an error that is not fatal; the conversation goes on."""
        self.send(Error(code, message, fatal=False, ref=ref))

    def expel(self, code: ErrorCode, message: str) -> None:
        """Send a fatal error and close."""
        self.send(Error(code, message, fatal=True))
        self.part(str(code), close_code=CloseCode.POLICY_VIOLATION)


class SocketSeat(Seat):
    """A connection that speaks ``mancala.v1`` over a websocket."""

    def __init__(
        self, connection: Connection, handler: SeatHandler, limits: Limits, spawn: Spawn
    ) -> None:
        """Wrap an open connection.

        Args:
            connection: an open websocket.
            handler: handles messages and the end.
            limits: rates, times and buffer size.
            spawn: starts a named task.
        """
        super().__init__()
        self._connection = connection
        self._loop = connection.loop
        self._wire = connection.protocol
        self._handler = handler
        self._limits = limits
        self._spawn = spawn
        self._is_closing = False
        self._is_ending = False
        self._is_flush_due = False
        self.heard_at = self._loop.time()
        self._meter = connection.meter

    @property
    def lag_ms(self) -> float:
        """The smallest of its last round trips, as far as acknowledgements confirm it."""
        return self._connection.lag_s * 1000

    @property
    def address(self) -> str:
        """The peer's address."""
        return str(self._connection.remote_address[0])

    def arrival(self, now: float) -> Arrival:
        """Return when the message that is being handled arrived."""
        connection = self._connection
        return arrival(connection.transport, now, is_last=connection.is_last)

    async def run(self) -> None:
        """Receive messages until the connection ends."""
        try:
            self._connection.on_flood(self._cut_off)
            await self._connection.ping()
            await self._greet()
            await self._connection.listen(self._hear)
        except ConnectionClosed:
            pass
        finally:
            self._note_unreadable()
            self._handler.left(self)

    def _note_unreadable(self) -> None:
        said = self._wire.close_sent
        if said is not None and said.code in UNREADABLE:
            self._handler.broken(self, said.reason or "an unreadable frame", "")

    def send(self, message: Message, frame: bytes | None = None) -> None:
        """Send a message without waiting."""
        if self.session.has_left or self._wire.state is not SocketState.OPEN:
            return
        self.session.send(message)
        self._wire.send_text(frame or codec.encode(message))
        if isinstance(message, Turn):
            self._meter.grant(prices.ANSWERS_A_TURN)
            self._flush()
            return
        if isinstance(message, Challenged):
            self._meter.grant(prices.ANSWERS_A_CHALLENGE)
        if not self._is_flush_due:
            self._is_flush_due = True
            self._loop.call_soon(self._flush_when_due)

    def _flush_when_due(self) -> None:
        self._is_flush_due = False
        self._flush()

    def _flush(self) -> None:
        frames = self._wire.data_to_send()
        if not frames:  # already sent, such as by a close
            return
        transport = self._connection.transport
        transport.write(b"".join(frames))
        if transport.get_write_buffer_size() > self._limits.outgoing_bytes:
            transport.abort()

    def part(
        self,
        reason: str,
        *,
        reconnect_after: float | None = None,
        close_code: int = CloseCode.NORMAL_CLOSURE,
    ) -> None:
        """Send ``goodbye`` and close."""
        if self._is_closing:
            return
        self.send(Goodbye(reason, reconnect_after))
        self._is_closing = True
        self._spawn(self._connection.close(close_code, reason), f"close {self._connection.id}")

    async def _greet(self) -> None:
        try:
            async with asyncio.timeout(self._limits.handshake_s):
                while self.session.state is State.CONNECTED:
                    self._hear(await self._connection.recv(decode=False))
        except TimeoutError:
            self.expel(ErrorCode.TIMEOUT, f"no hello within {self._limits.handshake_s:g} s")

    def _hear(self, frame: bytes) -> None:
        if self.session.has_left:
            self._meter.charge(prices.UNREADABLE, self._loop.time())
            return
        self.heard_at = self._loop.time()
        if self._is_ending:
            self._meter.charge(prices.UNREADABLE, self.heard_at)
            return
        try:
            message = codec.decode_client(frame)
        except DecodeError as error:
            self._meter.charge(prices.UNREADABLE, self.heard_at)
            self._hear_nonsense(error)
            return
        self._meter.charge_message(message, self.heard_at)
        try:
            self.session.receive(message)
        except RemoteProtocolError as error:
            self._hear_out_of_place(error, frame)
        else:
            self._handler.heard(self, message)

    def _cut_off(self) -> None:
        if self._is_ending:
            self.expel(ErrorCode.LIMIT, prices.TOO_MUCH)
        else:
            self._end(ErrorCode.LIMIT, prices.TOO_MUCH, "")

    def _end(self, code: ErrorCode, detail: str, received: str) -> None:
        """End the games, then expel the peer: it reads why it lost before the goodbye."""
        self._is_ending = True
        self._handler.broken(self, detail, received, part=partial(self.expel, code, detail))

    def _hear_nonsense(self, error: DecodeError) -> None:
        if error.code is ErrorCode.UNKNOWN_TYPE:
            self.refuse(error.code, str(error))
            return
        self._end(error.code, str(error), error.received)

    def _hear_out_of_place(self, error: RemoteProtocolError, frame: bytes) -> None:
        if error.state is GameState.UNKNOWN:
            game = getattr(error.message, "game", None)
            self.refuse(ErrorCode.UNKNOWN_GAME, "no such game was started here", game)
            return
        self._end(ErrorCode.OUT_OF_PLACE, str(error), quote(frame))
