"""Requests for other hosts, and the ids of requests in responses and in the log."""

import asyncio
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send
from websockets import InvalidStatus, Origin

from mancala.server.config.settings import Config, LiveConfig
from mancala.server.net.hosts import ANY, Hosts
from mancala.server.net.limits.gate import HttpGate
from mancala.server.web.http.budgets import HttpBudgets
from mancala.server.web.http.middleware import TOO_BUSY, Entrance, Responses, request_id
from mancala.server.web.http.responses import WebError
from tests.patience import connect
from tests.server.fakes import KeptLog
from tests.server.web.seen import seen


async def test_a_request_for_another_host_is_refused(tmp_path: Path) -> None:
    """``Host: evil.example`` was let in once, so its page could read a private server's API."""
    async with seen(tmp_path, hosts=("arena.example.net",)) as looking:
        refused = await looking.http.get("/api/v1", headers={"Host": "evil.example"})
        assert refused.status_code == 421
        assert refused.json()["error"]["code"] == "unknown_host"
        page = await looking.http.get("/", headers={"Host": "evil.example", "Accept": "text/html"})
        assert page.status_code == 421
        assert "does not go by that name" in page.text
        allowed = await looking.http.get("/api/v1", headers={"Host": "arena.example.net"})
        assert allowed.status_code == 200


async def test_a_reload_brings_new_names(tmp_path: Path) -> None:
    """Also where the page is served by the game server's own process."""
    async with seen(tmp_path, hosts=("old.example",)) as looking:
        looking.server.reload(replace(looking.server.config, hosts=("new.example",)))
        for host, status in (("new.example", 200), ("old.example", 421)):
            assert (await looking.get("/api/v1", headers={"Host": host})).status_code == status


async def test_a_page_whose_name_leads_here_opens_no_websocket(tmp_path: Path) -> None:
    """Its origin and the host are the same, and yet it comes from elsewhere."""
    async with seen(tmp_path) as looking:
        url = looking.arena.url.replace("127.0.0.1", "evil.example")
        with pytest.raises(InvalidStatus, match="403"):
            await connect(url, origin=Origin("http://evil.example"), host="127.0.0.1")


async def test_a_request_that_waits_too_long_reads_so() -> None:
    """Its connection was closed without a byte, as those of pictures in a long queue were."""

    async def never(_scope: Scope, _receive: Receive, _send: Send) -> None:
        await asyncio.Event().wait()

    async def refuse(_request: Request, error: Exception) -> Response:
        return PlainTextResponse(str(error), error.status if isinstance(error, WebError) else 500)

    budgets = HttpBudgets(HttpGate(LiveConfig(Config())), now=lambda: 0.0)
    entrance = Entrance(never, budgets, lambda: Hosts((ANY,)), refuse, answer_s=0.01)
    transport = httpx.ASGITransport(entrance)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
        answer = await http.get("/")
    assert (answer.status_code, answer.text) == (503, TOO_BUSY)


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse(str(request_id(Request(scope).scope)))(scope, receive, send)


async def test_each_response_has_an_id_that_the_log_has_too() -> None:
    """No two are the same, and what a client claims to be its id is not taken."""
    log = KeptLog()
    transport = httpx.ASGITransport(Responses(echo, log, str, lambda _status, _seconds: None))
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
        answers = [await http.get(path, headers={"X-Request-Id": "x"}) for path in ("/a", "/b")]
    ids = [answer.headers["X-Request-Id"] for answer in answers]
    assert [answer.text for answer in answers] == ids
    assert len({*ids, "x"}) == 3
    assert [(line["request"], line["path"], line["status"]) for line in log.lines] == [
        (ids[0], "/a", 200),
        (ids[1], "/b", 200),
    ]


def test_a_request_that_came_another_way_has_no_id() -> None:
    """As in tests of a part of the web."""
    assert request_id({"type": "http"}) is None
