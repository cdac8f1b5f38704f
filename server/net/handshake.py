"""A websocket's opening request: how long its head may be, and who refuses it.

``websockets`` allows 128 lines of 8 kB, and reads the headers that hold lists in one go: a million
commas held up the games for two seconds, for the price of two moves. A browser's head, with its
cookies, takes 10 kB at the most, and its lists some forty characters.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from websockets.http11 import Request

LONGEST_HEAD: Final = 16 * 1024
"""The most bytes, as at the port of the page."""
LONGEST_LIST: Final = 512
"""The most characters of a header that holds a list, all its lines together."""
LISTS: Final = ("Connection", "Upgrade", "Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions")
FORWARDED: Final = ("Forwarded", "X-Forwarded-For", "X-Real-IP")
"""Headers that a reverse proxy adds."""

Response = tuple[HTTPStatus, str]
"""What a request that is refused gets."""
Refusal = Callable[[Request], Response | None]
"""Returns the response to a request that is refused, None to accept it."""

TOO_LONG: Final[Response] = (
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    f"the request's head has more than {LONGEST_HEAD} bytes\n",
)


def let_in(_request: Request) -> None:
    """Refuse no request."""


def long_list(request: Request) -> Response | None:
    """Return the response to a request with a list that is too long; None if it has none."""
    for name in LISTS:
        if sum(map(len, request.headers.get_all(name))) > LONGEST_LIST:
            text = f"{name} holds more than {LONGEST_LIST} characters\n"
            return HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, text
    return None


def is_forwarded(request: Request) -> bool:
    """Return whether a reverse proxy says that it forwards a request."""
    return any(header in request.headers for header in FORWARDED)
