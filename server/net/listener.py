"""The port for bots and spectators: connection limits and allowed origins.

A connection counts as soon as it is accepted, so one that never finishes its handshake counts too.
A connection over the limit gets the error ``limit`` and is closed; in a flood it is refused
without one (:mod:`mancala.server.net.accepting`).

Browsers let any page open a websocket to any host, and send the page's origin. A page may connect
when it comes from the same host, on any port, or from a configured origin. Bots send no origin.
"""

import asyncio
from collections.abc import Sequence
from http import HTTPStatus
from ssl import SSLContext
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from websockets import CloseCode, Subprotocol
from websockets.http11 import Request
from websockets.server import ServerProtocol

from mancala.protocol.messages import VERSION, ErrorCode
from mancala.protocol.text import shown

from ..config.settings import Config, LiveConfig
from .accepting import OpenPorts
from .arrivals.segments import NO_SEGMENTS, SegmentLog
from .connection import Connection
from .connection_port import ConnectionPort
from .grouped_timers import GroupedTimers
from .handshake import ConnectionOptions, Response
from .hosts import Hosts
from .limits.gate import Gate
from .message_connection import MessageConnection
from .private_port import private_ports
from .seat import LARGEST_FRAME, SeatRegistry, SocketSeat, Unsent


class Doorway(NamedTuple):
    """How connections come: the ports, and what is made of each connection."""

    open_ports: OpenPorts
    kind: type[MessageConnection] = Connection
    segments: SegmentLog = NO_SEGMENTS


PRIVATE: Final = Doorway(private_ports)
"""A unix socket for the programs that the server runs."""


class Listener:
    def __init__(
        self,
        config: LiveConfig,
        registry: SeatRegistry,
        gate: Gate,
        *,
        tls: SSLContext | None,
    ) -> None:
        """Prepare the listener; new limits and origins hold for connections that come."""
        self._config = config
        self._registry = registry
        self._gate = gate
        self._tls = tls
        self._unsent: Unsent = {}
        self._ports: list[ConnectionPort[Any]] = []

    async def open(self, setting: str, host: str, port: int, doorway: Doorway) -> int:
        """Open a port and return its number, or raise `PortError`."""
        options = options_of(self._config, doorway.segments)
        parts = self._serve, self._gate, self._tls, doorway.open_ports, doorway.kind, options
        self._ports.append(ConnectionPort(*parts))
        return await self._ports[-1].open(setting, host, port)

    async def close(self, reason: str) -> None:
        closing = (port.close(CloseCode.SERVICE_RESTART, reason) for port in self._ports)
        await asyncio.gather(*closing)

    async def _serve(self, connection: MessageConnection) -> None:
        limits = self._config.now.limits
        seat = SocketSeat(connection, self._registry, limits, self._unsent)
        if connection.visit.refusal is not None:
            seat.close_with_error(ErrorCode.LIMIT, connection.visit.refusal)
        else:
            self._registry.on_open(seat)
            await seat.run()

    def from_elsewhere(self, request: Request) -> Response | None:
        """Return the response to a page of another host than that which it asks for."""
        return _refused(request, self._config.now, is_own=True)


def options_of(config: LiveConfig, segments: SegmentLog) -> ConnectionOptions:
    """Return what the connections of bots and spectators have in common."""
    limits = config.now.limits

    def refusal(request: Request) -> Response | None:
        """Return the response to a page from elsewhere, or of a name that it leads here."""
        host = request.headers.get("Host", "")
        is_own = "Origin" not in request.headers or Hosts.of(config.now).allow(host)
        return _refused(request, config.now, is_own=is_own)

    return ConnectionOptions(
        max_size=LARGEST_FRAME,
        handshake_s=limits.handshake_s,
        ping_s=limits.ping_s,
        keepalive=GroupedTimers(limits.keepalive_s),
        refusal=refusal,
        select_subprotocol=_select_subprotocol,
        segments=segments,
    )


def _refused(request: Request, config: Config, *, is_own: bool) -> Response | None:
    host, listed = request.headers.get("Host", ""), config.origins
    origins = request.headers.get_all("Origin")
    if all(is_allowed(origin, host, listed, is_own=is_own) for origin in origins):
        return None
    return HTTPStatus.FORBIDDEN, (
        f"{shown(', '.join(origins))} may not connect here as {shown(host)}: a page needs its"
        " origin in the server's setting origins, or this host in hosts; a program had better"
        " send no Origin (websocket-client: suppress_origin=True)\n"
    )


def is_allowed(origin: str, host: str, listed: Sequence[str], *, is_own: bool = True) -> bool:
    """Return whether a page may connect, by its ``Origin`` and ``Host`` headers.

    Listed origins always may, and no others where the host ``is_own`` not: a name that a page had
    lead here.
    """
    if origin in listed:
        return True
    try:
        page, here = urlsplit(origin).hostname, urlsplit(f"//{host}").hostname
    except ValueError:
        return False
    return is_own and page is not None and page == here


def _select_subprotocol(
    _protocol: ServerProtocol, offered: Sequence[Subprotocol]
) -> Subprotocol | None:
    ours = Subprotocol(VERSION)
    return ours if ours in offered else None
