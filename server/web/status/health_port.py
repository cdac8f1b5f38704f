"""Health and metrics on a port of the game server's own: a connection for each request.

An orchestrator that restarts the game server must ask the game server, not the web's process, which
strangers can keep busy. The port is private: by default only this machine reaches it. It serves a
few paths, and the oldest connection yields to a newcomer. The organiser's page also takes the forms
of its own orders.

It answers on the loop of the referee, so it has a budget: it accepts 50 connections a second, and
its answers take a twentieth of the loop, in turns of the networks that ask. What is asked beyond
that waits.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus
from typing import Final, NamedTuple, cast
from urllib.parse import urlsplit

import h11

from mancala.protocol import codec

from ...health.log import Log
from ...model.schemas.morning import EventOrdersView, MorningView
from ...model.schemas.status import Health
from ...model.schemas.views import View
from ...net.accepting import GuardedPort
from ...net.hosts import Hosts, url_of
from ...net.limits.costs import network_of
from ...net.limits.slow_requests import HalfOpen, PieceRests
from ...net.listening import listening_socket
from ..feed import topics
from ..feed.topics import LiveState
from ..http.fair_pace import FairPace
from .morning import page_of
from .status_door import StatusDoor, user_of

REQUEST_S: Final = 5.0
"""Time for a request and its response; readiness takes two seconds on a store that hangs."""
HEAD_BYTES: Final = 4 * 1024
FORM_BYTES: Final = 64 * 1024
MOST_OPEN: Final = 32
ACCEPTS_PER_S: Final = 50.0
PACE_PER_S: Final = 1000.0
"""Units of 50 µs a second: a twentieth of the loop."""
AHEAD_S: Final = 0.1
REQUEST: Final = 8.0
"""A connection with its request, in the same units."""
PRICES: Final = {"/metrics": 60.0, "/status": 100.0, "/status.json": 60.0, "/status/order": 150.0}
"""What answers cost besides; others hardly anything."""
TEXT_TYPE: Final = "text/plain; charset=utf-8"
METRICS_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
JSON_TYPE: Final = "application/json"
HTML_TYPE: Final = "text/html; charset=utf-8"
STATUS: Final = "/status"
ORDER: Final = f"{STATUS}/order"
PAGE_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
SHUT_DOOR: Final = b"too many wrong passwords from this address; try again in a minute\n"
CLOSED_DOOR: Final = (
    b"This page is for the organiser: from this machine, or with status_token as the password.\n"
)
ASK: Final = {"WWW-Authenticate": 'Basic realm="status"'}


class HealthResponse(NamedTuple):
    """An HTTP response; ``kind`` is the type of its body."""

    status: HTTPStatus
    body: bytes
    kind: str = TEXT_TYPE
    headers: Mapping[str, str] = {}

    @classmethod
    def of(cls, view: View, status: HTTPStatus = HTTPStatus.OK) -> HealthResponse:
        return cls(status, codec.to_json(view), JSON_TYPE)


class HealthRequest(NamedTuple):
    """An HTTP request from an address, with its body as far as it was read.

    Its path is without the query, and the names of its headers are in lower case.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    address: str

    @classmethod
    def begun_by(cls, head: h11.Request, address: str) -> HealthRequest:
        """Return the request that a head begins, without its body.

        A target may name its host, which then stands for that of the header (RFC 9112, 3.2.2).
        """
        target = head.target.decode("latin-1")
        headers = {name.decode(): value.decode("latin-1") for name, value in head.headers}
        if target.lower().startswith(("http://", "https://")):
            parts = urlsplit(target)
            headers["host"], target = parts.netloc.rpartition("@")[2], parts.path or "/"
        return cls(head.method.decode(), target.partition("?")[0], headers, b"", address)

    @property
    def is_too_long(self) -> bool:
        """Whether its body is longer than a form may be, or is stated to be."""
        stated = int(self.headers.get("content-length", 0))
        return self.method == "POST" and max(stated, len(self.body)) > FORM_BYTES


