"""The Kalah Game Protocol on ports of its own, over TCP and over websockets.

The stock clients work unchanged. Over TCP they make two small writes per move and wait for the
acknowledgement of the first; acknowledging without delay (``TCP_QUICKACK``, which the kernel resets
after each read) makes their games eight times as fast. Over a websocket they expect one command per
frame, with its line end, send any number of commands in one frame, offer no subprotocol, and
request any path. Some send an ``Origin`` as browsers do, with the host that they connect to; only
pages of other hosts are refused.

Clients pay for their lines as bots do for their messages (:mod:`mancala.server.net.limits.costs`).
Each question prepays some hundred lines, since a client may stream moves as fast as it finds them;
those that it wrote before it read the ``stop`` are skipped together. One that has overdrawn its
budget is read no further until the budget has refilled, and one that stays overdrawn is
disconnected. All yield to the other connections after a moment.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterator, Sequence
from types import TracebackType
from typing import Final, Self

from websockets import CloseCode

from mancala.protocol.kgp.actions import Policy, Speaker
from mancala.protocol.kgp.interpreter import Interpreter
from mancala.protocol.kgp.lines import LINE_LIMIT, LineBuffer

from ...config.settings import Kgp
from ..connection import CLOSE_TIMEOUT_S, Connection, WebsocketOptions
from ..gateways import GatewayKind, GatewayParts
from ..hosts import url_of
from ..limits import costs as prices
from ..limits.costs import Meter
from ..limits.gate import Door, Gate, Visit
from ..websocket_port import FAREWELL_S, WebsocketPort
from .kgp_seat import ClientIdentity, KgpSeat
from .kgp_wires import TcpWire, Wire

READ_BYTES: Final = 16 * 1024
"""Maximum size of one read."""
TURN_S: Final = 0.0005
"""How long one connection's lines are handled before the other connections run."""
LARGEST_FRAME: Final = 8 * LINE_LIMIT
MOST_LINES: Final = 64
"""Lines of a frame that are heard; all are handled before the other connections run."""


