"""A websocket: frames in and out, its opening handshake, and pings.

``websockets`` parses and serialises (its Sans-I/O protocol, which owns no socket); this module is
the asyncio protocol around it, on top of :mod:`mancala.server.net.metered`. A read that is a whole
message, as nearly all are, is not parsed any further (:mod:`mancala.server.net.framing`).
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from websockets import CloseCode, State
from websockets.frames import DATA_OPCODES, Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol

from mancala.protocol.round_trips import RoundTrips

from .arrivals.arrival import Arrival, Stream, has_acknowledged, has_unread, noted_arrival
from .framing import frame_bytes, message_in, ping_frame, pong_in, text_frame
from .handshake import (
    LONGEST_HEAD,
    TOO_LONG,
    ConnectionOptions,
    Response,
    is_forwarded,
    long_list,
    without_empty_lists,
)
from .limits import costs as prices
from .limits.client_address import UnclearClientError, forwarded_client
from .limits.gate import Gate
from .message_connection import MessageConnection

READ_FIRST_S: Final = 0.05
"""How soon a connection is judged again whose peer's pong may lie unread."""
HEAD_END: Final = b"\r\n\r\n"
SHORT_HEAD: Final = 1024
"""Bytes of an opening request that are parsed in one piece; longer ones line by line."""
PING: Final = struct.Struct("!I")
NO_PONG: Final = "no pong in time: answer pings also while you wait and while you think (SPEC.md)"


class Pings:
    """The pings that are not answered yet, in the order of their sending; pure.

    A pong answers its ping and all before it (RFC 6455, section 5.5.3). The payload is a number: a
    peer that foresees it can only make its own round trip look shorter.
    """

    def __init__(self) -> None:
        self._sent: dict[bytes, float] = {}
        self._count = 0

    @property
    def is_overdue(self) -> bool:
        """Whether the last ping is unanswered, and is not the first: a bot may begin slowly."""
        return self._count > 1 and PING.pack(self._count) in self._sent

    def excuse(self) -> None:
        """Forget all but the last: their peer is there, though its program answers none."""
        while len(self._sent) > 1:
            del self._sent[next(iter(self._sent))]

    def new(self, now: float) -> bytes:
        self._count += 1
        payload = PING.pack(self._count)
        self._sent[payload] = now
        return payload

    def answered(self, payload: bytes, now: float) -> float | None:
        """Return the round trip of the ping that a pong answers, in seconds; None for no ping."""
        sent = self._sent.get(payload)
        if sent is None:
            return None
        while next(iter(self._sent)) != payload:
            del self._sent[next(iter(self._sent))]
        del self._sent[payload]
        return now - sent


UNREADABLE: Final = {CloseCode.PROTOCOL_ERROR, CloseCode.INVALID_DATA, CloseCode.MESSAGE_TOO_BIG}
UNMASKED: Final = "incorrect masking"
"""What `websockets` says of a frame without a mask. Who never masks has had no hello read; so it is
a proxy's, such as the close frame by which Caddy 2.6 ends connections when it is reloaded."""