Answer = Callable[[], Awaitable[HealthResponse]]
Morning = Callable[[], Awaitable[MorningView]]


class StatusPage(NamedTuple):
    """The organiser's page: how the last day went, behind a door, with forms of events.

    ``obey`` carries the order of a form out for someone; it returns what is to be said of it, and
    whether it was refused.
    """

    report: Morning
    door: StatusDoor
    forms: Callable[[Iterable[EventOrdersView], str], str]
    obey: Callable[[bytes, str], Awaitable[tuple[str, bool]]]

    async def show(self) -> HealthResponse:
        return await self._page(HTTPStatus.OK)

    async def as_json(self) -> HealthResponse:
        return HealthResponse.of(await self.report())

    async def take(self, request: HealthRequest) -> HealthResponse:
        """Carry the order of a form out; return the page, with what came of it."""
        user = user_of(request.headers)
        by = f"{user} (status page)" if user else "the status page"
        said, is_refused = await self.obey(request.body, by)
        return await self._page(HTTPStatus.CONFLICT if is_refused else HTTPStatus.OK, said)

    async def _page(self, status: HTTPStatus, said: str = "") -> HealthResponse:
        view = await self.report()
        text = page_of(view, self.forms(view.events, ORDER), said)
        return HealthResponse(status, text.encode(), HTML_TYPE, PAGE_HEADERS)


class HealthSite(NamedTuple):
    """What the port answers under some host names, with the organiser's page if there is one."""

    live_state: LiveState
    hosts: Callable[[], Hosts]
    log: Log
    page: StatusPage | None = None

    async def respond(self, request: HealthRequest) -> HealthResponse:
        answer = self._answer_to(request)
        refusal = self._refusal(request, is_known=answer is not None)
        if refusal is not None:
            return refusal
        if answer is None:
            return HealthResponse(HTTPStatus.NOT_FOUND, b"/healthz, /readyz, /metrics or /status\n")
        try:
            return await answer()
        except Exception as error:  # noqa: BLE001  # a question about health must not end the server
            self.log.warning("health question failed", error=repr(error))
            return HealthResponse(HTTPStatus.INTERNAL_SERVER_ERROR, b"the log has the details\n")

    def _refusal(self, request: HealthRequest, *, is_known: bool) -> HealthResponse | None:
        method, path, headers = request.method, request.path, request.headers
        if not self.hosts().allow(headers.get("host", "").lower()):
            return HealthResponse(HTTPStatus.MISDIRECTED_REQUEST, b"unknown host\n")
        if method not in {"GET", "HEAD"} and path != ORDER:
            return HealthResponse(HTTPStatus.METHOD_NOT_ALLOWED, b"GET or HEAD\n")
        if self.page is not None and is_known and path.startswith(STATUS):
            door, now = self.page.door, asyncio.get_running_loop().time()
            if door.is_shut(request.address, headers, now):
                return HealthResponse(HTTPStatus.TOO_MANY_REQUESTS, SHUT_DOOR)
            if not door.admits(request.address, headers, now):
                asked = {} if door.token is None else ASK
                return HealthResponse(HTTPStatus.UNAUTHORIZED, CLOSED_DOOR, TEXT_TYPE, asked)
        if request.is_too_long:
            said = b"a form holds at most %d bytes\n" % FORM_BYTES
            return HealthResponse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, said)
        return None

    def _answer_to(self, request: HealthRequest) -> Answer | None:
        page, path = self.page, request.path
        known = {"/healthz": self._health, "/readyz": self._readiness, "/metrics": self._metrics}
        if page is None or path in known:
            return known.get(path)
        if path == ORDER and request.method == "POST":
            return partial(page.take, request)
        return {STATUS: page.show, f"{STATUS}.json": page.as_json}.get(path)

    async def _health(self) -> HealthResponse:
        return HealthResponse.of(Health(status="ok"))

    async def _readiness(self) -> HealthResponse:
        found = await self.live_state.ask(topics.READINESS)
        return HealthResponse.of(
            found, HTTPStatus.OK if found.ready else HTTPStatus.SERVICE_UNAVAILABLE
        )

    async def _metrics(self) -> HealthResponse:
        text = (await self.live_state.ask(topics.METRICS)).text
        return HealthResponse(HTTPStatus.OK, text.encode(), METRICS_TYPE)


