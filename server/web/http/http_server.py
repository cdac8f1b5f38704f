"""HTTP on one event loop, with limits on connections and time.

uvicorn serves, with six changes. The port accepts as those of games do, by the address of the
client behind a trusted proxy. A request that two readers could understand differently, as of two
clients or two lengths, is refused, and what follows it on the connection is not read. Nor is it
after a request that brings a body, since none has a use here. It installs no signal handlers, since
the process has its own. The port is bound before, so that a port in use raises ``OSError`` instead
of ending the process. And a connection that is idle, sends slowly or doesn't read its response is
closed, which uvicorn does only between requests: slow clients must not hold the connections of
others. That begins with their TLS handshake. One that sends its request in many small pieces is
read a few times a second. Where no place is left, the connection that has been
without a request for longest yields its place to a newcomer.
"""

import asyncio
import socket  # noqa: TID251  # the type, and how its connections are ended
from collections.abc import AsyncIterator, Callable, Iterator
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from http import HTTPStatus
from ssl import SSLContext
from typing import Any, Final, NamedTuple, cast
from urllib.parse import unquote, urlsplit

import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from ...net.accepting import GuardedPort
from ...net.hosts import url_of
from ...net.limits import costs as prices
from ...net.limits.client_address import UnclearClientError, forwarded_client
from ...net.limits.gate import Door, Gate, Visit
from ...net.limits.slow_requests import HalfOpen, PieceRests

REQUEST_S: Final = 15.0
"""Time for a request since the last response, and then for its own; the slowest list takes one."""
IDLE_S: Final = 5
HEAD_BYTES: Final = 16 * 1024
ACCEPTS_PER_S: Final = 1000.0
"""More than at the ports of games, which have another process."""
CONTENT_LENGTH: Final = "content-length"
TRANSFER_ENCODING: Final = "transfer-encoding"
WITH_BODY: Final = (CONTENT_LENGTH, TRANSFER_ENCODING)
CLOSE: Final = (b"connection", b"close")
LAST: Final = {"Connection": "close"}
"""The header of a response after which the connection is closed."""


