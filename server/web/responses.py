"""How an answer is sent: JSON with an ETag, errors that say what is wrong, headers that guard."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from protocol import codec
from server.model.schemas import ErrorView, Problem, View

JSON: Final = "application/json"
CODES: Final = {400: "bad_request", 404: "not_found", 405: "method_not_allowed"}


class NotFoundError(Exception):
    """There is no such thing; the message names it."""


class BadRequestError(Exception):
    """The request can't be understood; the message says why."""


class NotLiveError(Exception):
    """The game is over; the message says where its record is."""


def cacheable(request: Request, body: bytes, media_type: str) -> Response:
    """Send a body with its ETag, or only that it hasn't changed (RFC 9110, section 13.1.2)."""
    headers = {"ETag": etag(body), "Cache-Control": "no-cache"}
    if _is_known(request.headers.get("If-None-Match", ""), headers["ETag"]):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=media_type)


def etag(body: bytes) -> str:
    """Name a body, so that the same name means the same bytes."""
    return f'"{blake2b(body, digest_size=16).hexdigest()}"'


def error_response(
    status: int, code: str, message: str, headers: dict[str, str] | None = None
) -> Response:
    """Say what is wrong with a request."""
    body = codec.to_json(ErrorView(error=Problem(code=code, message=message)))
    return Response(body, status, {"Cache-Control": "no-store", **(headers or {})}, JSON)


def uncached(view: View, status: int = 200) -> Response:
    """Send a state of this instant, which nobody may keep."""
    return Response(codec.to_json(view), status, {"Cache-Control": "no-store"}, JSON)


def refuse_http(request: Request, error: Exception) -> Response:
    """Answer what the router refuses: an unknown path, a method that isn't GET or HEAD."""
    if not isinstance(error, HTTPException):
        raise error
    if error.status_code == 405:
        message, headers = f"{request.method} is not offered; this API is read-only", error.headers
        return error_response(405, CODES[405], message, dict(headers or {}))
    code = CODES.get(error.status_code, "error")
    return error_response(error.status_code, code, f"there is nothing at {request.url.path}")


def refuse_not_found(_request: Request, error: Exception) -> Response:
    """Answer a :class:`NotFoundError`."""
    return error_response(404, CODES[404], str(error))


def refuse_not_live(_request: Request, error: Exception) -> Response:
    """Answer a :class:`NotLiveError`."""
    return error_response(404, "not_live", str(error))


def refuse_bad_request(_request: Request, error: Exception) -> Response:
    """Answer a :class:`BadRequestError`."""
    return error_response(400, CODES[400], str(error))


def _is_known(if_none_match: str, tag: str) -> bool:
    known = {part.strip().removeprefix("W/") for part in if_none_match.split(",")}
    return tag in known or "*" in known


class SecurityHeaders:
    """Gives every answer the headers that keep a browser from doing what it needn't."""

    def __init__(self, app: ASGIApp, *, connect: str) -> None:
        """Wrap an application.

        Args:
            app: the application.
            connect: where pages may connect, as sources of a Content-Security-Policy.
        """
        self._app = app
        self._headers = {
            "Content-Security-Policy": (
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                f"connect-src 'self' {connect}; base-uri 'none'; form-action 'none'; "
                "frame-ancestors 'none'"
            ),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, guarded)
