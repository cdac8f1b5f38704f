"""The ids of requests, in responses and in the log."""

from __future__ import annotations

import httpx
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from mancala.server.web.http.request_ids import RequestIds, request_id
from tests.server.fakes import KeptLog


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the id of the request."""
    await PlainTextResponse(str(request_id(Request(scope).scope)))(scope, receive, send)


async def test_each_response_has_an_id_that_the_log_has_too() -> None:
    """No two are the same, and what a client claims to be its id is not taken."""
    log = KeptLog()
    transport = httpx.ASGITransport(RequestIds(echo, log))
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
