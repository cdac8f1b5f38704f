"""Opening the ports that connections are accepted on."""

import asyncio
import contextlib
import errno
import os  # noqa: TID251  # for the texts of error numbers
import socket  # noqa: TID251  # the way to ports, handed in as OpenPorts
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from .accepting import ACCEPTS_PER_S, Guard, GuardedPort

BACKLOG: Final = 1024
"""Connections that the kernel keeps until they are accepted: those of four seconds, within which
clients still wait for them."""

Listen = Callable[[str, str, int], Awaitable[Sequence[socket.socket]]]
"""Opens a socket on each address of a host, as `listening_sockets` does."""

ListenOnce = Callable[[str, int], Awaitable[socket.socket]]
"""Opens a socket for HTTP, as `listening_socket` does."""


class PortError(OSError):
    """A port can't be opened; the message names the setting, the address and the reason."""


@contextmanager
def opening(setting: str, host: str, port: int) -> Iterator[None]:
    """Open a port, a key of the configuration, in the block; raise its `OSError` as `PortError`."""
    try:
        yield
    except OSError as error:
        known = error.errno is not None and error.errno > 0
        reason = os.strerror(error.errno or 0) if known else error.strerror or str(error)
        where = f"{setting}: cannot listen on {host}:{port}: {reason.lower()}"
        advice = "; 0 takes a free port" if error.errno == errno.EADDRINUSE else ""
        raise PortError(where + advice) from error


async def listening_socket(host: str, port: int, setting: str = "http_port") -> socket.socket:
    """Return a socket for HTTP on the first address of a host, or raise `PortError`."""
    with opening(setting, host, port):
        found = await _addresses(host, port)
        return _listening(*found[0])


async def guarded_ports(
    setting: str, host: str, port: int, guard: Guard, *, accepts_per_s: float = ACCEPTS_PER_S
) -> tuple[GuardedPort, ...]:
    """Return ports of one number that listen on each address of a host, or raise `PortError`."""
    opened = await listening_sockets(setting, host, port)
    return tuple(GuardedPort(each, guard, accepts_per_s=accepts_per_s) for each in opened)


async def listening_sockets(setting: str, host: str, port: int) -> list[socket.socket]:
    """Return sockets of one number that listen on each address of a host, or raise `PortError`."""
    opened: list[socket.socket] = []
    with opening(setting, host, port), contextlib.ExitStack() as undo:
        for family, (place, _, *rest) in await _addresses(host, port):
            number = opened[0].getsockname()[1] if opened else port
            opened.append(undo.enter_context(_listening(family, (place, number, *rest))))
        undo.pop_all()
    return opened


async def expect_free(setting: str, host: str, port: int, *, once: bool) -> None:
    """Raise `PortError` where a port can't be opened; nothing listens there.

    It looks at each address of the host, or ``once``, as `listening_socket` opens one.
    """
    with opening(setting, host, port):
        found = await _addresses(host, port)
        for each in found[:1] if once else found:
            _bound(*each).close()


async def _addresses(host: str, port: int) -> list[tuple[int, tuple[Any, ...]]]:
    """Return the address families and addresses of a host, each once."""
    found = await asyncio.get_running_loop().getaddrinfo(
        host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    return list(dict.fromkeys((family, address) for family, _, _, _, address in found))


def _listening(family: int, address: tuple[Any, ...]) -> socket.socket:
    bound = _bound(family, address)
    bound.listen(BACKLOG)
    return bound


def _bound(family: int, address: tuple[Any, ...]) -> socket.socket:
    with contextlib.ExitStack() as undo:
        bound = undo.enter_context(socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP))
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:  # IPv4 has a socket of its own
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        bound.setblocking(False)
        bound.bind(address)
        undo.pop_all()
    return bound
