"""What the web answers where it has no answer."""

import json
import re
from typing import Final

import pytest
from playwright.async_api import Browser, expect
from starlette.requests import Request
from starlette.responses import Response

from mancala.server.health.log import NullLog
from mancala.server.web.feed.topics import UnavailableError
from mancala.server.web.http.responses import (
    BadRequestError,
    BusyError,
    NotFoundError,
    TooManyRequestsError,
)
from mancala.server.web.pages.refusals import Refusals
from mancala.server.web.pages.shell import Shell
from mancala.server.web.static import files
from tests.server.web.browser import barriers, visiting
from tests.server.web.seen import Seen

pytestmark = pytest.mark.asyncio(loop_scope="module")

BROWSER: Final = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
ERRORS: Final = [
    (NotFoundError("there is no bot <b>"), 404, "not_found", "There is nothing here"),
    (BadRequestError("limit is a number"), 400, "bad_request", "This address can't be read"),
    (TooManyRequestsError(7), 429, "too_many_requests", "Too many requests"),
    (BusyError("try again"), 503, "busy", "Try again in a moment"),
    (UnavailableError("it restarts"), 503, "unavailable", "Try again in a moment"),
    (RuntimeError("secret"), 500, "internal", "Something went wrong"),
]


async def answer(error: Exception, accept: str, path: str = "/bots") -> Response:
    refusals = Refusals(Shell(files(), (), lambda: "club <1>"), NullLog())
    headers = [(b"accept", accept.encode())]
    scope = {"type": "http", "method": "GET", "path": path, "headers": headers, "query_string": b""}
    return await refusals.answer(Request(scope | {"server": ("test", 80)}), error)


@pytest.mark.parametrize(("error", "status", "code", "heading"), ERRORS)
async def test_people_get_a_page_and_programs_json(
    error: Exception, status: int, code: str, heading: str
) -> None:
    """Both have the status; a page has a heading, no scripts and no markup of others."""
    page, plain = await answer(error, BROWSER), await answer(error, "*/*")
    assert page.status_code == plain.status_code == status
    assert page.headers["Vary"] == plain.headers["Vary"] == "Accept"
    assert page.headers.get("Retry-After") == plain.headers.get("Retry-After")
    assert json.loads(bytes(plain.body))["error"]["code"] == code
    html = bytes(page.body).decode()
    assert re.findall("<h1>(.*?)</h1>", html) == [heading.replace("'", "&#x27;")]
    assert "club &lt;1&gt;" in html
    for unwanted in ("<script", "<b>", "secret", "$"):
        assert unwanted not in html


async def test_the_api_answers_a_browser_in_json_as_well() -> None:
    """People who look at the API want to see what programs get."""
    for path in ("/api/v1/none", "/schemas/none.json"):
        response = await answer(NotFoundError("none"), BROWSER, path)
        assert response.media_type == "application/json"


async def test_an_unknown_address_is_a_page_with_links(played: Seen, browser: Browser) -> None:
    """It looks like the others, says what is not there, and leads on."""
    async with visiting(browser, played.url) as visit:
        response = await visit.page.goto("/no/such-thing")
        assert response is not None
        assert response.status == 404
        await expect(visit.page.get_by_role("heading")).to_have_text("There is nothing here")
        await expect(visit.page.get_by_text("There is nothing at /no/such-thing.")).to_be_visible()
        assert await barriers(visit.page) == []
        await visit.page.get_by_role("main").get_by_role("link", name="Ladders").click()
        await expect(visit.page.get_by_role("heading", level=1)).to_have_text("Ladders")
