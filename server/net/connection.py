"""A websocket whose peer pays for its work, and that passes each message on as it is read.

``websockets`` parses and serialises (its Sans-I/O protocol, which owns no socket); this module is
the asyncio protocol around it. There is no queue and no task between the socket and the handler: a
future, a wake-up and an iteration of the event loop for each message cost as much as refereeing a
move. :meth:`Connection.listen` registers a callback, which gets each message in the call that read
it from the socket.

What is read is cut into frames (:mod:`mancala.server.net.framing`), and a read that is a whole
message, as nearly all are, is not parsed any further. Each frame is paid for
(:mod:`mancala.server.net.limits.costs`) before the next one is parsed. A peer that has overdrawn
its budget rests: its socket is not read, and the rest of what was read is kept, until the budget
has refilled. One that has not, and sends much, lets the others have their turn after ``TURN_S``. So
no connection holds the loop for longer than that and a frame, whatever it sends: a kilobyte holds a
hundred and seventy pings.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from math import inf
from typing import Final, cast

from websockets import CloseCode, State, Subprotocol
from websockets.frames import DATA_OPCODES, Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol

from mancala.protocol.round_trips import RoundTrips

from .arrivals.arrival import Arrival, Stream, acknowledged_s, arrival, has_unread, noted_arrival
from .arrivals.segments import NO_SEGMENTS, SegmentLog
from .framing import frame_bytes, message_in, text_frame
from .handshake import (
    LONGEST_HEAD,
    TOO_LONG,
    Refusal,
    Response,
    is_forwarded,
    let_in,
    long_list,
)
from .limits import costs as prices
from .limits.client_address import UnclearClientError, forwarded_client
from .limits.costs import Meter
from .limits.gate import OWN, Gate, Visit
from .pings import Pings

READ_BYTES: Final = 16 * 1024
"""Some hundred messages, or one of the largest; a read takes fresh memory of this size, and
asyncio's own quarter of a megabyte costs more in page faults than a message does in all."""
TURN_S: Final = 0.0005
"""How long one connection is parsed before the others have their turn."""
CLOSE_TIMEOUT_S: Final = 2.0
"""Time for the peer's part of a closing handshake, and for the end of its TCP connection."""
READ_FIRST_S: Final = 0.05
"""How soon a connection is judged again whose peer's pong may lie unread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebsocketOptions:
    """What the connections of a port have in common.

    Attributes:
        max_size: the largest message, in bytes; larger ones fail the connection (1009).
        handshake_s: how long the opening handshake may take, in seconds.
        ping_s: seconds between pings of a peer that plays; None for no pings.
        keepalive_s: the same for one that does not.
        refusal: judges the opening requests.
        select_subprotocol: picks one of the subprotocols that a client offers.
        segments: what arrived while the server was stalled.
    """

    max_size: int
    handshake_s: float
    ping_s: float | None = None
    keepalive_s: float = 30.0
    refusal: Refusal = let_in
    select_subprotocol: (
        Callable[[ServerProtocol, Sequence[Subprotocol]], Subprotocol | None] | None
    ) = None
    segments: SegmentLog = NO_SEGMENTS


class Connection(asyncio.Protocol):
    """A connection that the gate counts from beginning to end, and whose peer pays.

    Attributes:
        loop: the event loop.
        protocol: the state of the websocket, and what waits to be written.
        transport: the way to the socket.
        visit: the gate's answer.
        meter: the connection's account.
        is_own: whether it came by the private port, for programs that the server runs.
        is_open: whether messages can be sent.
        outgoing_bytes: the connection is aborted if more than this remains unsent.
        lag_s: the lag that its round trips and the kernel's acknowledgements confirm.
    """

    transport: asyncio.Transport
    visit: Visit
    meter: Meter

    def __init__(
        self,
        gate: Gate,
        accepted: dict[Connection, None],
        options: WebsocketOptions,
        on_open: Callable[[Connection], object],
        address: str,
    ) -> None:
        """Prepare a connection.

        It is in ``accepted`` from its arrival on; ``on_open`` is called after its opening
        handshake. A trusted proxy may name another address than this one.
        """
        self.loop = asyncio.get_running_loop()
        self.protocol = ServerProtocol(
            max_size=options.max_size, select_subprotocol=options.select_subprotocol
        )
        self.lag_s = 0.0
        self.is_own = address == OWN
        self.is_open = False
        self.outgoing_bytes = inf
        self._gate = gate
        self._accepted = accepted
        self._options = options
        self._on_open = on_open
        self._came_from = address
        self._request: Request | None = None
        self._hear: Callable[[bytes], None] | None = None
        self._cut_off: Callable[[], None] | None = None
        self._parts: bytearray | None = None
        self._kept = bytearray()
        self._missing = 0
        self._read_bytes = 0
        self._stream: Stream | None = None
        self._resting: asyncio.Handle | None = None
        self._timer: asyncio.Handle | None = None
        self._is_closing = False
        self._is_refused = False
        self._plays = False
        self._pinged_at = 0.0
        self._pings = Pings()
        self._round_trips = RoundTrips()
        self._is_over = asyncio.Event()
        self._lost = asyncio.Event()

    @property
    def address(self) -> str:
        """The peer's address."""
        return self.visit.address

    @property
    def is_lost(self) -> bool:
        """Whether nothing comes any more."""
        return self._lost.is_set()

    @property
    def is_last(self) -> bool:
        """Whether the message being passed on is surely the end of what was read."""
        return not (self._kept or self._missing)

    @property
    def acknowledged_s(self) -> float | None:
        """The round trip of acknowledgements in seconds; None if it isn't the client's."""
        return None if self._is_forwarded else acknowledged_s(self.transport)

    def arrival(self, now: float, *, is_last: bool = True) -> Arrival:
        """Return when the message that is being passed on arrived, or a line before its end."""
        found = arrival(self.transport, now, is_last=is_last and self.is_last)
        end = self._read_bytes - len(self._kept)
        return noted_arrival(found, self._options.segments, self._stream, end)

    # As asyncio calls it

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection; let it wait until its address has paid for it."""
        self.transport = cast("asyncio.Transport", transport)
        self._accepted[self] = None
        self._stream = Stream.of(transport)
        # Not documented, and harmless where there is no such attribute.
        if hasattr(transport, "max_size"):
            transport.max_size = READ_BYTES
        self.visit = self._gate.enter(self._came_from)
        self.meter = self._gate.meter(self._came_from, self.loop.time())
        if self.visit.is_heard:
            self._timer = self.loop.call_later(self._options.handshake_s, self.abort)
            self._settle()
        else:
            self.abort()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  # as asyncio has it
        """Leave the gate, and stop passing messages on."""
        self.protocol.receive_eof()
        self.is_open = False
        self._gate.leave(self.visit)
        self._accepted.pop(self, None)
        self._set_timer(None)
        self._stop()
        self._lost.set()

    def data_received(self, data: bytes) -> None:
        """Charge what was read; pass it on if it is one message, else parse it."""
        price = prices.READ + len(data) / 1024 * prices.KIBIBYTE
        self.meter.charge_answer(price, self.loop.time())
        self._read_bytes += len(data)
        if self._is_refused:  # asyncio passes on what TLS had decrypted
            self.transport.pause_reading()
            return
        message = message_in(data) if self._is_idle else None
        if message is None or len(message) > self._options.max_size or self._hear is None:
            self._kept += data
            self._parse_kept()
        else:
            self._hear(message)
            if self.meter.owes:
                self._settle()

    def eof_received(self) -> None:
        """Close, as the peer did."""
        self.protocol.receive_eof()
        self.flush()

    # As a seat calls it

    def on_flood(self, cut_off: Callable[[], None]) -> None:
        """Set what is called when the peer has overdrawn its budget for too long."""
        self._cut_off = cut_off

    async def listen(self, hear: Callable[[bytes], None]) -> None:
        """Pass on each message, text or binary, until the connection is lost or unreadable."""
        if not self._is_over.is_set():
            self._hear = hear
            self._go_on()
        await self._is_over.wait()

    def send(self, message: bytes) -> None:
        """Let a message wait for the next :meth:`flush`; the connection must be open."""
        self.protocol.writes.append(text_frame(message))

    def write(self, lines: Iterable[str]) -> None:
        """Send lines of a protocol that has one a message, if the connection is open."""
        if self.is_open:
            for line in lines:
                self.send(line.encode())
            self.flush()

    def flush(self) -> None:
        """Write what waits; every change of the protocol's state comes by here."""
        frames = self.protocol.data_to_send()
        self.is_open = self.protocol.state is State.OPEN
        if not frames or self.transport.is_closing():
            return
        self.transport.write(b"".join(frames))
        if not frames[-1]:
            self._end_stream()
        if not self.is_open and self.protocol.close_expected():
            self._expect_close()
        if self.transport.get_write_buffer_size() > self.outgoing_bytes:
            self.abort()

    def close(self, code: int = CloseCode.NORMAL_CLOSURE, reason: str = "") -> None:
        """Begin the closing handshake, or abort the connection before its opening one."""
        if self.is_open:
            self.protocol.send_close(code, reason)
            self.flush()
            if self._hear is None:
                self._go_on()
        elif self.protocol.state is State.CONNECTING:
            self.abort()

    def abort(self) -> None:
        """Drop the connection."""
        self.transport.abort()

    async def wait_closed(self) -> None:
        """Wait until the connection is lost."""
        await self._lost.wait()

    # The opening handshake, frames and messages

    @property
    def _may_parse(self) -> bool:
        """Whether to parse: not before a handler listens, and while closing for the close alone."""
        return self._resting is None and (self._hear is not None or not self.is_open)

    @property
    def _is_idle(self) -> bool:
        """Whether what is read next begins a message."""
        is_within = self._kept or self._missing or self._parts is not None
        return self._resting is None and not is_within and self.is_open

    def _parse_kept(self) -> None:
        """Parse what is kept, frame by frame, until the peer must rest or its turn is over."""
        until = self.loop.time() + TURN_S
        while self._may_parse and (piece := self._next_piece()):
            self._parse(piece)
            if self.loop.time() > until and self._kept and self._resting is None:
                self._resting = self.loop.call_soon(self._resume)
        if self._kept and not self._may_parse:
            self.transport.pause_reading()

    def _next_piece(self) -> bytes:
        """Return the next line of the opening handshake, or what there is of a frame."""
        if self.protocol.state is State.CONNECTING:
            return self._take(self._kept.find(b"\n") + 1 or len(self._kept))
        self._missing = self._missing or frame_bytes(self._kept)
        piece = self._take(self._missing)
        self._missing -= len(piece)
        return piece

    def _take(self, size: int) -> bytes:
        piece = bytes(self._kept[:size])
        del self._kept[:size]
        return piece

    def _parse(self, piece: bytes) -> None:
        protocol = self.protocol
        protocol.receive_data(piece)
        for event in protocol.events_received():
            if isinstance(event, Request):
                self._answer(event)
            elif isinstance(event, Frame):
                self._handle(event)
        if self._request is None and self._read_bytes - len(self._kept) > LONGEST_HEAD:
            self._reject(TOO_LONG)
            self._read_no_more()
        if protocol.close_expected():
            self.flush()
        if protocol.parser_exc is not None:
            self._stop()
        else:
            self._settle()

    def _answer(self, request: Request) -> None:
        """Accept or refuse the opening handshake."""
        self._request = request
        refusal = long_list(request) or self._readdress(request) or self._options.refusal(request)
        if refusal is not None:
            self._reject(refusal)
            return
        self.protocol.send_response(self.protocol.accept(request))
        self.flush()
        if self.is_open:
            self._set_timer(None)
            self._ping()
            self._on_open(self)

    def _reject(self, refusal: Response) -> None:
        self.protocol.send_response(self.protocol.reject(*refusal))
        self.flush()

    def _readdress(self, request: Request) -> Response | None:
        """Count the connection for the client that a trusted proxy has named, if it has."""
        headers, trusts = request.headers.raw_items(), self._gate.trusts
        try:
            client = forwarded_client(self._came_from, headers, trusts)
        except UnclearClientError as error:
            return HTTPStatus.BAD_REQUEST, f"{error}\n"
        if client != self._came_from:
            now = self.loop.time()
            self.visit = self._gate.readdress(self.visit, client, prices.HANDSHAKE, now)
            self.meter = self._gate.meter(client, now)
            if not self.visit.is_heard or self.meter.wait_s(now) > prices.LONGEST_WAIT_S:
                return HTTPStatus.TOO_MANY_REQUESTS, "too many connections from your address\n"
        return None

    def _handle(self, frame: Frame) -> None:
        if frame.opcode not in DATA_OPCODES:
            self._handle_control(frame)
        elif self._hear is None:  # the connection closes
            self.meter.charge(prices.FRAGMENT, self.loop.time())
        elif frame.fin and frame.opcode is not Opcode.CONT:
            self._hear(bytes(frame.data))
        else:
            self._assemble(frame, self._hear)

    def _assemble(self, part: Frame, hear: Callable[[bytes], None]) -> None:
        """Charge a part of a message; pass the message on if it is complete."""
        self.meter.charge(prices.FRAGMENT, self.loop.time())
        self._parts = self._parts or bytearray()
        self._parts += part.data  # of bounded size, however many fragments there are
        if part.fin:
            message, self._parts = bytes(self._parts), None
            hear(message)

    def _handle_control(self, frame: Frame) -> None:
        """Charge a ping, a pong or a close; send the answer to it."""
        now = self.loop.time()
        round_trip_s = None
        if frame.opcode is Opcode.PONG:
            round_trip_s = self._pings.answered(bytes(frame.data), now)
        if round_trip_s is None:
            self.meter.charge(prices.CONTROL_FRAME, now)
        else:
            self._round_trips.add(round_trip_s)
            self.lag_s = self._round_trips.lag_s(self.acknowledged_s)
        self.flush()

    @property
    def _is_forwarded(self) -> bool:
        """Whether a reverse proxy forwards it, so that the kernel knows only the way to the proxy.

        The headers are believed from exempt networks as well, where proxies often are.
        """
        if self.is_own:
            return False
        if self.transport.get_extra_info("peername")[0] != self.address:
            return True
        is_said = self._request is not None and is_forwarded(self._request)
        return is_said and self._gate.is_exempt(self.address)

    # Pings

    def measure_lag(self, *, plays: bool) -> None:
        """Ping the peer more often from now on if it plays, else rarely.

        Each ping costs as much as two moves, and lag matters to clocks alone.
        """
        begins, self._plays = plays and not self._plays, plays
        if begins and self._options.ping_s is not None and self.is_open:
            wait_s = self._pinged_at + self._options.ping_s - self.loop.time()
            if wait_s > 0:
                self._set_timer(self.loop.call_later(wait_s, self._judge))
            else:
                self._judge()

    def _ping(self) -> None:
        if self._options.ping_s is not None:
            self._pinged_at = self.loop.time()
            self.protocol.send_ping(self._pings.new(self._pinged_at))
            self.flush()
            wait_s = self._options.ping_s if self._plays else self._options.keepalive_s
            self._set_timer(self.loop.call_later(wait_s, self._judge))

    def _judge(self) -> None:
        """Ping again; or fail the connection if its last ping but one was not answered in time.

        What lies unread is read first: after a stall, the pong may be there.
        """
        if not self.is_open:
            return
        if not self._pings.is_overdue:
            self._ping()
        elif self._kept or has_unread(self.transport):
            self._set_timer(self.loop.call_later(READ_FIRST_S, self._judge))
        else:
            self.protocol.fail(CloseCode.INTERNAL_ERROR, "keepalive ping timeout")
            self.flush()

    # Rest and end

    def _settle(self) -> None:
        """Read nothing until what was overdrawn is paid; cut off a peer that floods."""
        wait_s = self.meter.wait_s(self.loop.time())
        if self.meter.is_flooding:
            self._read_no_more()
            (self._cut_off or self.abort)()
        elif wait_s > 0:
            self.transport.pause_reading()
            self._resting = self.loop.call_later(wait_s, self._resume)

    def _go_on(self) -> None:
        if self._resting is None:
            self._resume()

    def _resume(self) -> None:
        self._resting = None
        self._parse_kept()
        is_done = self._is_refused or self.transport.is_closing()
        if not (is_done or (self._kept and not self._may_parse)):
            self.transport.resume_reading()

    def _read_no_more(self) -> None:
        self._is_refused = True
        self.transport.pause_reading()
        self._kept.clear()

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

    def _set_timer(self, timer: asyncio.Handle | None) -> None:
        """Replace the timer: of the opening handshake, then of pings, then of the close."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = timer

    def _stop(self) -> None:
        self._hear = None
        self._kept.clear()
        if self._resting is not None:
            self._resting.cancel()
        self._is_over.set()
