"""How a connection opens: the settings of its port, and a websocket's opening request.

``websockets`` allows 128 lines of 8 kB, and reads the headers that hold lists in one go: a million
commas held up the games for two seconds, for the price of two moves. A browser's head, with its
cookies, takes 10 kB at the most, and its lists some forty characters.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import Final

from websockets import Subprotocol
from websockets.http11 import Request
from websockets.server import ServerProtocol

from .arrivals.segments import NO_SEGMENTS, SegmentLog
from .grouped_timers import GroupedTimers

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionOptions:
    """What the connections of a port have in common.

    Attributes:
        max_size: the largest message, in bytes; larger ones fail the connection (1009).
        ping_s: seconds between pings of a peer that plays; None for no pings.
    """

    max_size: int
    handshake_s: float
    ping_s: float | None = None
    keepalive: GroupedTimers = field(default_factory=partial(GroupedTimers, 25.0))
    refusal: Refusal = let_in
    select_subprotocol: (
        Callable[[ServerProtocol, Sequence[Subprotocol]], Subprotocol | None] | None
    ) = None
    segments: SegmentLog = NO_SEGMENTS


def long_list(request: Request) -> Response | None:
    for name in LISTS:
        if sum(map(len, request.headers.get_all(name))) > LONGEST_LIST:
            text = f"{name} holds more than {LONGEST_LIST} characters\n"
            return HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, text
    return None


def without_empty_lists(request: Request) -> Request:
    """Return a request without the headers of lists that hold nothing, as libsoup and Tcl send."""
    for name in LISTS:
        if name in request.headers and not "".join(request.headers.get_all(name)).strip(", \t"):
            del request.headers[name]
    return request


def is_forwarded(request: Request) -> bool:
    """Return whether a reverse proxy says that it forwards a request."""
    return any(header in request.headers for header in FORWARDED)
