"""A websocket whose peer pays for its work, and that passes each message on as it is read.

``websockets`` puts what it reads into a queue and wakes the task that waits in ``recv()``. That is
a future, a wake-up and an iteration of the event loop for each message, and costs as much as
refereeing a move. Here :meth:`Connection.listen` registers a callback, which gets each message in
the call that read it from the socket.

What is read is parsed in small slices, each of which is paid for (:mod:`server.net.prices`) before
the next one. A peer that has overdrawn its budget rests: its socket is not read, and the rest of
what was read is kept, until the budget has refilled. One that has not, and sends much, lets the
others have their turn after ``TURN_S``. So no connection holds the loop for longer than that and a
slice, whatever it sends: a kilobyte holds a hundred and seventy pings.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

from websockets.asyncio.server import ServerConnection
from websockets.frames import DATA_OPCODES, Frame, Opcode

from protocol.round_trips import RoundTrips
from server.net import prices
from server.net.arrival import acknowledged_s
from server.net.gate import Gate, Visit
from server.net.prices import Meter

READ_BYTES: Final = 16 * 1024
"""Some hundred messages, or one of the largest; a read takes fresh memory of this size, and
asyncio's own quarter of a megabyte costs more in page faults than a message does in all."""
SLICE: Final = 256
"""Bytes parsed before they are paid for: forty pings, or two messages."""
TURN_S: Final = 0.0005
"""How long one connection is parsed before the others have their turn."""

FORWARDED: Final = ("Forwarded", "X-Forwarded-For", "X-Real-IP")
"""Headers that a reverse proxy adds."""
MASKED_HEADER: Final = 6
"""Bytes before the payload of a client's frame of less than 126 bytes."""