class Ingress(NamedTuple):
    """Limits and encryption of a port; without ``tls`` it is plain HTTP.

    ``request_s`` bounds a request since the last response, and its own response.
    """

    gate: Gate
    tls: SSLContext | None = None
    handshake_s: float = 10.0
    request_s: float = REQUEST_S


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 on one connection, counted by the gate and limited in time."""

    _visit: Visit | None = None
    _port = 0
    _patience: asyncio.TimerHandle | None = None
    _rests: PieceRests

    def __init__(self, ingress: Ingress, half_open: HalfOpen, address: str, **options: Any) -> None:  # noqa: ANN401  # uvicorn's
        """Prepare a connection from an address; the options are uvicorn's."""
        super().__init__(**options)
        self._gate = ingress.gate
        self._request_s = ingress.request_s
        self._half_open = half_open
        self._address = address

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Admit the connection, or abort it."""
        super().connection_made(transport)
        self._rests = PieceRests(self.loop, self.transport, self.flow)
        self._port = self.client[1] if self.client else 0
        self.client = self._address, self._port
        visit = self._gate.enter(self._address)
        if visit.refusal is not None:
            self._gate.leave(visit)
            transport.abort()
        else:
            self._visit = visit
            self._wait()

    def data_received(self, data: bytes) -> None:
        """Note when a whole request has arrived; rest if it comes in many pieces."""
        former = cast("RequestResponseCycle | None", self.cycle)
        super().data_received(data)
        cycle = cast("RequestResponseCycle | None", self.cycle)
        if cycle is not None and not cycle.response_complete:
            if cycle is not former:
                self._begin_patience()
            self._half_open.discard(self._address, self._port)
            return
        self._rests.read_piece()

    def on_response_complete(self) -> None:
        """Restart the timer for the next request."""
        self._rests.begin()
        super().on_response_complete()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timer and leave the gate."""
        self._stop_waiting()
        self._rests.cancel()
        self._leave()
        super().connection_lost(exc)

    def yield_place(self) -> None:
        """Close, and let another connection in immediately."""
        self._leave()
        self.transport.abort()

    def _leave(self) -> None:
        self._half_open.discard(self._address, self._port)
        if self._visit is not None:
            self._gate.leave(self._visit)
            self._visit = None

    def _wait(self) -> None:
        self._begin_patience()
        self._half_open.add(self._address, self._port, self.yield_place)

    def _begin_patience(self) -> None:
        self._stop_waiting()
        self._patience = self.loop.call_later(self._request_s, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None


class UnclearLengthError(ValueError):
    """A proxy and this server could find different ends of a request."""


class ClearRequests:
    """An application that gets requests of one client and one length, also behind a proxy."""

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        """Wrap an application; the gate knows the trusted proxies."""
        self._app = app
        self._gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; refuse one whose headers name two clients or two lengths."""
        peer, port = scope["client"]
        headers = [
            (name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]
        ]
        try:
            _require_clear_length(scope["http_version"], {name for name, _ in headers})
            client = forwarded_client(peer, headers, self._gate.trusts)
        except (UnclearClientError, UnclearLengthError) as error:
            refusal = PlainTextResponse(f"{error}\n", HTTPStatus.BAD_REQUEST, LAST)
            await refusal(scope, receive, send)
        else:
            scope, headers = _in_origin_form(scope, headers)
            brings_body = any(name in WITH_BODY and value != "0" for name, value in headers)
            last = _last(send) if brings_body else send
            await self._app({**scope, "client": (client, port)}, receive, last)


def _in_origin_form(
    scope: Scope, headers: list[tuple[str, str]]
) -> tuple[Scope, list[tuple[str, str]]]:
    """Return a request whose target names its host as one whose header does (RFC 9112, 3.2.2)."""
    if not scope["raw_path"].lower().startswith((b"http://", b"https://")):
        return scope, headers
    target = urlsplit(scope["raw_path"].decode("latin-1"))
    headers = [("host", target.netloc), *(each for each in headers if each[0] != "host")]
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    path = target.path or "/"
    return {
        **scope,
        "path": unquote(path),
        "raw_path": path.encode("latin-1"),
        "headers": raw,
    }, headers


def _last(send: Send) -> Send:
    """Return what sends the last response of a connection: what a peer still sends is not read."""

    async def send_last(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), CLOSE]}
        await send(message)

    return send_last


def _require_clear_length(version: str, names: AbstractSet[str]) -> None:
    """Refuse a request with two lengths, or one that its version does not know (RFC 9112, 6.1)."""
    if TRANSFER_ENCODING not in names:
        return
    if version == "1.0":
        raise UnclearLengthError("HTTP/1.0 knows no Transfer-Encoding")
    if CONTENT_LENGTH in names:
        raise UnclearLengthError("Content-Length and Transfer-Encoding exclude each other")


class _LendingPort(GuardedPort):
    """A port that takes places back from half-open connections when none is left."""

    def __init__(self, listening: socket.socket, gate: Gate, price: float) -> None:
        """Take over a socket that listens; a connection and its handshakes have a price."""
        door = Door(gate, price, asyncio.get_running_loop().time)
        super().__init__(listening, door, accepts_per_s=ACCEPTS_PER_S)
        self._gate = gate
        self.half_open = HalfOpen()

    async def _connect(self, accepted: socket.socket, address: str) -> None:
        """Serve a connection; close the oldest half-open one if it took the last place."""
        if self._gate.is_overfull():
            self.half_open.close_oldest()
        elif self._gate.is_overfull_for(address):
            self.half_open.close_oldest(address)
        port = _port_of(accepted)
        self.half_open.add(address, port, partial(_shut_down, accepted))
        await super()._connect(accepted, address)
        if accepted.fileno() < 0:
            self.half_open.discard(address, port)


def _port_of(accepted: socket.socket) -> int:
    try:
        return int(accepted.getpeername()[1])
    except OSError:  # it is closed already
        return 0


def _shut_down(accepted: socket.socket) -> None:
    """Shut down a connection in the middle of its handshake: the event loop reads its end."""
    with suppress(OSError):
        accepted.shutdown(socket.SHUT_RDWR)


class _UvicornServer(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, port: _LendingPort, ingress: Ingress) -> None:
        super().__init__(config)
        self._port = port
        self._ingress = ingress

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:  # noqa: ARG002  # the port has it
        """Accept connections, as the other ports do."""
        make = partial(
            BoundedProtocol,
            self._ingress,
            self._port.half_open,
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )
        self._port.serve(make, self._ingress.tls, self._ingress.handshake_s)
        self.servers = []
        self.started = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more, and complete what was begun."""
        self._port.close()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Install no signal handlers; the process has its own."""
        yield


class Serving(NamedTuple):
    """An application that is served; it can leave new connections to another process."""

    url: str
    stop_accepting: Callable[[], None]


@asynccontextmanager
async def serve_on(
    listening: socket.socket, app: ASGIApp, ingress: Ingress
) -> AsyncIterator[Serving]:
    """Serve an application while the block runs, on a listening socket that is closed with it."""
    price = prices.TLS if ingress.tls is not None else 0.0
    port = _LendingPort(listening, ingress.gate, price)
    server = _UvicornServer(_settings(ClearRequests(app, ingress.gate)), port, ingress)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(server.serve(), name="http")
        try:
            scheme = "http" if ingress.tls is None else "https"
            yield Serving(url_of(scheme, *listening.getsockname()[:2]), port.stop_accepting)
        finally:
            server.should_exit = True


def _settings(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=IDLE_S,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=HEAD_BYTES,
    )
