"""One websocket connection: frames to messages and back, the round trip, and how it ends.

Sending never waits. What is said to a connection in one turn of the event loop goes into the
socket's buffer at the end of that turn, in one system call, which is most of what a frame costs. A
peer that lets more than ``limits.outgoing_bytes`` pile up there is cut off: a spectator is gone, a
bot may come back and resume. So no connection needs a task or a queue of its own for sending, and
one that doesn't read costs nobody else anything.

A frame that is no message, or a message out of place, ends the conversation: an ``error`` with
``fatal``, a ``goodbye``, and the host is told what was received, as evidence. Two things are only
answered with an ``error``: a type this version doesn't know, and a game this connection was never
told of, since both happen to bots that mean well.

How much a peer may say is bounded by a bucket that fills steadily. Each question put to it fills
in what its answers take, so a quick bot is never short, however many games it plays.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import Final, Protocol

from websockets import CloseCode, ConnectionClosed
from websockets import State as SocketState

from protocol import codec
from protocol.codec import DecodeError
from protocol.messages import (
    ClientMessage,
    Error,
    ErrorCode,
    Goodbye,
    Hello,
    Message,
    Reason,
    Turn,
)
from protocol.session import GameState, RemoteProtocolError, Role, Session, State
from server.config.settings import Limits
from server.model.timers import Spawn
from server.net.connection import Connection
from server.net.gate import ANSWERS_A_QUESTION, Allowance

LARGEST_FRAME: Final = 4 * codec.FRAME_LIMIT
"""Up to here a frame too large is read and answered; beyond, the connection is failed (1009)."""
UNREADABLE: Final = {CloseCode.PROTOCOL_ERROR, CloseCode.INVALID_DATA, CloseCode.MESSAGE_TOO_BIG}


class SeatHandler(Protocol):
    """Who is told what a connection says."""

    def heard(self, seat: Seat, message: ClientMessage) -> None:
        """Act on a message that was in place."""

    def broken(
        self, seat: Seat, detail: str, received: str, reason: Reason = Reason.PROTOCOL
    ) -> None:
        """Note that the connection broke the protocol and is being closed."""

    def left(self, seat: Seat) -> None:
        """Note that the connection is gone."""


class SeatRegistry(SeatHandler, Protocol):
    """Keeps the seats of a server, and the names in use."""

    def arrived(self, seat: Seat) -> None:
        """Add a new connection."""

    def is_taken(self, name: str) -> bool:
        """Return whether the name is in use."""


class Seat(ABC):
    """The server's end of one connection, whatever language its peer speaks.

    Attributes:
        session: where the conversation stands.
        heard_at: when the peer last said something, on the event loop's clock.
    """

    def __init__(self) -> None:
        self.session = Session(Role.SERVER)
        self.heard_at = 0.0

    @property
    @abstractmethod
    def lag_ms(self) -> float:
        """The round trip last measured."""

    @property
    @abstractmethod
    def address(self) -> str:
        """Where the peer connects from."""

    @abstractmethod
    def send(self, message: Message, frame: bytes | None = None) -> None:
        """Say something, unless this end has said goodbye or the peer is gone.

        Args:
            message: what to say.
            frame: the same, encoded already, where many are told.
        """

    @abstractmethod
    def part(
        self,
        reason: str,
        *,
        reconnect_after: float | None = None,
        close_code: int = CloseCode.NORMAL_CLOSURE,
    ) -> None:
        """Say goodbye and close."""

    def refuse(self, code: ErrorCode, message: str, ref: str | None = None) -> None:
        """Say that something can't be done; the conversation goes on."""
        self.send(Error(code, message, fatal=False, ref=ref))

    def expel(self, code: ErrorCode, message: str) -> None:
        """Say what was wrong, and that this is the end."""
        self.send(Error(code, message, fatal=True))
        self.part(str(code), close_code=CloseCode.POLICY_VIOLATION)


class SocketSeat(Seat):
    """A connection that speaks ``mancala.v1`` over a websocket."""

    def __init__(
        self, connection: Connection, handler: SeatHandler, limits: Limits, spawn: Spawn
    ) -> None:
        """Take a connection.

        Args:
            connection: an open websocket.
            handler: handles what is received.
            limits: what it may take.
            spawn: runs a coroutine, under a name, beyond the present call.
        """
        super().__init__()
        self._connection = connection
        self._loop = connection.loop
        self._wire = connection.protocol
        self._handler = handler
        self._limits = limits
        self._spawn = spawn
        self._is_closing = False
        self._is_flush_due = False
        self.heard_at = self._loop.time()
        self._allowance = Allowance(
            per_s=limits.messages_per_s, brim=limits.messages_burst, now=self.heard_at
        )

    @property
    def lag_ms(self) -> float:
        """The round trip last measured, by a ping frame that this end timed."""
        return self._connection.latency * 1000

    @property
    def address(self) -> str:
        """Where the peer connects from."""
        return str(self._connection.remote_address[0])

    async def run(self) -> None:
        """Listen until the connection ends."""
        try:
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
        """Say something, at once and without waiting."""
        if self.session.has_left or self._wire.state is not SocketState.OPEN:
            return
        self.session.send(message)
        if isinstance(message, Turn):
            self._allowance.grant(ANSWERS_A_QUESTION)
        self._wire.send_text(frame or codec.encode(message))
        if not self._is_flush_due:
            self._is_flush_due = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._is_flush_due = False
        frames = self._wire.data_to_send()
        if not frames:  # something else, such as a close, has taken them along
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
        """Say goodbye and close."""
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
            return
        self.heard_at = self._loop.time()
        if not self._allowance.spend(self.heard_at):
            self._hear_too_much()
            return
        try:
            message = codec.decode_client(frame)
        except DecodeError as error:
            self._hear_nonsense(error)
            return
        try:
            self.session.receive(message)
        except RemoteProtocolError as error:
            self._hear_out_of_place(error, frame)
        else:
            self._handler.heard(self, message)

    def _hear_too_much(self) -> None:
        limit = f"more than {self._limits.messages_per_s:g} messages a second, for too long"
        self._handler.broken(self, limit, "")
        self.expel(ErrorCode.LIMIT, limit)

    def _hear_nonsense(self, error: DecodeError) -> None:
        if error.code is ErrorCode.UNKNOWN_TYPE:
            self.refuse(error.code, str(error))
            return
        self._handler.broken(self, str(error), error.received)
        self.expel(error.code, str(error))

    def _hear_out_of_place(self, error: RemoteProtocolError, frame: bytes) -> None:
        if error.state is GameState.UNKNOWN:
            game = getattr(error.message, "game", None)
            self.refuse(ErrorCode.UNKNOWN_GAME, "no such game was started here", game)
            return
        received = frame[: codec.QUOTED].decode(errors="backslashreplace")
        if isinstance(error.message, Hello):
            received = "hello"  # it holds secrets
        self._handler.broken(self, str(error), received)
        self.expel(ErrorCode.OUT_OF_PLACE, str(error))
