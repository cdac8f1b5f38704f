"""Health and metrics on a port of the game server's own: a few lines of HTTP without a framework.

An orchestrator that restarts the game server must ask the game server, not the web's process, which
strangers can keep busy. The port is private: by default only this machine reaches it. It serves a
few paths, a connection for each request, and the oldest connection yields to a newcomer.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus
from typing import Final, NamedTuple, cast

from mancala.protocol import codec
from mancala.server.health.log import Log
from mancala.server.model.schemas.morning import MorningView
from mancala.server.model.schemas.status import Health
from mancala.server.net.half_open import HalfOpen
from mancala.server.net.hosts import Hosts
from mancala.server.net.listening import listening_socket
from mancala.server.net.pieces import PieceRests
from mancala.server.net.urls import url_of
from mancala.server.web import topics
from mancala.server.web.live_state import LiveState
from mancala.server.web.morning import page_of
from mancala.server.web.status_door import StatusDoor

REQUEST_S: Final = 5.0
"""Time for a request and its response; readiness takes two seconds on a store that hangs."""
HEAD_BYTES: Final = 4 * 1024
MOST_OPEN: Final = 32
HEAD_END: Final = b"\r\n\r\n"
METRICS_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
JSON_TYPE: Final = "application/json"
HTML_TYPE: Final = "text/html; charset=utf-8"
STATUS: Final = "/status"
PAGE_HEADERS: Final = (
    "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'",
    "Referrer-Policy: no-referrer",
    "X-Content-Type-Options: nosniff",
    "X-Frame-Options: DENY",
)
CLOSED_DOOR: Final = (
    b"This page is for the organiser: from this machine, or with status_token as the password.\n"
)
ASK: Final = 'WWW-Authenticate: Basic realm="status"'


class HealthResponse(NamedTuple):
    """An HTTP response.

    Attributes:
        status: its status.
        body: its body.
        kind: the body's type.
        headers: further lines of the head.
    """

    status: HTTPStatus
    body: bytes
    kind: str = "text/plain; charset=utf-8"
    headers: tuple[str, ...] = ()

    def encode(self, *, has_body: bool) -> bytes:
        """Return the bytes to send, without the body for a HEAD request."""
        further = "".join(f"{line}\r\n" for line in self.headers)
        head = (
            f"HTTP/1.1 {self.status.value} {self.status.phrase}\r\n"
            f"Content-Type: {self.kind}\r\nContent-Length: {len(self.body)}\r\n"
            f"Cache-Control: no-store\r\nConnection: close\r\n{further}\r\n"
        )
        return head.encode() + (self.body if has_body else b"")


Answer = Callable[[], Awaitable[HealthResponse]]
Morning = Callable[[], Awaitable[MorningView]]


class StatusPage(NamedTuple):
    """The organiser's page.

    Attributes:
        report: returns how the last day went.
        door: lets the organiser in.
    """

    report: Morning
    door: StatusDoor


def answers(live_state: LiveState, report: Morning | None = None) -> dict[str, Answer]:
    """Return what each path answers; those of the organiser's page only with its report."""

    async def health() -> HealthResponse:
        return HealthResponse(HTTPStatus.OK, codec.to_json(Health(status="ok")), JSON_TYPE)

    async def readiness() -> HealthResponse:
        found = await live_state.ask(topics.READINESS)
        status = HTTPStatus.OK if found.ready else HTTPStatus.SERVICE_UNAVAILABLE
        return HealthResponse(status, codec.to_json(found), JSON_TYPE)

    async def metrics() -> HealthResponse:
        text = (await live_state.ask(topics.METRICS)).text
        return HealthResponse(HTTPStatus.OK, text.encode(), METRICS_TYPE)

    known: dict[str, Answer] = {"/healthz": health, "/readyz": readiness, "/metrics": metrics}
    return known if report is None else known | _status_answers(report)


def _status_answers(report: Morning) -> dict[str, Answer]:
    async def page() -> HealthResponse:
        text = page_of(await report()).encode()
        return HealthResponse(HTTPStatus.OK, text, HTML_TYPE, PAGE_HEADERS)

    async def as_json() -> HealthResponse:
        return HealthResponse(HTTPStatus.OK, codec.to_json(await report()), JSON_TYPE)

    return {STATUS: page, f"{STATUS}.json": as_json}


