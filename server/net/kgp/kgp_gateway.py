"""The Kalah Game Protocol on ports of its own, over TCP and over websockets.

The stock clients work unchanged. Over a websocket they expect one command per frame, with its line
end, send any number of commands in one frame, offer no subprotocol, and request any path. Some send
an ``Origin`` as browsers do, with the host that they connect to; only pages of other hosts are
refused.

Clients pay for their lines as bots do for their messages (:mod:`mancala.server.net.limits.costs`).
Each question prepays some hundred lines, since a client may stream moves as fast as it finds them;
those that it wrote before it read the ``stop`` are skipped together. One that has overdrawn its
budget is read no further until the budget has refilled, and one that stays overdrawn is
disconnected. All yield to the other connections after a moment.
"""

import asyncio
import contextlib
import re
import socket  # noqa: TID251  # for the names of options
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final, Self

from websockets import CloseCode

from mancala.protocol.kgp.actions import Policy, Speaker
from mancala.protocol.kgp.interpreter import Interpreter
from mancala.protocol.kgp.lines import LINE_LIMIT, LineBuffer

from ...config.settings import Kgp
from ..connection import Connection
from ..connection_port import ConnectionPort
from ..gateways import GatewayKind, GatewayParts
from ..handshake import ConnectionOptions
from ..hosts import url_of
from ..limits import costs as prices
from ..limits.gate import Visit
from ..metered import MeteredConnection
from .kgp_seat import ClientIdentity, KgpSeat

QUICKACK: Final = getattr(socket, "TCP_QUICKACK", None)


class LineConnection(MeteredConnection[str]):
    """Passes on lines, and sends some.

    The stock clients make two small writes per move and wait for the acknowledgement of the first;
    acknowledging without delay (``TCP_QUICKACK``, which the kernel resets after each read) makes
    their games eight times as fast.

    Attributes:
        skip_late: returns what was read without what need not be heard any more.
    """

    PRICE = prices.CONNECTION
    _kept: deque[str]

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401  # as any connection's
        super().__init__(*args, **options)
        self.skip_late: Callable[[bytes], bytes] = lambda data: data
        self._buffer = LineBuffer()
        self._kept = deque()
        self._is_within_line = False

    @property
    def is_last(self) -> bool:
        return not (self._kept or self._is_within_line)

    def write(self, lines: Iterable[str]) -> None:
        if not (self._is_closing or self.transport.is_closing()):
            self.transport.write("".join(lines).encode())
            self._bound_unsent()

    def close(self, code: int = 0, reason: str = "") -> None:  # noqa: ARG002  # lines have no codes
        """Send what is buffered and half-close; keep reading, so that the peer sees no reset."""
        if not (self._is_closing or self.transport.is_closing()):
            with contextlib.suppress(OSError):  # the peer has reset the connection already
                self._end_stream()
            self._expect_close()

    def _begin(self) -> None:
        self._acknowledge()
        self._on_open(self)

    def _take_in(self, data: bytes) -> None:
        self._acknowledge()
        self.meter.charge_answer(data.count(b"\n") * prices.LINE_END, self.loop.time())
        self._is_within_line = not data.endswith(b"\n")
        self._kept += self._buffer.feed(self.skip_late(data))
        self._parse_kept()
        if not (self._kept or self._is_refused):
            self._settle()

    def _next_piece(self) -> str:
        return self._kept.popleft() if self._kept else ""

    def _parse(self, piece: str) -> None:
        if self._hear is not None:
            self._hear(piece)
            self._settle()

    def _acknowledge(self) -> None:
        """Ask the kernel to acknowledge the next segment without delay."""
        sock = self.transport.get_extra_info("socket")
        if QUICKACK is not None and sock is not None:
            with contextlib.suppress(OSError):
                sock.setsockopt(socket.IPPROTO_TCP, QUICKACK, 1)


NUMBER: Final = re.compile(rb"[0-9]+")


class FrameLines:
    """Cuts frames into lines: a frame is a command or several, with or without a line end.

    The stock client in Go sends a command in pieces, a frame each, the line end last. The first
    piece is a number, which is no command: from there on only line ends end a line.
    """

    def __init__(self) -> None:
        self._buffer: LineBuffer | None = None

    def feed(self, frame: bytes) -> list[str]:
        """Return the lines that a frame completes, without blank ones."""
        if self._buffer is None and NUMBER.fullmatch(frame):
            self._buffer = LineBuffer()
        if self._buffer is not None:
            return self._buffer.feed(frame)
        text = frame.decode(errors="backslashreplace")
        return [line for line in text.split("\n", MOST_LINES)[:MOST_LINES] if line.strip()]


LARGEST_FRAME: Final = 8 * LINE_LIMIT
MOST_LINES: Final = 64
"""Lines of a frame that are heard; all are handled before the other connections run."""


