"""What each address may make the web do, with a clock moved by hand."""

import asyncio
import re
from contextlib import ExitStack

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import Response

from mancala.server.net.limits.costs import HTTP_ANALYSIS, HTTP_GIF, HTTP_REQUEST
from mancala.server.net.limits.gate import HttpGate
from mancala.server.web.application import ALL_HOSTS
from mancala.server.web.http.budgets import (
    AHEAD_S,
    MOST_ANALYSES,
    MOST_DRAWN,
    OPERATIONS_PER_S,
    PACE_PER_S,
    HttpBudgets,
)
from mancala.server.web.http.middleware import Entrance
from mancala.server.web.http.responses import Body, BusyError
from tests.server.fakes import limited
from tests.server.web.http.test_http_server import hello


class Timeline:
    """A clock that moves only by sleeping."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    async def sleep(self, length_s: float) -> None:
        self.slept.append(length_s)
        until = self.now + length_s
        await asyncio.sleep(0)
        self.now = max(self.now, until)


async def refuse(_request: Request, error: Exception) -> Response:
    return Response(str(error), 429)


def visitor(timeline: Timeline, *, requests: int, address: str = "192.0.2.1") -> httpx.AsyncClient:
    """Return a client of a web whose addresses may make N requests at a time, and one a second."""
    live = limited(http_per_s=HTTP_REQUEST, http_burst=int(requests * HTTP_REQUEST))
    budgets = HttpBudgets(HttpGate(live), now=lambda: timeline.now, sleep=timeline.sleep)
    transport = httpx.ASGITransport(
        Entrance(hello, budgets, lambda: ALL_HOSTS, refuse), client=(address, 1)
    )
    return httpx.AsyncClient(transport=transport, base_url="http://test")


async def test_requests_within_the_budget_do_not_wait() -> None:
    """A page with its files and its questions is such a burst."""
    timeline = Timeline()
    async with visitor(timeline, requests=10) as http:
        assert [(await http.get("/")).status_code for _ in range(10)] == [200] * 10
    assert timeline.slept == []


async def test_a_request_beyond_the_budget_waits_until_it_is_paid() -> None:
    """One a second is what the budget allows for good."""
    timeline = Timeline()
    async with visitor(timeline, requests=1) as http:
        statuses = [(await http.get("/")).status_code for _ in range(6)]
    assert statuses == [200] * 6
    assert timeline.now == pytest.approx(4.0)


async def test_a_request_that_would_wait_too_long_is_refused() -> None:
    """It hears when to come back, and its refusal takes two seconds."""
    timeline = Timeline()
    async with visitor(timeline, requests=1) as http:
        flood = await asyncio.gather(*(http.get("/") for _ in range(20)))
    refused = [each for each in flood if each.status_code == 429]
    assert refused
    assert re.fullmatch(r"too many requests .* try again in [1-9]\d* s", refused[0].text)
    assert timeline.slept.count(2.0) >= len(refused)


async def test_health_has_a_budget_of_its_own() -> None:
    """A crowd of viewers at the monitor's address does not make the server seem dead."""
    timeline = Timeline()
    async with visitor(timeline, requests=1) as http:
        await asyncio.gather(*(http.get("/") for _ in range(20)))
        before = timeline.now
        assert (await http.get("/healthz")).status_code == 200
        assert timeline.now == before
        await asyncio.gather(*(http.get("/healthz") for _ in range(int(OPERATIONS_PER_S))))
        assert timeline.now > before


async def test_addresses_pay_apart() -> None:
    """What one has overdrawn is not what another may use."""
    timeline = Timeline()
    live = limited(http_per_s=HTTP_REQUEST, http_burst=1)
    budgets = HttpBudgets(HttpGate(live), now=lambda: timeline.now, sleep=timeline.sleep)
    for number in range(10):
        await budgets.pay({"path": "/", "client": (f"192.0.2.{number}", 1)}, HTTP_REQUEST)
    assert timeline.slept == []


async def test_all_addresses_together_are_paced() -> None:
    """However many ask, the process is idle half of the time, and health needs no turn."""
    timeline = Timeline()
    budgets = HttpBudgets(HttpGate(limited()), now=lambda: timeline.now, sleep=timeline.sleep)
    requests = 2000
    await asyncio.gather(
        *(
            budgets.pay({"path": "/", "client": (f"198.51.{n >> 8}.{n & 255}", 1)}, HTTP_REQUEST)
            for n in range(requests)
        )
    )
    assert timeline.now == pytest.approx(requests * HTTP_REQUEST / PACE_PER_S, abs=2 * AHEAD_S)
    turns = len(timeline.slept)
    await budgets.pay({"path": "/healthz", "client": ("192.0.2.1", 1)}, HTTP_REQUEST)
    assert len(timeline.slept) == turns


async def test_pages_come_before_pictures() -> None:
    """80 networks that asked for a moving picture each closed the page to all others for 16 s."""
    timeline = Timeline()
    budgets = HttpBudgets(HttpGate(limited()), now=lambda: timeline.now, sleep=timeline.sleep)

    async def draw() -> Body:
        return Body(b"GIF89a", "image/gif")

    async def ask(number: int) -> Body:
        scope = {"path": f"/games/{number}.gif", "client": (f"2001:db8:{number}::1", 1)}
        return await budgets.share(scope, HTTP_GIF, str(number), draw)

    flood = asyncio.gather(*(ask(number) for number in range(80)), return_exceptions=True)
    for _ in range(8):
        await asyncio.sleep(0)
        await budgets.pay({"path": "/", "client": ("192.0.2.1", 1)}, HTTP_REQUEST)
    assert timeline.now < 1.0
    answers = await flood
    assert sum(isinstance(each, BusyError) for each in answers) == 80 - MOST_DRAWN
    assert sum(isinstance(each, Body) for each in answers) == MOST_DRAWN


async def test_a_picture_takes_as_long_as_its_price_says() -> None:
    """It is paced in parts, for what comes between; the next one begins when all are done."""
    timeline = Timeline()
    budgets = HttpBudgets(HttpGate(limited()), now=lambda: timeline.now, sleep=timeline.sleep)

    async def draw() -> Body:
        return Body(b"GIF89a", "image/gif")

    await budgets.share({"path": "/1.gif", "client": ("192.0.2.1", 1)}, HTTP_GIF, "1", draw)
    await budgets.pay({"path": "/", "client": ("192.0.2.2", 1)}, HTTP_REQUEST)
    assert timeline.now == pytest.approx(HTTP_GIF / PACE_PER_S - AHEAD_S)


def test_an_address_does_not_take_all_places_at_the_engine() -> None:
    """Four positions of one address may wait; others, and other work, find a place."""
    budgets = HttpBudgets(HttpGate(limited()), now=lambda: 0.0)
    one, other = ({"client": (address, 1)} for address in ("192.0.2.1", "192.0.2.2"))
    with ExitStack() as stack:
        for _ in range(MOST_ANALYSES):
            with budgets.place(one, HTTP_ANALYSIS):
                pass
            stack.enter_context(budgets.place(one, HTTP_ANALYSIS))
        with pytest.raises(BusyError), budgets.place(one, HTTP_ANALYSIS):
            pass
        with budgets.place(other, HTTP_ANALYSIS), budgets.place(one, HTTP_REQUEST):
            pass
    with budgets.place(one, HTTP_ANALYSIS):
        pass
