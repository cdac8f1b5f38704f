"""What the web answers where it has no answer: JSON to programs, a page to people.

A browser that opens an address asks for HTML; scripts and programs take anything. What is under
the paths of the API answers all of them in JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from http import HTTPStatus
from types import MappingProxyType
from typing import Final, NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from mancala.protocol import codec

from ...health.log import Log
from ...model.schemas.views import ErrorView, Problem
from ...store import SlowQueryError
from ..feed.topics import UnavailableError
from ..http.budgets import TooManyRequestsError
from ..http.middleware import request_id
from ..http.responses import (
    CODES,
    JSON,
    BadRequestError,
    BusyError,
    NotFoundError,
    NotLiveError,
    NotReviewedError,
    UnknownHostError,
)
from ..languages import language_of
from .shell import HTML, Shell

FOR_PROGRAMS: Final = ("/api/", "/schemas/", "/page/")
HEADINGS: Final = {
    400: "This address can't be read",
    404: "There is nothing here",
    421: "This server does not go by that name",
    429: "Too many requests",
    500: "Something went wrong",
    503: "Try again in a moment",
}
RETRY: Final = '<p><a href="">[[Try again]]</a></p>'
LINKS: Final = """<ul>
        <li><a href="/">[[What is played now, and what was played last]]</a></li>
        <li><a href="/ladders">[[Ladders and their standings]]</a></li>
        <li><a href="/bots">[[Bots]]</a></li>
        <li><a href="/games">[[All games]]</a></li>
        <li><a href="/play">[[Play against a bot yourself]]</a></li>
      </ul>"""


class Refusal(NamedTuple):
    """What is answered instead: a code that programs compare, and a message that people read."""

    status: int
    code: str
    message: str
    headers: Mapping[str, str] = MappingProxyType({})


class Refusals:
    """Answers requests that raised an error."""

    def __init__(self, shell: Shell, log: Log) -> None:
        """Answer with pages of a shell; log internal errors."""
        self._shell = shell
        self._log = log

    async def answer(self, request: Request, error: Exception) -> Response:
        """Return the response to a request that raised an error."""
        refusal = refusal_of(request, error)
        if refusal.status == 500:
            self._log.warning(
                "web request failed",
                request=request_id(request.scope),
                path=request.url.path,
                error=repr(error),
            )
        headers = {"Cache-Control": "no-store", "Vary": "Accept", **refusal.headers}
        if _wants_page(request):
            page = self._page(refusal, language_of(request))
            return Response(page, refusal.status, headers, HTML)
        problem = ErrorView(error=Problem(code=refusal.code, message=refusal.message))
        return Response(codec.to_json(problem), refusal.status, headers, JSON)

    def _page(self, refusal: Refusal, language: str) -> bytes:
        words = self._shell.words(language)
        heading = HEADINGS.get(refusal.status) or HTTPStatus(refusal.status).phrase
        message = refusal.message[:1].upper() + refusal.message[1:].rstrip(".")
        head = f"<h1>{escape(words.text(heading))}</h1>"
        content = f'{head}\n      <p class="note">{escape(message)}.</p>\n      '
        ways = words.html(RETRY if refusal.status >= 429 else LINKS)
        return self._shell.text(heading, content + ways, language)


NAMED: Final[Mapping[type[Exception], tuple[int, str]]] = MappingProxyType(
    {
        NotFoundError: (404, CODES[404]),
        NotLiveError: (404, "not_live"),
        BadRequestError: (400, CODES[400]),
        UnknownHostError: (421, CODES[421]),
    }
)
"""Errors whose message is all there is to say, with their status and code."""
ERRORS: Final = (
    *(HTTPException, *NAMED, NotReviewedError),
    *(BusyError, UnavailableError, SlowQueryError, TooManyRequestsError, Exception),
)
"""The errors that requests may raise."""


def refusal_of(request: Request, error: Exception) -> Refusal:
    """Return what an error comes to for the client."""
    if isinstance(error, HTTPException):
        return _of_http(request, error)
    if type(error) in NAMED:
        return Refusal(*NAMED[type(error)], str(error))
    match error:
        case NotReviewedError(code=code):
            return Refusal(404, code, str(error))
        case SlowQueryError():
            return Refusal(503, "unavailable", str(error), {"Retry-After": "1"})
        case BusyError() | UnavailableError() | TooManyRequestsError():
            return _passing(error)
    return Refusal(500, "internal", "internal error; the server's log has the details")


def _of_http(request: Request, error: HTTPException) -> Refusal:
    """Return the refusal of an unknown path, or of a method other than GET and HEAD."""
    code = CODES.get(error.status_code, "error")
    if error.status_code == 405:
        message = f"{request.method} is not offered; this API is read-only"
        return Refusal(405, code, message, error.headers or {})
    return Refusal(error.status_code, code, f"there is nothing at {request.url.path}")


def _passing(error: BusyError | UnavailableError | TooManyRequestsError) -> Refusal:
    """Return the refusal of what may succeed a little later."""
    match error:
        case TooManyRequestsError(retry_after_s=seconds):
            return Refusal(429, "too_many_requests", str(error), {"Retry-After": str(seconds)})
        case UnavailableError():
            message = f"the game server does not answer: {error}"
            return Refusal(503, "unavailable", message, {"Retry-After": "1"})
        case BusyError():
            return Refusal(503, "busy", str(error), {"Retry-After": "2"})


def _wants_page(request: Request) -> bool:
    if request.url.path.startswith(FOR_PROGRAMS):
        return False
    return "text/html" in request.headers.get("Accept", "").lower()
