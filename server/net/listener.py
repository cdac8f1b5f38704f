"""The port for bots and spectators: connection limits and allowed origins.

A connection counts as soon as it is accepted, so one that never finishes its handshake counts too.
A connection over the limit gets the error ``limit`` and is closed; in a flood it is refused
without one (:mod:`server.net.listening`).

Browsers let any page open a websocket to any host, and send the page's origin. A page may connect
when it comes from the same host, on any port, or from a configured origin. Bots send no origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from ssl import SSLContext
from urllib.parse import urlsplit

from websockets import CloseCode, Subprotocol
from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from protocol.messages import VERSION, ErrorCode
from server.config.settings import Config
from server.model.timers import Spawn
from server.net.connection import Connection
from server.net.gate import Gate
from server.net.listening import OpenPorts
from server.net.seat import LARGEST_FRAME, SeatRegistry, SocketSeat
from server.net.websocket_port import WebsocketPort


class Listener:
    """The listening socket."""

    def __init__(
        self,
        config: Config,
        registry: SeatRegistry,
        gate: Gate,
        spawn: Spawn,
        *,
        tls: SSLContext | None,
        open_ports: OpenPorts,
    ) -> None:
        """Prepare the listener; :meth:`open` opens the port.

        Args:
            config: address, port and limits.
            registry: where new connections are registered.
            gate: admits and counts connections.
            spawn: starts a named task.
            tls: encrypts the port; None for plain websockets.
            open_ports: opens the listening sockets.
        """
        self._config = config
        self._registry = registry
        self._spawn = spawn
        limits = config.limits
        self._port = WebsocketPort(
            self._serve,
            gate,
            tls,
            open_ports,
            process_request=self._check_origin,
            select_subprotocol=_select_subprotocol,
            max_size=LARGEST_FRAME,
            handshake_s=limits.handshake_s,
            ping_interval=limits.ping_s,
            ping_timeout=limits.ping_s,
        )

    async def open(self) -> int:
        """Open the port and return its number.

        Raises:
            PortError: when it can't be opened.
        """
        return await self._port.open("port", self._config.host, self._config.port)

    async def close(self, reason: str) -> None:
        """Close the port and all connections."""
        await self._port.close(CloseCode.SERVICE_RESTART, reason)

    def reconfigure(self, config: Config) -> None:
        """Use new limits and origins for new connections."""
        self._config = config

    async def _serve(self, connection: Connection) -> None:
        seat = SocketSeat(connection, self._registry, self._config.limits, self._spawn)
        if connection.visit.refusal is not None:
            seat.expel(ErrorCode.LIMIT, connection.visit.refusal)
            await connection.wait_closed()
        else:
            self._registry.arrived(seat)
            await seat.run()

    def _check_origin(self, connection: ServerConnection, request: Request) -> Response | None:
        origins = request.headers.get_all("Origin")
        host = request.headers.get("Host", "")
        if all(is_allowed(origin, host, self._config.origins) for origin in origins):
            return None
        return connection.respond(HTTPStatus.FORBIDDEN, "pages from there may not connect here\n")


def is_allowed(origin: str, host: str, listed: Sequence[str]) -> bool:
    """Return whether a page may connect.

    Args:
        origin: the ``Origin`` header.
        host: the ``Host`` header, with or without a port.
        listed: origins that are always allowed.
    """
    if origin in listed:
        return True
    try:
        page, here = urlsplit(origin).hostname, urlsplit(f"//{host}").hostname
    except ValueError:
        return False
    return page is not None and page == here


def _select_subprotocol(
    _connection: ServerConnection, offered: Sequence[Subprotocol]
) -> Subprotocol | None:
    ours = Subprotocol(VERSION)
    return ours if ours in offered else None