class Connection(MessageConnection):
    """A websocket; passes on text and binary messages alike."""

    _kept: bytearray

    def __init__(
        self,
        gate: Gate,
        accepted: dict[Any, None],
        on_open: Callable[[Connection], object],
        address: str,
        *,
        options: ConnectionOptions,
    ) -> None:
        super().__init__(gate, accepted, on_open, address, options=options)
        self.protocol = ServerProtocol(
            max_size=options.max_size, select_subprotocol=options.select_subprotocol
        )
        self._lag_s: float | None = 0.0
        self._has_asked = False
        self._names_client = False
        self._kept = bytearray()
        self._missing = 0
        self._parts: bytearray | None = None
        self._stream: Stream | None = None
        self._plays = False
        self._pinged_at = 0.0
        self._pings = Pings()
        self._round_trips = RoundTrips()

    @property
    def is_last(self) -> bool:
        return not (self._kept or self._missing)

    @property
    def lag_s(self) -> float:
        """The smallest of its last round trips, as far as acknowledgements confirm it; in s."""
        if self._lag_s is None:
            self._lag_s = self._round_trips.lag_s(self.acknowledged_s)
        return self._lag_s

    @property
    def fault(self) -> str | None:
        said = self.protocol.close_sent
        if said is None or said.code not in UNREADABLE or said.reason == UNMASKED:
            return None
        return said.reason or "an unreadable frame"

    @property
    def _is_forwarded(self) -> bool:
        """Whether a proxy forwards it; headers are believed from exempt networks as well."""
        is_said = self._names_client and self._gate.is_exempt(self.address)
        return is_said or super()._is_forwarded

    def arrival(self, now: float, *, is_last: bool = True) -> Arrival:
        found = super().arrival(now, is_last=is_last)
        end = self._read_bytes - len(self._kept)
        return noted_arrival(found, self._options.segments, self._stream, end)

    # As asyncio calls it

    def _begin(self) -> None:
        self._stream = Stream.of(self.transport)
        self._timer = self.loop.call_later(self._options.handshake_s, self.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        self.protocol.receive_eof()
        self.protocol.parser.close()  # it and the protocol hold each other, and so does its error
        self.protocol.parser_exc = None
        self.is_open = False
        super().connection_lost(exc)

    def _take_in(self, data: bytes) -> None:
        is_within = self._kept or self._missing or self._parts is not None
        at_a_start = not self._rests and not is_within and self.is_open
        hear = self._hear if at_a_start else None
        message = message_in(data) if hear is not None else None
        if hear is not None and message is not None and len(message) <= self._options.max_size:
            hear(message)
        elif hear is not None and message is None and (pong := pong_in(data)) is not None:
            self._hear_pong(pong)
        else:
            self._kept += data
            self._parse_kept()
            return
        if self.meter.owes:
            self._settle()

    def eof_received(self) -> None:
        """Close, as the peer did."""
        self.protocol.receive_eof()
        self.flush()

    # As a seat calls it

    def send(self, message: bytes) -> None:
        self.protocol.writes.append(text_frame(message))

    def send_frames(self, frames: bytes) -> None:
        self.protocol.writes.append(frames)

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
        self._bound_unsent()

    def close(self, code: int = CloseCode.NORMAL_CLOSURE, reason: str = "") -> None:
        """Begin the closing handshake, or abort the connection before its opening one."""
        if self.is_open:
            self.protocol.send_close(code, reason)
            self.flush()
            if self._hear is None:
                self._go_on()
        elif self.protocol.state is State.CONNECTING:
            self.abort()

    # The opening handshake, frames and messages

    @property
    def _may_parse(self) -> bool:
        """Whether to parse: not before a handler listens, and while closing for the close alone."""
        return not self._rests and (self._hear is not None or not self.is_open)

    def _next_piece(self) -> bytes:
        """Return the opening request or its next line, or what there is of a frame."""
        if self.protocol.state is State.CONNECTING:
            end = self._kept.find(HEAD_END, 0, SHORT_HEAD) + len(HEAD_END)
            if end < len(HEAD_END):
                end = self._kept.find(b"\n") + 1 or len(self._kept)
            return self._take(end)
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
        if not self._has_asked and self._read_bytes - len(self._kept) > LONGEST_HEAD:
            self._reject(TOO_LONG)
            self._read_no_more()
        if protocol.close_expected():
            self.flush()
        if protocol.parser_exc is not None:
            self._stop()
        else:
            self._settle()

    def _answer(self, request: Request) -> None:
        self._has_asked, self._names_client = True, is_forwarded(request)
        refusal = long_list(request) or self._readdress(request) or self._options.refusal(request)
        if refusal is not None:
            self._reject(refusal)
            return
        self.protocol.send_response(self.protocol.accept(without_empty_lists(request)))
        self.is_open = self.protocol.state is State.OPEN
        if self.is_open:
            self._forget_request()
            self._set_timer(None)
            self._ping()
        self.flush()
        if self.is_open:
            self._on_open(self)

    def _forget_request(self) -> None:
        """Go on with a protocol that has not read it; the first one keeps it to the end."""
        response = self.protocol.writes
        self.protocol.parser.close()
        self.protocol = ServerProtocol(state=State.OPEN, max_size=self._options.max_size)
        self.protocol.writes += response

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
        if frame.opcode is Opcode.PONG:
            self._hear_pong(bytes(frame.data))
        else:
            self.meter.charge(prices.CONTROL_FRAME, self.loop.time())
            self.flush()

    def _hear_pong(self, payload: bytes) -> None:
        """Measure a round trip; charge a pong that no ping asked for."""
        now = self.loop.time()
        round_trip_s = self._pings.answered(payload, now)
        if round_trip_s is None:
            self.meter.charge(prices.CONTROL_FRAME, now)
        else:
            self._round_trips.add(round_trip_s)
            self._lag_s = None  # asked for by a turn, not by a bot that waits

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
            self.protocol.writes.append(ping_frame(self._pings.new(self._pinged_at)))
            self.flush()
            self._set_timer(
                self.loop.call_later(self._options.ping_s, self._judge)
                if self._plays
                else self._options.keepalive.set(self._judge)
            )

    def _judge(self) -> None:
        """Ping again; or fail the connection if its last ping but one was not answered in time.

        What lies unread is read first: after a stall, the pong may be there. libcurl sends a pong
        with its next message only, and a program that thinks sends none: so it is enough that the
        peer's own machine has acknowledged something since the ping.
        """
        if not self.is_open:
            return
        since_s = self.loop.time() - self._pinged_at
        if not self._pings.is_overdue:
            self._ping()
        elif self._kept or has_unread(self.transport):
            self._set_timer(self.loop.call_later(READ_FIRST_S, self._judge))
        elif not self._is_forwarded and has_acknowledged(self.transport, since_s):
            self._pings.excuse()
            self._ping()
        else:
            self.protocol.fail(CloseCode.INTERNAL_ERROR, NO_PONG)
            self.flush()
