"""Listening ports, and the error of one that cannot be opened."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

BACKLOG: Final = 256
"""Connections that the kernel keeps until they are accepted."""
ACCEPTS_A_TURN: Final = 8
"""Connections accepted before the event loop runs anything else; asyncio takes this from the
``backlog`` of a server, which is also the kernel's until :func:`deepen` enlarges it."""


class PortError(OSError):
    """A port can't be opened; the message names the setting, the address and the reason."""


@contextmanager
def opening(setting: str, host: str, port: int) -> Iterator[None]:
    """Open a port in the block.

    Args:
        setting: the key of the port in the configuration.
        host: address to listen on.
        port: port to listen on.

    Raises:
        PortError: when the block raises an ``OSError``.
    """
    try:
        yield
    except OSError as error:
        known = error.errno is not None and error.errno > 0
        reason = os.strerror(error.errno or 0) if known else error.strerror or str(error)
        raise PortError(f"{setting}: cannot listen on {host}:{port}: {reason.lower()}") from error


def deepen(sockets: Iterable[socket.socket]) -> None:
    """Have the kernel keep ``BACKLOG`` connections for sockets that listen already."""
    for listening in sockets:
        with socket.socket(fileno=os.dup(listening.fileno())) as same:
            same.listen(BACKLOG)


async def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket for HTTP that listens on the first address of a host.

    Args:
        host: address or name to listen on.
        port: port to listen on; 0 for any free one.

    Raises:
        PortError: when the port can't be opened.
    """
    with opening("http_port", host, port):
        return await _listening(host, port)


async def _listening(host: str, port: int) -> socket.socket:
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