class HealthProtocol(asyncio.Protocol):
    """One connection: one request and its response."""

    transport: asyncio.Transport

    def __init__(
        self, respond: Callable[[bytes, str], Awaitable[bytes]], half_open: HalfOpen
    ) -> None:
        """Prepare the connection.

        Args:
            respond: returns the response to the head of a request from an address.
            half_open: the connections of the port.
        """
        self._respond = respond
        self._half_open = half_open
        self._head = b""
        self._peer = ("", 0)
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for a request, for a moment; close the oldest connection if there are too many."""
        self.transport = cast("asyncio.Transport", transport)  # uvloop's is no subclass
        self._peer = transport.get_extra_info("peername")[:2]
        if len(self._half_open) >= MOST_OPEN:
            self._half_open.close_oldest()
        self._half_open.add(*self._peer, self.transport.abort)
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(REQUEST_S, self.transport.abort)
        self._rests = PieceRests(loop, self.transport, self.transport)

    def data_received(self, data: bytes) -> None:
        """Answer the first request, once its head is whole; read nothing after it."""
        if self._task is not None:  # asyncio passes on what it had read
            return
        self._head += data
        if HEAD_END in self._head:
            self.transport.pause_reading()
            self._task = asyncio.create_task(self._answer(), name="health")
        elif len(self._head) > HEAD_BYTES:
            self.transport.abort()
        else:
            self._rests.read_piece()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  # as asyncio has it
        """Forget the connection."""
        self._timer.cancel()
        self._rests.cancel()
        self._half_open.discard(*self._peer)
        if self._task is not None:
            self._task.cancel()

    async def _answer(self) -> None:
        self.transport.write(await self._respond(self._head, self._peer[0]))
        self.transport.close()


async def respond(
    paths: dict[str, Answer],
    hosts: Callable[[], Hosts],
    log: Log,
    door: StatusDoor,
    head: bytes,
    address: str,
) -> bytes:
    """Return the response to a request.

    Args:
        paths: what each path answers.
        hosts: returns the host names of requests that are answered.
        log: receives internal errors.
        door: lets the organiser in.
        head: the request's head.
        address: where it comes from.
    """
    request, *lines = head.decode("latin-1").split("\r\n")
    method, _, rest = request.partition(" ")
    path = rest.partition(" ")[0].partition("?")[0]
    pairs = (line.split(":", 1) for line in lines if ":" in line)
    headers = {name.lower(): value for name, value in pairs}
    answer = paths.get(path)
    if not hosts().allow(headers.get("host", "").strip().lower()):
        response = HealthResponse(HTTPStatus.MISDIRECTED_REQUEST, b"unknown host\n")
    elif method not in {"GET", "HEAD"}:
        response = HealthResponse(HTTPStatus.METHOD_NOT_ALLOWED, b"GET or HEAD\n")
    elif path.startswith(STATUS) and answer is not None and not door.admits(address, headers):
        kind = "text/plain; charset=utf-8"
        asked = (ASK,) if door.token is not None else ()
        response = HealthResponse(HTTPStatus.UNAUTHORIZED, CLOSED_DOOR, kind, asked)
    elif answer is None:
        response = HealthResponse(HTTPStatus.NOT_FOUND, b"/healthz, /readyz, /metrics or /status\n")
    else:
        response = await _guarded(answer, log)
    return response.encode(has_body=method != "HEAD")


async def _guarded(answer: Answer, log: Log) -> HealthResponse:
    try:
        return await answer()
    except Exception as error:  # noqa: BLE001  # a question about health must not end the server
        log.warning("health question failed", error=repr(error))
        return HealthResponse(HTTPStatus.INTERNAL_SERVER_ERROR, b"the log has the details\n")


@asynccontextmanager
async def health_port(
    live_state: LiveState,
    host: str,
    port: int,
    hosts: Callable[[], Hosts],
    log: Log,
    status: StatusPage | None = None,
) -> AsyncIterator[str]:
    """Serve health and metrics while the block runs; yield the URL.

    Args:
        live_state: the state of the server.
        host: address to listen on.
        port: port to listen on; 0 for any free one.
        hosts: returns the host names of requests that are answered.
        log: receives internal errors.
        status: the organiser's page, if there is one.

    Raises:
        OSError: when the port can't be opened.
    """
    paths = answers(live_state, None if status is None else status.report)
    door = StatusDoor() if status is None else status.door
    handle = partial(respond, paths, hosts, log, door)
    half_open = HalfOpen()
    with contextlib.ExitStack() as stack:
        listening = stack.enter_context(await listening_socket(host, port, "health_port"))
        server = await asyncio.get_running_loop().create_server(
            partial(HealthProtocol, handle, half_open), sock=listening
        )
        stack.callback(server.close)
        yield url_of("http", *listening.getsockname()[:2])
        while half_open.close_oldest():
            pass
