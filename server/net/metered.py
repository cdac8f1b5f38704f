"""A connection whose peer pays for its work, and that passes on what comes as it is read.

There is no queue and no task between the socket and the handler: a future, a wake-up and an
iteration of the event loop for each message cost as much as refereeing a move.
:meth:`MeteredConnection.listen` registers a callback, which gets each message in the call that read
it from the socket.

What is read is cut into pieces, such as frames or lines. Each is paid for
(:mod:`mancala.server.net.limits.costs`) before the next one is parsed. A peer that has overdrawn
its budget rests: its socket is not read, and the rest of what was read is kept, until the budget
has refilled. One that has not, and sends much, lets the others have their turn after ``TURN_S``. So
no connection holds the loop for longer than that and a piece, whatever it sends: a kilobyte holds a
hundred and seventy pings.
"""

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Iterable, MutableSequence
from math import inf
from typing import Any, ClassVar, Final, Generic, TypeVar, cast

from websockets import CloseCode

from ..model.timers import Timer
from .arrivals.arrival import Arrival, acknowledged_s, arrival
from .handshake import ConnectionOptions
from .limits import costs as prices
from .limits.costs import Meter
from .limits.gate import OWN, Gate, Visit

M = TypeVar("M", bytes, str)

READ_BYTES: Final = 16 * 1024
"""Some hundred messages, or one of the largest; a read takes fresh memory of this size, and
asyncio's own quarter of a megabyte costs more in page faults than a message does in all."""
TURN_S: Final = 0.0005
"""How long one connection is parsed before the others have their turn."""
CLOSE_TIMEOUT_S: Final = 2.0
"""Time for the peer's part of the end."""


def report_fault(loop: asyncio.AbstractEventLoop, error: Exception) -> None:
    """Have the loop report a fault of a connection's handler."""
    fault = {"message": "fault in a connection's handler", "exception": error}
    loop.call_exception_handler(fault)


class OneTimeEvent:
    """An event that happens once: `asyncio.Event` without its 800 bytes, two of them a bot."""

    __slots__ = ("_waiting", "is_set")

    def __init__(self) -> None:
        self.is_set = False
        self._waiting: list[asyncio.Future[None]] = []

    def set(self) -> None:
        self.is_set = True
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)

    async def wait(self) -> None:
        """Wait until it has happened."""
        if self.is_set:
            return
        waiting = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        try:
            await waiting
        finally:
            self._waiting.remove(waiting)


