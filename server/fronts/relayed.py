"""The server's end of a connection whose socket a front holds.

It pays for its messages as any connection does; what it says while it rests waits in the front, as
what is not read of a socket waits in the kernel.
"""

import asyncio
from collections.abc import Callable
from math import inf
from typing import Any, Final, Protocol

from websockets import CloseCode

from ..net.arrivals.arrival import Arrival
from ..net.framing import text_frame
from ..net.message_connection import MessageConnection
from .wire import OVERHEAD, WINDOW, Heard, reading_price

SOON: Final = WINDOW // 2
"""Bytes after which their handling is acknowledged."""


class FrontWire(Protocol):
    """What a connection tells its front.

    Attributes:
        is_late: whether the event loop of the front is late.
    """

    is_late: bool

    def write(self, number: int, frames: bytes) -> None:
        """Have frames written to a connection at the end of this turn of the loop."""

    def close(self, number: int, code: int, reason: str) -> None:
        """Have a connection closed."""

    def abort(self, number: int) -> None:
        """Have a connection dropped, and tell it that it is lost."""

    def acknowledge(self, number: int, size: int) -> None:
        """Let a connection be read on."""

    def note_play(self, number: int, *, plays: bool) -> None:
        """Have the lag of a connection measured often, or rarely."""

    def hear_out(self, done: Callable[[], None]) -> None:
        """Call back once all has been heard that had arrived at the front by now, or it is gone."""


class RelayTransport(asyncio.Transport):
    """The way to the front, in the place of a socket's transport."""

    def __init__(self, front: FrontWire, number: int) -> None:
        super().__init__()
        self.front = front
        self.number = number
        self._is_closing = False

    def is_closing(self) -> bool:
        return self._is_closing

    def abort(self) -> None:
        """Drop the connection."""
        if not self._is_closing:
            self._is_closing = True
            self.front.abort(self.number)

    def pause_reading(self) -> None:
        """Do nothing: what is not handled is not acknowledged."""

    def resume_reading(self) -> None:
        """Do nothing: reading never stopped."""


class RelayedConnection(MessageConnection):
    """A connection in a front, which frames its messages and measures its lag."""

    transport: RelayTransport
    _kept: list[Heard]

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401  # as any connection's
        super().__init__(*args, **options)
        self._kept = []
        self._kept_bytes = 0
        self._handled = 0
        self._last_read_at = -inf
        self._current = Heard(0, b"", 0.0, 0.0)
        self._unwritten: list[bytes] = []
        self._plays = False
        self._fault: str | None = None

    @property
    def is_last(self) -> bool:
        """Whether nothing else waits here."""
        return not self._kept

    @property
    def lag_s(self) -> float:
        """The smallest of its last round trips, as of its last message; in seconds."""
        return self._current.lag_ms / 1000

    @property
    def is_held_up(self) -> bool:
        """Whether the event loop of its front is late."""
        return self.transport.front.is_late

    @property
    def fault(self) -> str | None:
        return self._fault

    def arrival(self, now: float, *, is_last: bool = True) -> Arrival:  # noqa: ARG002  # the front has looked
        """Return when the message that is being passed on arrived at the front."""
        heard = self._current
        if heard.latest is None:
            return self.read_at(now)
        latest = min(heard.latest, now)
        earliest = heard.earliest if heard.earliest is not None else -inf
        return Arrival(min(earliest, latest), latest, heard.stall)

    def read_at(self, now: float) -> Arrival:
        """Return when the front read the message that is being passed on."""
        return Arrival.at(min(self._current.read_at, now))

    # As its front calls it

    def take(self, heard: Heard) -> bool:
        """Charge a message, and pass it on once its peer can pay; return False if it can't be.

        It can't be beyond the window, where one message may end, or before the last one was read.
        """
        if not self._kept:  # it may have been cleared
            self._kept_bytes = 0
        if self._kept_bytes > WINDOW or heard.read_at < self._last_read_at:
            return False
        self._last_read_at = heard.read_at
        self.meter.charge_answer(reading_price(heard.message), self.loop.time())
        if self._is_refused:
            return True
        self._kept_bytes += len(heard.message) + OVERHEAD
        if self._kept or not self._may_parse:
            self._kept.append(heard)
            self._parse_kept()
        else:
            self._parse(heard)
        return True

    def lose(self, fault: str | None = None, *, is_excused: bool = False) -> None:
        """End: the connection is gone, by a fault of its peer or of its front."""
        self._fault, self.is_excused, self.is_open = fault, is_excused, False
        self.connection_lost(None)

    # As a seat calls it

    def send(self, message: bytes) -> None:
        self._unwritten.append(text_frame(message))

    def send_frames(self, frames: bytes) -> None:
        self._unwritten.append(frames)

    def flush(self) -> None:
        frames, self._unwritten = self._unwritten, []
        if frames and self.is_open:
            joined = frames[0] if len(frames) == 1 else b"".join(frames)
            self.transport.front.write(self.transport.number, joined)

    def close(self, code: int = CloseCode.NORMAL_CLOSURE, reason: str = "") -> None:
        """Have the front begin the closing handshake."""
        if self.is_open:
            self.flush()
            self.is_open = False
            self._kept.clear()
            self.transport.front.close(self.transport.number, code, reason)

    def measure_lag(self, *, plays: bool) -> None:
        """Have the front measure the lag often, or rarely."""
        if plays is not self._plays:
            self._plays = plays
            self.transport.front.note_play(self.transport.number, plays=plays)

    def hear_out(self, done: Callable[[], None]) -> None:
        """Call back once all has been heard that had arrived at the front by now."""
        self.transport.front.hear_out(done)

    # What is read

    def _begin(self) -> None:
        self.is_open = True
        self._on_open(self)

    def _take_in(self, data: bytes) -> None:
        """Take nothing: whole messages come instead."""

    def _next_piece(self) -> Heard | None:
        return self._kept.pop(0) if self._kept else None

    def _parse(self, piece: Heard) -> None:
        self._current = piece
        size = len(piece.message) + OVERHEAD
        self._kept_bytes -= size
        self._handled += size
        if self._handled > SOON:
            self.transport.front.acknowledge(self.transport.number, self._handled)
            self._handled = 0
        if self._hear is not None:
            self._hear(piece.message)
        if self.meter.owes:
            self._settle()
