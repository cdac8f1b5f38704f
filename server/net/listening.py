"""Listening ports, which refuse the connections of a flood before they cost anything.

asyncio makes a task, a transport and a protocol of each connection that it accepts, and a websocket
a handshake: a quarter of a millisecond, also for one that is aborted then. A :class:`GuardedSocket`
asks a guard about the peer's address as soon as the kernel hands a connection over, and resets
those that are refused: 15 µs each. The guard also learns when the socket of one that was accepted
is closed, so it counts those that never finish a handshake, which no protocol of asyncio hears of.
"""

from __future__ import annotations

import asyncio
import contextlib
import os  # noqa: TID251  # for the texts of error numbers
import socket  # noqa: TID251  # the way to ports, handed in as OpenPorts
import struct
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, Protocol

from server.net.connection_filter import ConnectionFilter

BACKLOG: Final = 256
"""Connections that the kernel keeps until they are accepted."""
ACCEPTS_A_TURN: Final = 4
"""Connections accepted before the event loop runs anything else; asyncio takes this from the
``backlog`` of a server, while :meth:`GuardedSocket.listen` asks the kernel for ``BACKLOG``."""
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
    """A listening socket that accepts what its guard lets in."""

    def __init__(
        self, family: int, kind: int, protocol: int, guard: Guard, fileno: int | None = None
    ) -> None:
        """Create a socket that is neither bound nor listening, or take one over.

        Args:
            family: the address family.
            kind: the type of socket.
            protocol: its protocol.
            guard: decides about each connection.
            fileno: a socket that is open; by default a new one.
        """
        super().__init__(family, kind, protocol, fileno)
        self._guard = guard
        self._filter = ConnectionFilter(self)

    def listen(self, _backlog: int = BACKLOG, /) -> None:
        """Listen, with room for ``BACKLOG`` connections that were not accepted yet."""
        super().listen(BACKLOG)

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection that the guard lets in, and its address; reset the others.

        Raises:
            BlockingIOError: when none is waiting, or enough were refused for this turn.
        """
        for _ in range(REFUSALS_A_TURN):
            connection, address = super().accept()
            peer = str(address[0])
            if self._guard.admits(peer):
                closed = partial(self._guard.closed, peer)
                return AcceptedSocket(connection, closed), address
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
            connection.close()
            self._filter.refused(peer)
        raise BlockingIOError


class OpenDoor:
    """A guard that lets every connection in."""

    def admits(self, _address: str) -> bool:
        """Return True."""
        return True

    def closed(self, _address: str) -> None:
        """Count nothing."""


def guarded(listening: socket.socket, guard: Guard) -> GuardedSocket:
    """Return a listening socket under a guard; takes it over."""
    family, kind, protocol = listening.family, listening.type, listening.proto
    return GuardedSocket(family, kind, protocol, guard, listening.detach())


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
        return _listening(*found[0], OpenDoor())


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
            bound = _listening(family, (place, number, *rest), guard)
            opened.append(undo.enter_context(bound))
        undo.pop_all()
    return tuple(opened)


async def _addresses(host: str, port: int) -> list[tuple[int, tuple[Any, ...]]]:
    """Return the address families and addresses of a host, each once."""
    found = await asyncio.get_running_loop().getaddrinfo(
        host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    return list(dict.fromkeys((family, address) for family, _, _, _, address in found))


def _listening(family: int, address: tuple[Any, ...], guard: Guard) -> GuardedSocket:
    with contextlib.ExitStack() as undo:
        bound = undo.enter_context(
            GuardedSocket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, guard)
        )
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:  # IPv4 has a socket of its own
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        bound.setblocking(False)
        bound.bind(address)
        bound.listen()
        undo.pop_all()
    return bound