class MeteredConnection(asyncio.Protocol, Generic[M]):
    """A connection that the gate counts from beginning to end, and whose peer pays."""

    PRICE: ClassVar[float]
    """What one costs, with its opening handshake."""
    transport: asyncio.Transport
    visit: Visit
    meter: Meter
    _kept: MutableSequence[Any]

    def __init__(
        self,
        gate: Gate,
        accepted: dict[Any, None],
        on_open: Callable[[Any], object],
        address: str,
        *,
        options: ConnectionOptions,
    ) -> None:
        """Prepare a connection."""
        self.loop = asyncio.get_running_loop()
        self.is_own = address == OWN
        self.outgoing_bytes = inf
        self._gate = gate
        self._accepted = accepted
        self._on_open = on_open
        self._came_from = address
        self._options = options
        self._hear: Callable[[M], None] | None = None
        self._cut_off: Callable[[], None] | None = None
        self._read_bytes = 0
        self._resting: asyncio.Handle | None = None
        self._is_held = False
        self._timer: Timer | None = None
        self._is_closing = False
        self._is_refused = False
        self._is_over = OneTimeEvent()
        self._lost = OneTimeEvent()

    @property
    def address(self) -> str:
        return self.visit.address

    @property
    def is_lost(self) -> bool:
        """Whether nothing comes any more."""
        return self._lost.is_set

    @property
    @abstractmethod
    def is_last(self) -> bool:
        """Whether the message being passed on is surely the end of what was read."""

    @property
    def acknowledged_s(self) -> float | None:
        """The round trip of acknowledgements in seconds; None if it isn't the client's."""
        return None if self._is_forwarded else acknowledged_s(self.transport)

    @property
    def _is_forwarded(self) -> bool:
        """Whether a proxy forwards it, so that the kernel knows only the way to the proxy."""
        is_direct = self.is_own or self.transport.get_extra_info("peername")[0] == self.address
        return not is_direct

    def arrival(self, now: float, *, is_last: bool = True) -> Arrival:
        """Return when the message that is being passed on arrived, or a line before its end."""
        return arrival(self.transport, now, is_last=is_last and self.is_last)

    # As asyncio calls it

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection; let it wait until its address has paid for it."""
        self.transport = cast("asyncio.Transport", transport)
        self._accepted[self] = None
        # Not documented, and harmless where there is no such attribute.
        if hasattr(transport, "max_size"):
            transport.max_size = READ_BYTES
        self.visit = self._gate.enter(self._came_from)
        self.meter = self._gate.meter(self._came_from, self.loop.time())
        if self.visit.is_heard:
            self._settle()
            self._begin()
        else:
            self.abort()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  # as asyncio has it
        self._gate.leave(self.visit)
        self._accepted.pop(self, None)
        self._set_timer(None)
        self._cut_off = None  # its handler holds this connection
        self._stop()
        self._lost.set()

    def data_received(self, data: bytes) -> None:
        """Charge what was read; take it in, as far as the peer can pay for it."""
        self.meter.charge_answer(prices.reading(len(data)), self.loop.time())
        self._read_bytes += len(data)
        if self._is_refused:  # asyncio passes on what TLS had decrypted
            self.transport.pause_reading()
        else:
            self._take_in(data)

    # As a seat calls it

    def on_flood(self, cut_off: Callable[[], None]) -> None:
        """Set what is called when the peer has overdrawn its budget for too long."""
        self._cut_off = cut_off

    def note_flood(self) -> None:
        """Cut off a peer that floods."""
        self._read_no_more()
        (self._cut_off or self.abort)()

    async def listen(self, hear: Callable[[M], None]) -> None:
        """Pass on each message until the connection is lost or unreadable."""
        if not self._is_over.is_set:
            self._hear = hear
            self._go_on()
        await self._is_over.wait()

    @abstractmethod
    def write(self, lines: Iterable[str]) -> None:
        """Send lines of text without waiting, while the connection is open."""

    @abstractmethod
    def close(self, code: int = ..., reason: str = "") -> None:
        """Send what waits, and begin the end; codes are for those that have them."""

    def hold(self) -> None:
        """Read nothing until :meth:`release`."""
        self._is_held = True
        self.transport.pause_reading()

    def release(self) -> None:
        """Read on."""
        self._is_held = False
        self._go_on()

    def abort(self) -> None:
        """Drop the connection."""
        self.transport.abort()

    def fail(self, error: Exception) -> None:
        """End for a fault of its handler, which ends this connection alone."""
        report_fault(self.loop, error)
        self.close(CloseCode.INTERNAL_ERROR)

    async def wait_closed(self) -> None:
        """Wait until the connection is lost."""
        await self._lost.wait()

    # What is read

    @abstractmethod
    def _begin(self) -> None:
        """Begin the conversation."""

    @abstractmethod
    def _take_in(self, data: bytes) -> None:
        """Keep what was read, and parse it."""

    @abstractmethod
    def _next_piece(self) -> Any:  # noqa: ANN401  # what `_parse` takes
        """Return the next piece of what is kept; nothing if that holds no whole one."""

    @abstractmethod
    def _parse(self, piece: Any) -> None:  # noqa: ANN401  # what `_next_piece` returns
        """Pass a piece on, and :meth:`_settle`."""

    @property
    def _rests(self) -> bool:
        return self._is_held or self._resting is not None

    @property
    def _may_parse(self) -> bool:
        return not self._rests and self._hear is not None

    def _parse_kept(self) -> None:
        """Parse what is kept, piece by piece, until the peer must rest or its turn is over."""
        until = self.loop.time() + TURN_S
        while self._may_parse and (piece := self._next_piece()):
            self._parse(piece)
            if self.loop.time() > until and self._kept and not self._rests:
                self._resting = self.loop.call_soon(self._resume)
        if self._kept and not self._may_parse:
            self.transport.pause_reading()

    # Rest and end

    def _settle(self) -> None:
        """Read nothing until what was overdrawn is paid; cut off a peer that floods."""
        wait_s = self.meter.wait_s(self.loop.time())
        if self.meter.is_flooding:
            self.note_flood()
        elif wait_s > 0 and self._resting is None:
            self.transport.pause_reading()
            self._resting = self.loop.call_later(wait_s, self._resume)

    def _go_on(self) -> None:
        if self._resting is None:
            self._resume()

    def _resume(self) -> None:
        self._resting = None
        self._parse_kept()
        is_done = self._is_refused or self._is_held or self.transport.is_closing()
        if not (is_done or (self._kept and not self._may_parse)):
            self.transport.resume_reading()

    def _read_no_more(self) -> None:
        self._is_refused = True
        self.transport.pause_reading()
        self._kept.clear()

    def _bound_unsent(self) -> None:
        if self.transport.get_write_buffer_size() > self.outgoing_bytes:
            self.abort()

    def _end_stream(self) -> None:
        if self.transport.can_write_eof():
            self.transport.write_eof()
        else:
            self.transport.close()

    def _expect_close(self) -> None:
        """Wait a moment for the peer's part of the end."""
        if not self._is_closing:
            self._is_closing = True
            self._set_timer(self.loop.call_later(CLOSE_TIMEOUT_S, self.abort))

    def _set_timer(self, timer: Timer | None) -> None:
        """Replace the timer: of an opening handshake, then of pings, then of the close."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = timer

    def _stop(self) -> None:
        self._hear = None
        self._kept.clear()
        if self._resting is not None:
            self._resting.cancel()
        self._is_over.set()
