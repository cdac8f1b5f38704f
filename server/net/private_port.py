"""A unix socket for the programs that the server runs itself: no address, no limits, no TLS."""

from __future__ import annotations

import asyncio
import contextlib
import os  # noqa: TID251  # for the rights of the socket
import socket  # noqa: TID251  # the way to the port
import stat
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path  # noqa: TID251  # of the socket, which the caller names
from ssl import SSLContext
from typing import Final

from .accepting import Guard, MakeProtocol
from .limits.gate import OWN
from .socket_path import short_path

BACKLOG: Final = 256


async def private_ports(
    _setting: str, path: str, _port: int, _guard: Guard
) -> tuple[PrivatePort, ...]:
    """Open a unix socket at a path, as `guarded_ports` opens ports of a host."""
    return (PrivatePort(private_socket(path)),)


class PrivatePort:
    """A unix socket that listens and does not block; all that come are the server's own."""

    number = 0  # it has a path

    def __init__(self, listening: socket.socket) -> None:
        self._listening = listening
        self._loop = asyncio.get_running_loop()
        self._opening: set[asyncio.Task[object]] = set()

    def serve(self, make: MakeProtocol, tls: SSLContext | None, handshake_s: float) -> None:
        """Accept connections; they are not encrypted, whatever the others are."""
        del tls, handshake_s
        self._loop.add_reader(self._listening, self._accept, partial(make, OWN))

    def close(self) -> None:
        """Accept no more."""
        if self._listening.fileno() >= 0:
            self._loop.remove_reader(self._listening)
            self._listening.close()

    def _accept(self, make: partial[asyncio.BaseProtocol]) -> None:
        with contextlib.suppress(OSError):  # it is gone already
            connection, _ = self._listening.accept()
            connection.setblocking(False)
            opening = self._loop.create_task(self._loop.connect_accepted_socket(make, connection))
            self._opening.add(opening)
            opening.add_done_callback(self._opening.discard)


@asynccontextmanager
async def private_server(
    path: str, serve: Callable[[StreamReader, StreamWriter], Awaitable[None]], longest_line: int
) -> AsyncIterator[None]:
    """Serve connections to a unix socket of this user while the block runs; then remove it."""
    listening = private_socket(path)
    server = await asyncio.start_unix_server(serve, sock=listening, limit=longest_line)  # noqa: TID251  # the way to this user's programs, which a simulated server doesn't have
    try:
        yield
    finally:
        server.close()
        Path(path).unlink(missing_ok=True)  # noqa: ASYNC240  # a moment, at the end


def private_socket(path: str) -> socket.socket:
    """Return a unix socket that listens at a path, to which only this user may connect."""
    with contextlib.suppress(FileNotFoundError):
        if Path(path).is_socket():
            Path(path).unlink()  # of a server that was killed
    with contextlib.ExitStack() as undo:
        bound = undo.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        bound.setblocking(False)
        with _only_for_this_user(), short_path(path) as place:
            bound.bind(place)
        bound.listen(BACKLOG)
        undo.pop_all()
    return bound


@contextmanager
def _only_for_this_user() -> Iterator[None]:
    before = os.umask(stat.S_IXUSR | stat.S_IRWXG | stat.S_IRWXO)
    try:
        yield
    finally:
        os.umask(before)