class KgpGateway:
    """The listening sockets; open while its ``async with`` block runs.

    Its random generator picks moves for clients that name none, and tells guests of one name apart.

    Attributes:
        tcp_port: port for TCP clients; None when it is not configured.
        ws_port: port for websocket clients; None when it is not configured.
    """

    def __init__(self, parts: GatewayParts) -> None:
        self.tcp_port: int | None = None
        self.ws_port: int | None = None
        self._parts = parts._replace(settings=None)  # a reload replaces them in `config`
        self._config = parts.config
        self._closing = asyncio.Event()
        self._seats: set[KgpSeat] = set()
        handshake_s = parts.config.now.limits.handshake_s
        lines = ConnectionOptions(max_size=LARGEST_FRAME, handshake_s=handshake_s)
        frames = replace(lines, refusal=parts.refusal, segments=parts.segments)
        guarded = parts.gate, parts.tls, parts.open_ports
        self._tcp = ConnectionPort(self._serve_lines, *guarded, LineConnection, lines)
        self._websockets = ConnectionPort(self._serve_frames, *guarded, Connection, frames)
        self._guests: set[str] = set()
        self._sessions: OrderedDict[tuple[str, str], str] = OrderedDict()

    @property
    def urls(self) -> tuple[str, ...]:
        """The URLs of the ports, as ``mancala kgp`` takes them."""
        host, websocket = self._config.now.host, "ws" if self._parts.tls is None else "wss"
        ports = (("tcp", self.tcp_port), (websocket, self.ws_port))
        return tuple(url_of(scheme, host, port) for scheme, port in ports if port is not None)

    async def __aenter__(self) -> Self:
        """Open the ports, or raise `PortError`."""
        host, kgp = self._config.now.host, self._config.now.kgp
        try:
            if kgp.tcp_port is not None:
                self.tcp_port = await self._tcp.open("kgp.tcp_port", host, kgp.tcp_port)
            if kgp.ws_port is not None:
                self.ws_port = await self._websockets.open("kgp.ws_port", host, kgp.ws_port)
        except OSError:
            await self.close()
            raise
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the ports; abort the connections that do not end in a moment."""
        self._closing.set()
        ports: tuple[ConnectionPort[Any], ...] = self._tcp, self._websockets
        await asyncio.gather(*(port.close(CloseCode.SERVICE_RESTART) for port in ports))

    async def _serve_lines(self, connection: LineConnection) -> None:
        if await self._is_admitted(connection):
            with self._seated(connection) as seat:
                connection.skip_late = seat.skip_late
                await connection.listen(lambda line: seat.hear(line, is_last=connection.is_last))

    async def _serve_frames(self, connection: Connection) -> None:
        if await self._is_admitted(connection):
            with self._seated(connection) as seat:
                pieces = FrameLines()

                def hear(frame: bytes) -> None:
                    lines = pieces.feed(frame)[:MOST_LINES]
                    for place, line in enumerate(lines, 1):
                        seat.hear(line, is_last=connection.is_last and place == len(lines))

                await connection.listen(hear)

    async def _is_admitted(self, connection: MeteredConnection[Any]) -> bool:
        """Return whether a connection may stay, once its address can pay for it."""
        connection.outgoing_bytes = self._config.now.limits.outgoing_bytes
        wait_s = connection.meter.wait_s(connection.loop.time())
        if wait_s > 0:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self._closing.wait()
        if connection.is_lost or self._closing.is_set():
            return False
        visit, most = connection.visit, self._config.now.kgp.connections
        if visit.refusal is None and len(self._seats) < most:
            return True
        _turn_away(connection, visit)
        return False

    @contextlib.contextmanager
    def _seated(self, connection: MeteredConnection[Any]) -> Iterator[KgpSeat]:
        loop, kgp, parts = connection.loop, self._config.now.kgp, self._parts
        identity = ClientIdentity(parts.registry, self._guests, self._sessions, parts.rng)
        policy = Policy(kgp.ladder, kgp.event, kgp.rated, kgp.games)
        interpreter = Interpreter(policy, pick=parts.rng.choice, directory=identity)
        seat = KgpSeat(
            *(connection, parts.registry, interpreter, connection.meter),
            now=loop.time,
            call_at=loop.call_at,
        )
        seat.may_claim = kgp.claim_names
        connection.on_flood(seat.cut_off)
        self._seats.add(seat)
        parts.registry.on_open(seat)
        try:
            seat.greet()
            yield seat
        finally:
            self._seats.discard(seat)
            identity.release()
            seat.lost()
            connection.close()


KGP: Final = GatewayKind("Kalah Game Protocol", Kgp, KgpGateway)


def _turn_away(connection: MeteredConnection[Any], visit: Visit) -> None:
    speaker = Speaker()
    reason = visit.refusal or "too many clients are connected"
    farewell = [speaker.say("error", reason), speaker.say("goodbye")]
    connection.write(say.line for say in farewell)
    connection.close()