class Connection(ServerConnection):
    """A connection that the gate counts from beginning to end, and whose peer pays.

    Attributes:
        gate: counts the connection.
        accepted: the connections of its port in the order of arrival, also before their handshake.
        visit: the gate's answer.
        meter: the connection's account.
        lag_s: the lag that its round trips and the kernel's acknowledgements confirm.
        is_last: whether the message being passed on is surely the end of what was read.
    """

    gate: Gate
    accepted: dict[Connection, None]
    visit: Visit
    meter: Meter

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401  # websockets makes it
        super().__init__(*args, **options)
        self._hear: Callable[[bytes], None] | None = None
        self._cut_off: Callable[[], None] | None = None
        self._begun = bytearray()
        self._kept = bytearray()
        self._resting: asyncio.Handle | None = None
        self._is_refused = False
        self._unhandled_bytes = 0
        self.is_last = False
        self.lag_s = 0.0
        self._round_trips = RoundTrips()
        self._is_over = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection; let it wait until its address has paid for it."""
        super().connection_made(transport)
        self.accepted[self] = None
        # Not documented, and harmless where there is no such attribute.
        transport.max_size = READ_BYTES  # type: ignore[attr-defined]
        address = str(transport.get_extra_info("peername")[0])
        now = self.loop.time()
        self.visit = self.gate.enter(address)
        self.meter = self.gate.meter(address, now)
        if self.visit.is_heard:
            self._rest_if_overdrawn()
        else:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Leave the gate, and stop passing messages on."""
        self.gate.leave(self.visit)
        self.accepted.pop(self, None)
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read; unreadable data ends :meth:`listen`, even while the peer stays connected."""
        price = prices.READ + len(data) / 1024 * prices.KIBIBYTE
        self.meter.charge_answer(price, self.loop.time())
        if self._is_refused:  # websockets reads on while it closes
            self.transport.pause_reading()
        elif self._is_resting:
            self._kept += data
            self.transport.pause_reading()
        elif len(data) <= SLICE:
            self._parse(data)
        else:
            self._kept += data
            self._parse_kept()

    def on_flood(self, cut_off: Callable[[], None]) -> None:
        """Set what is called when the peer has overdrawn its budget for too long."""
        self._cut_off = cut_off

    async def listen(self, hear: Callable[[bytes], None]) -> None:
        """Pass on each message, text or binary, until the connection is lost or unreadable.

        Args:
            hear: called with each message as soon as it is read.
        """
        while len(self.recv_messages.frames):
            hear(await self.recv(decode=False))
        self._hear = hear
        await self._is_over.wait()

    def process_event(self, event: Any) -> None:  # noqa: ANN401  # a request first, then frames
        """Charge a frame; pass a message on, or leave the event to ``websockets``."""
        if isinstance(event, Frame):
            self._charge(event)
            self._unhandled_bytes -= _frame_bytes(len(event.data))
        if self._hear is None or not isinstance(event, Frame) or event.opcode not in DATA_OPCODES:
            super().process_event(event)
            return
        self.is_last = not self._kept and self._unhandled_bytes <= 0
        if event.fin and event.opcode is not Opcode.CONT:
            self._hear(bytes(event.data))
        else:
            self._begun += event.data  # of bounded size, however many fragments there are
            if event.fin:
                message, self._begun = bytes(self._begun), bytearray()
                self._hear(message)

    def acknowledge_pings(self, data: bytes) -> None:
        """Record the round trip of a ping, and what lag it confirms."""
        is_answer = data in self.pending_pings
        super().acknowledge_pings(data)
        if is_answer:
            self._round_trips.add(self.latency)
            known_s = None if self._is_forwarded else acknowledged_s(self.transport)
            self.lag_s = self._round_trips.lag_s(known_s)

    @property
    def _is_forwarded(self) -> bool:
        """Whether a reverse proxy forwards it, so that the kernel knows only the way to the proxy.

        The headers are believed from exempt networks, which is where proxies are.
        """
        headers = self.request.headers if self.request is not None else ()
        return self.gate.is_exempt(self.visit.address) and any(
            header in headers for header in FORWARDED
        )

    @property
    def _is_resting(self) -> bool:
        return self._resting is not None

    def _charge(self, frame: Frame) -> None:
        """Charge a frame that is no message or waits in the queue; who hears it charges for it."""
        if frame.opcode not in DATA_OPCODES:
            if frame.opcode is not Opcode.PONG or bytes(frame.data) not in self.pending_pings:
                self.meter.charge(prices.CONTROL_FRAME, self.loop.time())
        elif self._hear is None:
            self.meter.charge_answer(prices.QUEUED, self.loop.time())
        elif not frame.fin or frame.opcode is Opcode.CONT:
            self.meter.charge(prices.FRAGMENT, self.loop.time())

    def _parse(self, data: bytes) -> None:
        self._unhandled_bytes += len(data)
        super().data_received(data)
        self._unhandled_bytes = len(self.protocol.reader.buffer)  # the begin of a frame
        if self.protocol.parser_exc is not None:
            self._stop()
        elif self.meter.is_flooding:
            self._refuse()
        else:
            self._rest_if_overdrawn()

    def _parse_kept(self) -> None:
        """Parse what is kept, slice by slice, until the peer must rest or its turn is over."""
        until = self.loop.time() + TURN_S
        while self._kept and not self._is_resting:
            piece = bytes(self._kept[:SLICE])
            del self._kept[:SLICE]
            self._parse(piece)
            if self.loop.time() > until:
                break
        if self._kept and not self._is_resting:
            self.transport.pause_reading()
            self._resting = self.loop.call_soon(self._resume)

    def _rest_if_overdrawn(self) -> None:
        """Read nothing until what was overdrawn is paid."""
        wait_s = self.meter.wait_s(self.loop.time())
        if wait_s > 0:
            self.transport.pause_reading()
            self._resting = self.loop.call_later(wait_s, self._resume)

    def _resume(self) -> None:
        self._resting = None
        self._parse_kept()
        if not (self._is_resting or self._is_refused or self.transport.is_closing()):
            self.transport.resume_reading()

    def _refuse(self) -> None:
        """Cut the peer off, and read it no more."""
        self._is_refused = True
        self.transport.pause_reading()
        self._kept.clear()
        if self._cut_off is None:
            self.transport.abort()
        else:
            self._cut_off()

    def _stop(self) -> None:
        self._hear = None
        self._kept.clear()
        if self._resting is not None:
            self._resting.cancel()
        self._is_over.set()


def _frame_bytes(payload_bytes: int) -> int:
    """Return the size of a client's frame (RFC 6455, section 5.2)."""
    if payload_bytes < 126:
        return MASKED_HEADER + payload_bytes
    return MASKED_HEADER + (2 if payload_bytes < 1 << 16 else 8) + payload_bytes
