"""Open a websocket: to a host and port, or to a unix socket of this machine.

    ws+unix:///run/arena/bots    the unix socket /run/arena/bots

A unix socket has no host, so it needs no certificate and passes no proxy.
"""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote, unquote, urlsplit

from websockets.asyncio.client import connect, unix_connect

UNIX: Final = "ws+unix"
SCHEMES: Final = ("ws", "wss", UNIX)


def unix_url(path: str) -> str:
    """Return the URL of a unix socket."""
    return f"{UNIX}://{quote(path)}"


def dial(url: str, **options: Any) -> connect:  # noqa: ANN401  # as websockets has them
    """Return a connection that opens where it is entered or awaited.

    Args:
        url: ``ws://…``, ``wss://…`` or ``ws+unix://PATH``.
        options: further arguments of ``websockets.asyncio.client.connect``.
    """
    place = urlsplit(url)
    if place.scheme == UNIX:
        return unix_connect(unquote(place.path), "ws://localhost/", **options)
    return connect(url, **options)
