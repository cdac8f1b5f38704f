"""What the web answers where it has no answer: JSON to programs, a page to people."""

import re
from collections.abc import Mapping
from html import escape
from http import HTTPStatus
from types import MappingProxyType
from typing import Final, NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...health.log import Log
from ...store import UnansweredError
from ..feed.topics import UnavailableError
from ..http.middleware import request_id
from ..http.responses import JSON, WebError, problem
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


ERRORS: Final = (
    HTTPException,
    WebError,
    UnavailableError,
    UnansweredError,
    Exception,
)
"""The errors that requests may raise."""
SLASHED: Final = re.compile(r"/[^/].*/")
"""A path that ends with a slash, and names no other host without it."""
CODES: Final = {400: "bad_request", 404: "not_found", 405: "method_not_allowed"}


class Refusal(NamedTuple):
    """What is answered instead: a code that programs compare, and a message that people read."""

    status: int
    code: str
    message: str
    headers: Mapping[str, str] = MappingProxyType({})


class Refusals:
    def __init__(self, shell: Shell, log: Log) -> None:
        """Answer with pages of a shell; log internal errors."""
        self._shell = shell
        self._log = log

    async def answer(self, request: Request, error: Exception) -> Response:
        refusal = refusal_of(request, error)
        if refusal.status == 404 and SLASHED.fullmatch(request.url.path):
            bare = request.url.replace(path=request.url.path.rstrip("/"), scheme="", netloc="")
            return RedirectResponse(str(bare), HTTPStatus.PERMANENT_REDIRECT)
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
        body = problem(refusal.code, refusal.message)
        return Response(body, refusal.status, headers, JSON)

    def _page(self, refusal: Refusal, language: str) -> bytes:
        words = self._shell.words(language)
        heading = HEADINGS.get(refusal.status) or HTTPStatus(refusal.status).phrase
        message = refusal.message[:1].upper() + refusal.message[1:].rstrip(".")
        head = f"<h1>{escape(words.text(heading))}</h1>"
        content = f'{head}\n      <p class="note">{escape(message)}.</p>\n      '
        ways = words.html(RETRY if refusal.status >= 429 else LINKS)
        return self._shell.text(heading, content + ways, language)


def refusal_of(request: Request, error: Exception) -> Refusal:
    match error:
        case HTTPException(status_code=405):
            message = f"{request.method} is not offered; this API is read-only"
            return Refusal(405, CODES[405], message, error.headers or {})
        case HTTPException(status_code=status):  # of an unknown path
            code = CODES.get(status, "error")
            return Refusal(status, code, f"there is nothing at {request.url.path}")
        case WebError(retry_s=seconds):
            headers = {} if seconds is None else {"Retry-After": str(seconds)}
            return Refusal(error.status, error.code, str(error), headers)
        case UnavailableError():
            message = f"the game server does not answer: {error}"
            return Refusal(503, "unavailable", message, {"Retry-After": "1"})
        case UnansweredError():
            return Refusal(503, "unavailable", str(error), {"Retry-After": "1"})
    return Refusal(500, "internal", "internal error; the server's log has the details")


def _wants_page(request: Request) -> bool:
    if request.url.path.startswith(FOR_PROGRAMS):
        return False
    return "text/html" in request.headers.get("Accept", "").lower()
