"""Listening ports, which refuse the connections of a flood before they cost anything.

asyncio makes a task, a transport and a protocol of each connection that it accepts, and a websocket
a handshake: up to a millisecond, even if it is aborted then. A :class:`GuardedSocket` accepts
250 a second, and the others wait in the kernel. It asks a guard about the peer's address as soon as
the kernel hands a connection over, and resets those that are refused: 15 µs each. The guard also
learns when the socket of one that was accepted is closed, so it counts those that never finish a
handshake, which no protocol of asyncio hears of.
"""

from __future__ import annotations

import asyncio
import contextlib
import os  # noqa: TID251  # for the texts of error numbers
import select  # lets a listening socket rest
import socket  # noqa: TID251  # the way to ports, handed in as OpenPorts
import struct
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, Protocol

from server.net.connection_filter import ConnectionFilter
from server.net.prices import TokenBucket

BACKLOG: Final = 256
"""Connections that the kernel keeps until they are accepted."""
ACCEPTS_A_TURN: Final = 1
"""Connections accepted before the event loop runs anything else, as asyncio's ``backlog``."""
ACCEPTS_PER_S: Final = 250.0
"""Connections that a port accepts; each takes up to a millisecond of the games' event loop."""
ACCEPTS_BURST: Final = 8.0
"""How many of them it accepts at a time."""
REFUSALS_A_TURN: Final = 16
"""Connections refused before the event loop runs anything else."""
RESET_ON_CLOSE: Final = struct.pack("ii", 1, 0)


class Guard(Protocol):
    """Decides about each connection that a listening socket is handed."""

    def admits(self, address: str) -> bool:
        """Return whether to accept a connection from an address; count it if so."""

    def closed(self, address: str) -> None:
        """Note that the socket of a connection that was accepted is closed."""


OpenPorts = Callable[[str, str, int, Guard], Awaitable[Sequence[socket.socket]]]
"""Opens the listening sockets of a port, as :func:`guarded_sockets` does."""


class PortError(OSError):
    """A port can't be opened; the message names the setting, the address and the reason."""


class AcceptedSocket(socket.socket):
    """The socket of a connection, whose guard learns of its end."""

    def __init__(self, accepted: socket.socket, closed: Callable[[], None]) -> None:
        """Take over a socket.

        Args:
            accepted: the socket, which must not be used any more.
            closed: called when the connection's socket is closed.
        """
        super().__init__(accepted.family, accepted.type, accepted.proto, accepted.detach())
        self._report: Callable[[], None] | None = closed

    def close(self) -> None:
        """Close the socket, and report it once."""
        super().close()
        report, self._report = self._report, None
        if report is not None:
            report()


class GuardedSocket(socket.socket):
    """A listening socket that accepts what its guard lets in, and not too much at a time.

    An event loop accepts as long as connections wait. While the socket rests it must not look
    ready, so ``fileno`` is that of an epoll which watches it; elsewhere than on Linux it never
    rests.
    """

    def __init__(
        self, listening: socket.socket, guard: Guard, *, accepts_per_s: float = ACCEPTS_PER_S
    ) -> None:
        """Take over a socket that listens.

        Args:
            listening: the socket, which must not be used any more.
            guard: decides about each connection.
            accepts_per_s: how many are accepted; faster ones wait in the kernel.
        """
        super().__init__(listening.family, listening.type, listening.proto, listening.detach())
        self._guard = guard
        self._filter = ConnectionFilter(self)
        self._pace = TokenBucket(per_s=accepts_per_s, capacity=ACCEPTS_BURST, now=0.0)
        self._watch = select.epoll() if sys.platform == "linux" else None
        if self._watch is not None:
            self._watch.register(super().fileno(), select.EPOLLIN)

    def listen(self, _backlog: int = BACKLOG, /) -> None:
        """Do nothing: it listens, and asyncio's ``backlog`` is not what the kernel is to keep."""

    def fileno(self) -> int:
        """Return what to wait for, -1 once it is closed."""
        if self._watch is None or self._watch.closed:
            return super().fileno()
        return self._watch.fileno()

    def close(self) -> None:
        """Close the socket."""
        if self._watch is not None:
            self._watch.close()
        super().close()

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection that the guard lets in, and its address; reset the others.

        Raises:
            BlockingIOError: when none is waiting, it rests, or enough were refused for this turn.
        """
        loop = asyncio.get_running_loop()
        now = loop.time()
        if self._watch is not None and (wait_s := self._pace.wait_s(now)) > 0:
            self._watch.modify(super().fileno(), 0)
            loop.call_later(wait_s, self._go_on)
            raise BlockingIOError
        for _ in range(REFUSALS_A_TURN):
            connection, address = super().accept()
            peer = str(address[0])
            if self._guard.admits(peer):
                self._pace.take(1, now)
                closed = partial(self._guard.closed, peer)
                return AcceptedSocket(connection, closed), address
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
            connection.close()
            self._filter.refused(peer)
        raise BlockingIOError

    def _go_on(self) -> None:
        if self._watch is not None and not self._watch.closed:
            self._watch.modify(super().fileno(), select.EPOLLIN)


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


async def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket for HTTP that listens on the first address of a host.

    Args:
        host: address or name to listen on.
        port: port to listen on; 0 for any free one.

    Raises:
        PortError: when the port can't be opened.
    """
    with opening("http_port", host, port):
        found = await _addresses(host, port)
        return _listening(*found[0])


async def guarded_sockets(
    setting: str, host: str, port: int, guard: Guard
) -> tuple[GuardedSocket, ...]:
    """Return sockets that listen on one port of each address of a host.

    Args:
        setting: the key of the port in the configuration.
        host: address or name to listen on; empty for all of this machine.
        port: port to listen on; 0 for any free one.
        guard: decides about each connection.

    Raises:
        PortError: when the port can't be opened.
    """
    opened: list[GuardedSocket] = []
    with opening(setting, host, port), contextlib.ExitStack() as undo:
        for family, (place, _, *rest) in await _addresses(host, port):
            number = opened[0].getsockname()[1] if opened else port
            bound = GuardedSocket(_listening(family, (place, number, *rest)), guard)
            opened.append(undo.enter_context(bound))
        undo.pop_all()
    return tuple(opened)


async def _addresses(host: str, port: int) -> list[tuple[int, tuple[Any, ...]]]:
    """Return the address families and addresses of a host, each once."""
    found = await asyncio.get_running_loop().getaddrinfo(
        host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    return list(dict.fromkeys((family, address) for family, _, _, _, address in found))


def _listening(family: int, address: tuple[Any, ...]) -> socket.socket:
    with contextlib.ExitStack() as undo:
        bound = undo.enter_context(socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP))
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:  # IPv4 has a socket of its own
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        bound.setblocking(False)
        bound.bind(address)
        bound.listen(BACKLOG)
        undo.pop_all()
    return bound
