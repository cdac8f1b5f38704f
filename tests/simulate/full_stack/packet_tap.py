"""What passes on one connection, heard outside of both ends; the server's end feeds the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, Protocol

from mancala.protocol import codec
from mancala.protocol import messages as wire
from tests.simulate.full_stack.network import SharedLink
from tests.simulate.ledger import Transcript
from tests.simulate.promises import BrokenPromiseError
from tests.simulate.trace import RareEvent, Trace

TEXT: Final = 1
CLOSE: Final = 8
IS_MASKED: Final = 0x80
CREDIT_S: Final = 0.5
"""No answer is credited with more lag than this, whatever the server measured."""


class Frames:
    """Reads the frames of one direction of a websocket (RFC 6455, section 5.2)."""

    def __init__(self, *, is_open: bool = False) -> None:
        self._buffer = b""
        self._is_open = is_open

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield the opcode and the payload of each frame that is complete."""
        self._buffer += data
        if not self._is_open:
            _head, end, rest = self._buffer.partition(b"\r\n\r\n")
            if not end:
                return
            self._buffer, self._is_open = rest, True
        while (frame := self._next()) is not None:
            yield frame

    def _next(self) -> tuple[int, bytes] | None:
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        size, at = buffer[1] & ~IS_MASKED, 2
        if size > 125:
            at = 4 if size == 126 else 10
            size = int.from_bytes(buffer[2:at])
        mask = buffer[at : at + 4] if buffer[1] & IS_MASKED else b""
        at += len(mask)
        if len(buffer) < at + size:
            return None
        payload, self._buffer = buffer[at : at + size], buffer[at + size :]
        return buffer[0] & 0x0F, _unmasked(payload, mask) if mask else payload


def _unmasked(payload: bytes, mask: bytes) -> bytes:
    size = len(payload)
    stream = (mask * (size // 4 + 1))[:size]
    return (int.from_bytes(payload) ^ int.from_bytes(stream)).to_bytes(size)


class DeafTap:
    """A connection of which nothing is noted."""

    def said(self, data: bytes) -> None:
        """Ignore bytes that are sent."""

    def heard(self, data: bytes) -> None:
        """Ignore bytes that arrive."""

    def ended(self) -> None:
        """Ignore the end."""


class FrameTap:
    """What passes at one end of a connection, message by message, for subclasses to note."""

    def __init__(
        self,
        note: Callable[[BaseException], None],
        *,
        decode_said: Callable[[bytes], wire.Message],
        decode_heard: Callable[[bytes], wire.Message],
    ) -> None:
        """Begin with a new connection; ``note`` keeps errors, which who is heard must not meet."""
        self._note = note
        self._said = Frames(), decode_said, self._announce
        self._heard = Frames(), decode_heard, self._arrive

    def said(self, data: bytes) -> None:
        self._read(data, *self._said)

    def heard(self, data: bytes) -> None:
        self._read(data, *self._heard)

    def ended(self) -> None:
        """Note that this end is closed."""

    def _read(
        self,
        data: bytes,
        frames: Frames,
        decode: Callable[[bytes], wire.Message],
        take: Callable[[wire.Message], None],
    ) -> None:
        try:
            for opcode, payload in frames.feed(data):
                if opcode == TEXT:
                    take(decode(payload))
                elif opcode == CLOSE and frames is self._said[0]:
                    self.ended()
        except (BrokenPromiseError, codec.DecodeError) as error:
            self._note(error)

    def _announce(self, message: wire.Message) -> None:
        """Note a message that is sent."""

    def _arrive(self, message: wire.Message) -> None:
        """Note a message that arrives."""


class Witness(Protocol):
    """Hears what conversations come to, and keeps errors, which the server must not meet."""

    def seat(self, conversation: Conversation) -> None: ...
    def ask(self, conversation: Conversation) -> None: ...
    def note(self, error: BaseException) -> None: ...
    @property
    def games(self) -> tuple[str, ...]: ...


class Conversation(FrameTap):
    """What the server and a bot say to each other on one connection, at the server's end.

    Attributes:
        closed_at: when the server closed the connection, or noticed its loss.
        is_open: whether the server may still ask it something here.
        questions: the games and plies of what it was asked here.
    """

    def __init__(
        self, link: SharedLink, trace: Trace, ledger: Transcript, witness: Witness
    ) -> None:
        super().__init__(
            witness.note, decode_said=codec.decode_server, decode_heard=codec.decode_client
        )
        self.link = link
        self.name = ""
        self.questions: set[tuple[str, int]] = set()
        self.is_welcome = False
        self.welcomed_at = 0.0
        self.closed_at = 0.0
        self.is_open = True
        self.games: set[str] = set()
        self._trace = trace
        self._ledger = ledger
        self._witness = witness

    def ended(self) -> None:
        if self.is_open:
            self.is_open = False
            self.closed_at = self._trace.now()

    def _announce(self, message: wire.Message) -> None:
        self._tell("<", message)
        match message:
            case wire.Welcome():
                self.is_welcome = True
                self.welcomed_at = self._trace.now()
                if message.resumed:
                    self._trace.count(RareEvent.RESUME, self.name)
                self._witness.seat(self)
            case wire.GameStart():
                self.games.add(message.game)
            case wire.Turn():
                self.questions.add((message.game, message.ply))
                self._witness.ask(self)
            case wire.Goodbye():
                self.ended()
        self._ledger.told(self.name, message, CREDIT_S)

    def _arrive(self, message: wire.Message) -> None:
        if not self.is_open:
            return
        self._tell(">", message)
        self._trace.inputs.heard(message)
        if isinstance(message, wire.Hello):
            self.name = message.name
            self._ledger.greeted(self.name, message)
        if not self.is_welcome:  # what it says concerns no session
            return
        match message:
            case wire.Move():
                self._ledger.answer(message, self._trace.now(), is_known=True)
            case wire.Resign():
                self._ledger.renounced(self.name, (message.game,), is_goodbye=False)
            case wire.Goodbye():
                games = self._witness.games
                if self.games.intersection(games):  # one that began while the goodbye was under way
                    self._ledger.did(self.name, wire.Reason.DISCONNECTED)
                self._ledger.renounced(self.name, games, is_goodbye=True)

    def _tell(self, arrow: str, message: wire.Message) -> None:
        if self._trace.is_kept:
            facts = [
                f"{key}={value}"
                for key in ("game", "ply", "pit", "provisional", "reason", "code", "winner")
                if (value := getattr(message, key, None)) is not None
            ]
            who = self.name or "a bot"
            self._trace.tell(who, " ".join([arrow, type(message).__name__, *facts]))
