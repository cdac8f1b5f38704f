"""A listening TCP socket, bound here so that a port in use raises ``OSError``."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import Final

BACKLOG: Final = 256


async def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens on the first address of a host.

    Args:
        host: address or name to listen on.
        port: port to listen on; 0 for any free one.

    Raises:
        OSError: when the port can't be opened.
    """
    found = await asyncio.get_running_loop().getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    family, kind, protocol, _, address = found[0]
    with contextlib.ExitStack() as undo:
        bound = undo.enter_context(socket.socket(family, kind, protocol))
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.setblocking(False)
        bound.bind(address)
        bound.listen(BACKLOG)
        undo.pop_all()
    return bound
