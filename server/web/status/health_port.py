"""Health and metrics on a port of the game server's own: a few lines of HTTP without a framework.

An orchestrator that restarts the game server must ask the game server, not the web's process, which
strangers can keep busy. The port is private: by default only this machine reaches it. It serves a
few paths, a connection for each request, and the oldest connection yields to a newcomer. The
organiser's page also takes the forms of its own orders.
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

from ...health.log import Log
from ...model.schemas.morning import MorningView
from ...model.schemas.status import Health
from ...net.hosts import Hosts
from ...net.limits.half_open import HalfOpen
from ...net.limits.pieces import PieceRests
from ...net.listening import listening_socket
from ...net.urls import url_of
from ..feed import topics
from ..feed.live_state import LiveState
from .morning import page_of
from .organiser import ORDER, Obey, OrderRefusedError, order_in
from .status_door import StatusDoor, user_of

REQUEST_S: Final = 5.0
"""Time for a request and its response; readiness takes two seconds on a store that hangs."""
HEAD_BYTES: Final = 4 * 1024
FORM_BYTES: Final = 64 * 1024
TOO_LONG: Final = b"a form holds at most 65536 bytes\n"
MOST_OPEN: Final = 32
HEAD_END: Final = b"\r\n\r\n"
METRICS_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
JSON_TYPE: Final = "application/json"
HTML_TYPE: Final = "text/html; charset=utf-8"
STATUS: Final = "/status"
PAGE_HEADERS: Final = (
    "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
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


class HealthRequest(NamedTuple):
    """An HTTP request.

    Attributes:
        method: its method.
        path: its path, without the query.
        headers: its headers, by their names in lower case.
        body: its body.
        address: where it comes from.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    address: str

    @classmethod
    def read(cls, head: bytes, address: str) -> HealthRequest:
        """Return the request that a head begins, without its body."""
        request, *lines = head.decode("latin-1").split("\r\n")
        method, _, rest = request.partition(" ")
        path = rest.partition(" ")[0].partition("?")[0]
        pairs = (line.split(":", 1) for line in lines if ":" in line)
        headers = {name.lower(): value.strip() for name, value in pairs}
        return cls(method, path, headers, b"", address)

    @property
    def body_bytes(self) -> int:
        """How long a form is, as stated; 0 for what brings none."""
        stated = self.headers.get("content-length", "")
        is_form = self.method == "POST" and stated.isascii() and stated.isdigit()
        return min(int(stated[:9]), FORM_BYTES + 1) if is_form else 0


Answer = Callable[[], Awaitable[HealthResponse]]
Morning = Callable[[], Awaitable[MorningView]]


class StatusPage(NamedTuple):
    """The organiser's page.

    Attributes:
        report: returns how the last day went.
        door: lets the organiser in.
        obey: carries the orders of its forms out.
        token: what these forms carry.
    """

    report: Morning
    door: StatusDoor
    obey: Obey
    token: str

    async def show(self) -> HealthResponse:
        """Return the page."""
        return self._page(HTTPStatus.OK, page_of(await self.report(), self.token))

    async def take(self, request: HealthRequest) -> HealthResponse:
        """Carry the order of a form out; return the page, with what came of it."""
        user = user_of(request.headers)
        by = f"{user} (status page)" if user else "the status page"
        try:
            said, status = await self.obey(order_in(request.body, self.token, by)), HTTPStatus.OK
        except OrderRefusedError as error:
            said, status = f"Refused: {error}", HTTPStatus.CONFLICT
        return self._page(status, page_of(await self.report(), self.token, said))

    def _page(self, status: HTTPStatus, text: str) -> HealthResponse:
        return HealthResponse(status, text.encode(), HTML_TYPE, PAGE_HEADERS)


def answers(live_state: LiveState, page: StatusPage | None = None) -> dict[str, Answer]:
    """Return what each path answers; those of the organiser's page only where there is one."""

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
    return known if page is None else known | _status_answers(page)


def _status_answers(page: StatusPage) -> dict[str, Answer]:
    async def as_json() -> HealthResponse:
        return HealthResponse(HTTPStatus.OK, codec.to_json(await page.report()), JSON_TYPE)

    return {STATUS: page.show, f"{STATUS}.json": as_json}


class HealthProtocol(asyncio.Protocol):
    """One connection: one request and its response."""

    transport: asyncio.Transport

    def __init__(
        self, respond: Callable[[HealthRequest], Awaitable[bytes]], half_open: HalfOpen
    ) -> None:
        """Prepare the connection.

        Args:
            respond: returns the response to a request.
            half_open: the connections of the port.
        """
        self._respond = respond
        self._half_open = half_open
        self._read = b""
        self._request: HealthRequest | None = None
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
        """Answer the first request, once it is whole; read nothing after it."""
        if self._task is not None:  # asyncio passes on what it had read
            return
        self._read += data
        request = self._request
        if request is None and HEAD_END in self._read:
            head, _, self._read = self._read.partition(HEAD_END)
            request = self._request = HealthRequest.read(head, self._peer[0])
        if request is None and len(self._read) > HEAD_BYTES:
            self.transport.abort()
        elif request is None or len(self._read) < request.body_bytes <= FORM_BYTES:
            self._rests.read_piece()
        else:
            self.transport.pause_reading()
            whole = request._replace(body=self._read[: request.body_bytes])
            self._task = asyncio.create_task(self._answer(whole), name="health")

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  # as asyncio has it
        """Forget the connection."""
        self._timer.cancel()
        self._rests.cancel()
        self._half_open.discard(*self._peer)
        if self._task is not None:
            self._task.cancel()

    async def _answer(self, request: HealthRequest) -> None:
        self.transport.write(await self._respond(request))
        self.transport.close()


async def respond(
    paths: dict[str, Answer],
    hosts: Callable[[], Hosts],
    log: Log,
    page: StatusPage | None,
    request: HealthRequest,
) -> bytes:
    """Return the response to a request.

    Args:
        paths: what each path answers.
        hosts: returns the host names of requests that are answered.
        log: receives internal errors.
        page: the organiser's page, if there is one.
        request: the request.
    """
    path, method, headers = request.path, request.method, request.headers
    answer = paths.get(path)
    if page is not None and path == ORDER and method == "POST":
        answer = partial(page.take, request)
    is_closed = (
        page is not None
        and answer is not None
        and path.startswith(STATUS)
        and not page.door.admits(request.address, headers)
    )
    if not hosts().allow(headers.get("host", "").lower()):
        response = HealthResponse(HTTPStatus.MISDIRECTED_REQUEST, b"unknown host\n")
    elif method not in {"GET", "HEAD"} and path != ORDER:
        response = HealthResponse(HTTPStatus.METHOD_NOT_ALLOWED, b"GET or HEAD\n")
    elif page is not None and is_closed:
        kind = "text/plain; charset=utf-8"
        asked = (ASK,) if page.door.token is not None else ()
        response = HealthResponse(HTTPStatus.UNAUTHORIZED, CLOSED_DOOR, kind, asked)
    elif request.body_bytes > FORM_BYTES:
        response = HealthResponse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, TOO_LONG)
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
    handle = partial(respond, answers(live_state, status), hosts, log, status)
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