ServeTcp = Callable[
    [asyncio.StreamReader, asyncio.StreamWriter, Visit, Meter], Coroutine[None, None, None]
]


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
        self._config = parts.config
        self._registry = parts.registry
        self._gate = parts.gate
        self._tls = parts.tls
        self._open_ports = parts.open_ports
        self._rng = parts.rng
        self._closing = asyncio.Event()
        self._served: dict[asyncio.Task[None], Wire] = {}
        self._websockets = WebsocketPort(
            self._serve_websocket,
            parts.gate,
            parts.tls,
            parts.open_ports,
            WebsocketOptions(
                max_size=LARGEST_FRAME,
                handshake_s=parts.config.now.limits.handshake_s,
                refusal=parts.refusal,
                segments=parts.segments,
            ),
        )
        self._guests: set[str] = set()
        self._sessions: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._stack = contextlib.AsyncExitStack()

    @property
    def urls(self) -> tuple[str, ...]:
        """The URLs of the ports, as ``mancala kgp`` takes them."""
        host, websocket = self._config.now.host, "ws" if self._tls is None else "wss"
        ports = (("tcp", self.tcp_port), (websocket, self.ws_port))
        return tuple(url_of(scheme, host, port) for scheme, port in ports if port is not None)

    async def __aenter__(self) -> Self:
        """Open the ports, or raise `PortError`."""
        async with self._stack as stack:
            stack.push_async_callback(self._close_connections)
            config = self._config.now
            if config.kgp.tcp_port is not None:
                self.tcp_port = await self._listen_for_tcp(stack, config.kgp.tcp_port)
            if config.kgp.ws_port is not None:
                self.ws_port = await self._websockets.open(
                    "kgp.ws_port", config.host, config.kgp.ws_port
                )
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the ports and abort the remaining connections."""
        await self._stack.__aexit__(kind, error, trace)

    async def _listen_for_tcp(self, stack: contextlib.AsyncExitStack, port: int) -> int:
        price = prices.CONNECTION + (prices.TLS if self._tls is not None else 0.0)
        door = Door(self._gate, price, asyncio.get_running_loop().time)
        ports = await self._open_ports("kgp.tcp_port", self._config.now.host, port, door)
        for each in ports:
            each.serve(self._make_protocol, self._tls, self._config.now.limits.handshake_s)
            stack.callback(each.close)
        return ports[0].number

    async def close(self) -> None:
        """Close the ports; abort the connections that do not end within ``FAREWELL_S``."""
        await self._stack.aclose()

    async def _close_connections(self) -> None:
        self._closing.set()
        await asyncio.gather(
            self._end_connections(), self._websockets.close(CloseCode.SERVICE_RESTART)
        )

    async def _end_connections(self) -> None:
        if self._served:
            await asyncio.wait(self._served, timeout=FAREWELL_S)
        for wire in self._served.values():
            wire.abort()
        if self._served:
            await asyncio.wait(self._served)

    def _make_protocol(self, address: str) -> asyncio.BaseProtocol:
        return _MeteredProtocol(self._gate, self._serve_tcp, address)

    async def _serve_tcp(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, visit: Visit, meter: Meter
    ) -> None:
        wire = TcpWire(writer, visit.address, self._config.now.limits.outgoing_bytes)
        try:
            with contextlib.closing(writer), contextlib.suppress(ConnectionError):
                if await self._is_admitted(wire, visit, meter):
                    await self._listen_to(reader, wire, meter)
        finally:
            self._gate.leave(visit)

    async def _listen_to(self, reader: asyncio.StreamReader, wire: TcpWire, meter: Meter) -> None:
        buffer = LineBuffer()
        loop = asyncio.get_running_loop()
        with self._seated(wire, meter) as seat:
            while data := await reader.read(READ_BYTES):
                wire.acknowledge()
                price = prices.READ + len(data) / 1024 * prices.KIBIBYTE
                price += data.count(b"\n") * prices.LINE_END
                meter.charge_answer(price, loop.time())
                lines = _marked(buffer.feed(seat.skip_late(data)), ends=data.endswith(b"\n"))
                await _hear(seat, wire, lines, meter)

    async def _serve_websocket(self, connection: Connection) -> None:
        connection.outgoing_bytes = self._config.now.limits.outgoing_bytes
        if await self._is_admitted(connection, connection.visit, connection.meter):
            await self._listen_to_frames(connection)

    async def _listen_to_frames(self, connection: Connection) -> None:
        with self._seated(connection, connection.meter) as seat:
            connection.on_flood(seat.cut_off)

            def hear(frame: bytes) -> None:
                text = frame.decode(errors="backslashreplace")
                lines = [line for line in text.split("\n", MOST_LINES)[:MOST_LINES] if line.strip()]
                for line, is_last in _marked(lines, ends=connection.is_last):
                    seat.hear(line, is_last=is_last)

            await connection.listen(hear)

    async def _is_admitted(self, wire: Wire, visit: Visit, meter: Meter) -> bool:
        """Return whether a connection may stay, once its address can pay for it."""
        wait_s = meter.wait_s(asyncio.get_running_loop().time())
        if wait_s > 0:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self._closing.wait()
        if wire.is_lost or self._closing.is_set():
            return False
        if visit.refusal is None and len(self._served) < self._config.now.kgp.connections:
            return True
        turn_away(wire, visit)
        return False

    @contextlib.contextmanager
    def _seated(self, wire: Wire, meter: Meter) -> Iterator[KgpSeat]:
        handler = asyncio.current_task()
        if handler is None:
            raise RuntimeError("a connection is served by a task")
        loop, kgp = asyncio.get_running_loop(), self._config.now.kgp
        directory = ClientIdentity(self._registry, self._guests, self._sessions, self._rng)
        interpreter = Interpreter(_policy(kgp), pick=self._rng.choice, directory=directory)
        seat = KgpSeat(
            wire, self._registry, interpreter, meter, now=loop.time, call_at=loop.call_at
        )
        seat.may_claim = kgp.claim_names
        self._served[handler] = wire
        self._registry.on_open(seat)
        try:
            seat.greet()
            yield seat
        finally:
            del self._served[handler]
            directory.release()
            seat.lost()
            wire.close()


def _policy(config: Kgp) -> Policy:
    return Policy(config.ladder, config.event, config.rated, config.games)


def _marked(lines: Sequence[str], *, ends: bool) -> Iterator[tuple[str, bool]]:
    """Yield each line and whether what was read ends with it; ``ends`` says so of the last."""
    for place, line in enumerate(lines, 1):
        yield line, ends and place == len(lines)


KGP: Final = GatewayKind("Kalah Game Protocol", Kgp, KgpGateway)


class _MeteredProtocol(asyncio.StreamReaderProtocol):
    """A stream that the gate counts."""

    def __init__(self, gate: Gate, serve_tcp: ServeTcp, address: str) -> None:
        self._gate = gate
        self._address = address
        self._serve_tcp = serve_tcp
        super().__init__(asyncio.StreamReader(limit=READ_BYTES), self._serve)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection."""
        now = asyncio.get_running_loop().time()
        self._meter = self._gate.meter(self._address, now)
        self._visit = self._gate.enter(self._address)
        super().connection_made(transport)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._serve_tcp(reader, writer, self._visit, self._meter)


async def _hear(seat: KgpSeat, wire: Wire, lines: Iterator[tuple[str, bool]], meter: Meter) -> None:
    """Handle lines as fast as the client can pay for them."""
    loop = asyncio.get_running_loop()
    until = loop.time() + TURN_S
    for line, is_last in lines:
        seat.hear(line, is_last=is_last)
        if meter.is_flooding:
            seat.cut_off()
            await asyncio.sleep(CLOSE_TIMEOUT_S)  # time to read why
        if wire.is_lost:
            return
        if (wait_s := meter.wait_s(loop.time())) > 0:
            await asyncio.sleep(wait_s)
        elif seat.heard_at > until:
            await asyncio.sleep(0)
            until = loop.time() + TURN_S
    await asyncio.sleep(max(0.0, meter.wait_s(loop.time())))


def turn_away(wire: Wire, visit: Visit) -> None:
    """Send a refused client the reason and close; in a flood, abort without it."""
    if not visit.is_heard:
        wire.abort()
        return
    speaker = Speaker()
    reason = visit.refusal or "too many clients are connected"
    farewell = [speaker.say("error", reason), speaker.say("goodbye")]
    wire.write([say.line for say in farewell])
    wire.close()
