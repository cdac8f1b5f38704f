"""HTTP responses: bodies with an ETag, the errors of requests, and security headers."""

import gzip
import re
from functools import cached_property
from hashlib import blake2b
from typing import Final, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from mancala.protocol import codec

from ...model.schemas.views import ErrorView, Problem, View

T = TypeVar("T")
JSON: Final = "application/json"
GZIP_LEVEL: Final = 4
"""A list of 20 kB becomes 2 kB in 0.2 ms; higher levels take twice as long to save little."""
BEST_GZIP: Final = 9
"""For files, which are compressed once."""
GZIP: Final = re.compile(r"gzip(;q=(1|0\.0*[1-9]).*)?")
LEAST_ZIPPED: Final = 1024
COMPRESSED: Final = frozenset({"image/gif", "image/png"})
"""What gzip makes no smaller."""


def origin_of(request: Request) -> str:
    """Return the address that a request came to, without a path."""
    return f"{request.url.scheme}://{request.url.netloc}"


class WebError(Exception):
    """A request is refused; the message says why.

    Attributes:
        retry_s: when it is worth trying again, in whole seconds; None for never.
    """

    status = 404
    code = "not_found"
    retry_s: int | None = None


class NotFoundError(WebError):
    """The resource does not exist; the message names it."""


class NotLiveError(WebError):
    """The game is over; the message refers to its record."""

    code = "not_live"


class NotReviewedError(WebError):
    """The game has no review: by its code it is ``queued`` for one, or ``not_reviewed``."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


class BadRequestError(WebError):
    """The request is invalid; the message gives the reason."""

    status, code = 400, "bad_request"


class UnknownHostError(WebError):
    """The request is for another host; the message says which setting names ours."""

    status, code = 421, "unknown_host"


class TooManyRequestsError(WebError):
    """The address has used up its budget."""

    status, code = 429, "too_many_requests"

    def __init__(self, retry_s: int) -> None:
        self.retry_s = retry_s
        super().__init__(f"too many requests from this address; try again in {retry_s} s")


class BusyError(WebError):
    """Something that takes long can't be done now; the message says why."""

    status, code, retry_s = 503, "busy", 2


def there(found: T | None, missing: str) -> T:
    """Return what was found; else raise :class:`NotFoundError`."""
    if found is None:
        raise NotFoundError(missing)
    return found


class Body:
    """A body that can be sent as it is or compressed, each form with an ETag of its own."""

    def __init__(self, plain: bytes, media_type: str, level: int = GZIP_LEVEL) -> None:
        self.plain = plain
        self._media_type = media_type
        self._level = level

    @cached_property
    def _plain_etag(self) -> str:
        return etag(self.plain)

    @cached_property
    def _zipped(self) -> tuple[bytes, str]:
        zipped = gzip.compress(self.plain, self._level, mtime=0)
        return zipped, etag(zipped)

    def respond(self, request: Request, status: int = 200) -> Response:
        """Return the body with its ETag, or 304 if the client has it (RFC 9110, 13.1.2)."""
        headers = {"Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        is_worth_it = len(self.plain) >= LEAST_ZIPPED and self._media_type not in COMPRESSED
        if is_worth_it and _takes_gzip(request):
            body, tag = self._zipped
            headers["Content-Encoding"] = "gzip"
        else:
            body, tag = self.plain, self._plain_etag
        headers["ETag"] = tag
        if status == 200 and _is_known(request.headers.get("If-None-Match", ""), tag):
            return Response(status_code=304, headers=headers)
        return Response(body, status, headers=headers, media_type=self._media_type)


def _takes_gzip(request: Request) -> bool:
    codings = request.headers.get("Accept-Encoding", "").lower().replace(" ", "").split(",")
    return any(GZIP.fullmatch(coding) for coding in codings)


def etag(body: bytes) -> str:
    """Return the ETag of a body: a hash of its bytes."""
    return f'"{blake2b(body, digest_size=16).hexdigest()}"'


def problem(code: str, message: str) -> bytes:
    return codec.to_json(ErrorView(error=Problem(code=code, message=message)))


def uncached(view: View, status: int = 200) -> Response:
    """Return a view that must not be cached."""
    return Response(codec.to_json(view), status, {"Cache-Control": "no-store"}, JSON)


def readable_elsewhere(response: Response) -> Response:
    """Let pages of other sites read a response; return it."""
    response.headers["Access-Control-Allow-Origin"] = "*"
    return response


def _is_known(if_none_match: str, tag: str) -> bool:
    known = {part.strip().removeprefix("W/") for part in if_none_match.split(",")}
    return tag in known or "*" in known


def policy(connect: str, *, frames: str = "'none'") -> str:
    """Return the Content-Security-Policy of a page."""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "manifest-src 'self'; "
        f"connect-src 'self' {connect}; base-uri 'none'; form-action 'none'; "
        f"frame-ancestors {frames}"
    )