class HealthProtocol(asyncio.Protocol):
    """One connection: one request and its response."""

    transport: asyncio.Transport

    def __init__(self, site: HealthSite, half_open: HalfOpen, pace: FairPace, _peer: str) -> None:
        self._site = site
        self._pace = pace
        self._half_open = half_open
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_BYTES)
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
        if self.transport.is_closing() or self._task is not None:  # asyncio passes on what it read
            return
        try:
            self._http.receive_data(data)
            request = self._whole_request()
        except (h11.RemoteProtocolError, ValueError) as error:  # of its parts, or of its target
            status = HTTPStatus(getattr(error, "error_status_hint", HTTPStatus.BAD_REQUEST))
            self._send(HealthResponse(status, f"{error}\n".encode()))
            return
        if request is None:
            self._rests.read_piece()
        else:
            self.transport.pause_reading()
            self._task = asyncio.create_task(self._answer(request), name="health")

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  # as asyncio has it
        self._timer.cancel()
        self._rests.cancel()
        self._half_open.discard(*self._peer)
        if self._task is not None:
            self._task.cancel()

    def _whole_request(self) -> HealthRequest | None:
        """Return the request if what it needs has arrived: its head, and of a form its body."""
        while True:
            event = self._http.next_event()
            if isinstance(event, h11.Request):
                self._request = HealthRequest.begun_by(event, self._peer[0])
            elif isinstance(event, h11.Data) and self._request is not None:
                self._request = self._request._replace(body=self._request.body + event.data)
            elif not isinstance(event, h11.EndOfMessage):
                return None
            request, is_end = self._request, isinstance(event, h11.EndOfMessage)
            if request and (is_end or request.method != "POST" or request.is_too_long):
                return request

    async def _answer(self, request: HealthRequest) -> None:
        price = REQUEST + PRICES.get(request.path, 0.0)
        await self._pace.take_turn(network_of(request.address), price)
        self._send(await self._site.respond(request), has_body=request.method != "HEAD")

    def _send(self, response: HealthResponse, *, has_body: bool = True) -> None:
        status, body, kind, further = response
        headers = {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "Connection": "close",
            **further,
        }
        head = h11.Response(status_code=status, headers=[*headers.items()], reason=status.phrase)
        self.transport.write(self._http.send(head) or b"")
        if has_body:
            self.transport.write(self._http.send(h11.Data(body)) or b"")
        self.transport.close()


class _Everyone:
    """The guard of a port that admits everyone, at its pace."""

    def admits(self, _address: str) -> bool:
        return True

    def closed(self, _address: str) -> None:
        """Forget nothing."""

    def trusts(self, _address: str) -> bool:
        return False


@asynccontextmanager
async def health_port(site: HealthSite, host: str, port: int) -> AsyncIterator[str]:
    """Serve a site while the block runs; yield the URL. The port 0 is any free one."""
    half_open = HalfOpen()
    with contextlib.ExitStack() as stack:
        listening = stack.enter_context(await listening_socket(host, port, "health_port"))
        now = asyncio.get_running_loop().time
        pace = FairPace(per_s=PACE_PER_S, ahead_s=AHEAD_S, now=now, sleep=asyncio.sleep)
        accepting = GuardedPort(listening, _Everyone(), accepts_per_s=ACCEPTS_PER_S)
        accepting.serve(partial(HealthProtocol, site, half_open, pace), None, REQUEST_S)
        stack.callback(accepting.close)
        yield url_of("http", *listening.getsockname()[:2])
        while half_open.close_oldest():
            pass
