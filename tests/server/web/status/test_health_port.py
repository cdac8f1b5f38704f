"""Health on a port of the game server's own."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from mancala.server.health.log import NullLog
from mancala.server.model.schemas.status import BrokerState, Readiness
from mancala.server.model.schemas.views import View
from mancala.server.net.hosts import Hosts
from mancala.server.net.limits import slow_requests
from mancala.server.web.feed import topics
from mancala.server.web.feed.topics import MetricsText, Topic
from mancala.server.web.status.health_port import (
    AHEAD_S,
    MOST_OPEN,
    PACE_PER_S,
    PRICES,
    REQUEST,
    HealthSite,
    health_port,
)
from tests.patience import PATIENCE_S


class FailingServer:
    """A server whose store may fail."""

    is_ready = True

    async def ask(self, topic: Topic[Any], _subject: str = "") -> View:
        """Answer what the port asks for, and fail in all else."""
        if topic is topics.READINESS:
            return Readiness(ready=self.is_ready, store="ok", broker=BrokerState.NONE)
        if topic is topics.METRICS and self.is_ready:
            return MetricsText(text="mancala_plies_total 7.0\n")
        raise ZeroDivisionError("a fault")


@pytest.fixture
def scripted() -> FailingServer:
    return FailingServer()


@pytest.fixture
async def http(scripted: FailingServer) -> AsyncIterator[httpx.AsyncClient]:
    state: Any = scripted
    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, fault: faults.append(fault))
    async with (
        asyncio.timeout(PATIENCE_S),
        health_port(HealthSite(state, lambda: Hosts(()), NullLog()), "127.0.0.1", 0) as url,
        httpx.AsyncClient(base_url=url, timeout=PATIENCE_S) as client,
    ):
        yield client
    assert faults == []


async def answer_on(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""


async def test_health_readiness_and_metrics_are_answered(http: httpx.AsyncClient) -> None:
    """As on the page's port, one connection each."""
    assert (await http.get("/healthz")).json() == {"status": "ok"}
    assert (await http.get("/readyz")).json()["ready"]
    metrics = await http.get("/metrics?name=x")
    assert metrics.text == "mancala_plies_total 7.0\n"
    assert metrics.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    head = await http.head("/healthz")
    assert (head.status_code, head.content) == (200, b"")


async def test_answers_take_a_twentieth_of_the_loop(http: httpx.AsyncClient) -> None:
    """Eight connections that ask for metrics on and on took two moves of three from the games."""
    loop = asyncio.get_running_loop()
    began, asked = loop.time(), 12
    await asyncio.gather(*(http.get("/metrics") for _ in range(asked)))
    price = REQUEST + PRICES["/metrics"]
    assert loop.time() - began >= (asked - 1) * price / PACE_PER_S - AHEAD_S
    await http.get("/healthz")


async def test_a_server_that_is_not_ready_answers_503(
    http: httpx.AsyncClient, scripted: FailingServer
) -> None:
    """It lives nevertheless, and a fault in one answer is no end of the others."""
    scripted.is_ready = False
    assert (await http.get("/readyz")).status_code == 503
    assert (await http.get("/metrics")).status_code == 500
    assert (await http.get("/healthz")).status_code == 200


async def test_other_requests_are_refused(http: httpx.AsyncClient) -> None:
    """Other paths, methods and hosts."""
    assert (await http.get("/")).status_code == 404
    assert (await http.post("/healthz")).status_code == 405
    assert (await http.get("/metrics", headers={"Host": "evil.example"})).status_code == 421


async def test_no_one_names_another_address_than_its_own(http: httpx.AsyncClient) -> None:
    """Else who is elsewhere could be of this machine, whose visitors need no password."""
    reader, writer = await asyncio.open_connection(http.base_url.host, http.base_url.port)
    writer.write(b"PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
    assert (await answer_on(reader)).startswith(b"HTTP/1.1 400 ")
    writer.close()


async def test_half_open_requests_keep_no_one_out(http: httpx.AsyncClient) -> None:
    """The oldest of them yields."""
    place = http.base_url.host, http.base_url.port
    silent = [await asyncio.open_connection(*place) for _ in range(2 * MOST_OPEN)]
    assert (await http.get("/healthz")).status_code == 200
    assert await answer_on(silent[0][0]) == b""
    for _, writer in silent:
        writer.close()


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 5000, b"431"),
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET /healthz HTTP/1.1\r\n\r\n", b"400"),  # names no host
        (b"POST /status/order HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", b"400"),
        (b"POST /status/order HTTP/1.1\r\nHost: x\r\nContent-Length: 65537\r\n\r\n", b"413"),
        (b"GET /healthz HTTP/1.0\r\n\r\n", b"200"),
        (b"GET http://localhost/healthz?x HTTP/1.1\r\nHost: x\r\n\r\n", b"200"),  # RFC 9112, 3.2.2
        (b"GET http://localhost?x HTTP/1.1\r\nHost: x\r\n\r\n", b"404"),
        (b"GET http://[::1/healthz HTTP/1.1\r\nHost: x\r\n\r\n", b"400"),
        (b"GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", b"421"),
    ],
)
async def test_a_request_of_another_form_has_its_status(
    http: httpx.AsyncClient, sent: bytes, status: bytes
) -> None:
    """At the end of the connection."""
    reader, writer = await asyncio.open_connection(http.base_url.host, http.base_url.port)
    writer.write(sent)
    assert (await answer_on(reader)).split()[1] == status
    writer.close()


async def test_a_request_in_many_pieces_is_answered(
    monkeypatch: pytest.MonkeyPatch, http: httpx.AsyncClient
) -> None:
    """It is read with rests, since each read costs the games' event loop the same."""
    monkeypatch.setattr(slow_requests, "REST_S", 0.01)
    reader, writer = await asyncio.open_connection(http.base_url.host, http.base_url.port)
    for byte in b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n":
        writer.write(bytes([byte]))
        await asyncio.sleep(0)
    assert (await reader.readline()).split()[1] == b"200"
    writer.close()


def test_the_port_answers_on_uvloop_too() -> None:
    """Its transports are none of asyncio's; every connection was once dropped there."""
    uvloop = pytest.importorskip("uvloop")

    async def ask() -> int:
        state: Any = FailingServer()
        async with (
            health_port(HealthSite(state, lambda: Hosts(()), NullLog()), "127.0.0.1", 0) as url,
            httpx.AsyncClient(base_url=url, timeout=PATIENCE_S) as client,
        ):
            return (await client.get("/readyz")).status_code

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(ask()) == 200
