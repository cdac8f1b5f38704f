"""The port for bots and spectators: who may connect, from where, and how many.

A connection counts from its first byte on, so that one which never ends its handshake counts too.
One too many is told ``limit`` and sent away; a flood of them is cut off unheard.

Browsers let any page open a websocket to anywhere, and state the page's origin. Pages from the
host they connect to may, whatever their port, and so may those the organiser lists. Bots are no
browsers and state none.
"""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from ssl import SSLContext
from typing import Final
from urllib.parse import urlsplit

from websockets import CloseCode, Subprotocol
from websockets.asyncio.server import Server as WebsocketServer
from websockets.asyncio.server import ServerConnection
from websockets.asyncio.server import serve as listen
from websockets.http11 import Request, Response

from protocol.messages import VERSION, ErrorCode
from server.config.settings import Config
from server.model.timers import Spawn
from server.net.connection import Connection, counted_by
from server.net.gate import Gate
from server.net.seat import LARGEST_FRAME, SeatRegistry, SocketSeat

CLOSE_TIMEOUT_S: Final = 2.0


class Listener:
    """The listening socket."""

    def __init__(
        self,
        config: Config,
        registry: SeatRegistry,
        gate: Gate,
        spawn: Spawn,
        tls: SSLContext | None,
    ) -> None:
        """Prepare it; :meth:`open` opens it.

        Args:
            config: address, port and limits.
            registry: where new connections are registered.
            gate: counts connections.
            spawn: runs a coroutine, under a name, beyond the present call.
            tls: encrypts, when there is a certificate.
        """
        self._config = config
        self._registry = registry
        self._gate = gate
        self._spawn = spawn
        self._tls = tls
        self._server: WebsocketServer | None = None

    async def open(self) -> int:
        """Listen; gives the port.

        Raises:
            OSError: when it is taken.
        """
        limits = self._config.limits
        self._server = await listen(
            self._sit,
            self._config.host,
            self._config.port,
            ssl=self._tls,
            compression=None,
            create_connection=counted_by(self._gate),
            process_request=self._inspect,
            select_subprotocol=_select_subprotocol,
            max_size=LARGEST_FRAME,
            open_timeout=limits.handshake_s,
            ping_interval=limits.ping_s,
            ping_timeout=limits.ping_s,
            close_timeout=CLOSE_TIMEOUT_S,
        )
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def close(self, reason: str) -> None:
        """Listen no more, and close what is open."""
        if self._server is not None:
            self._server.close(code=CloseCode.SERVICE_RESTART, reason=reason)
            await self._server.wait_closed()

    def reconfigure(self, config: Config) -> None:
        """Take new limits and origins, for those who come from now on."""
        self._config = config

    async def _sit(self, connection: ServerConnection) -> None:
        if not isinstance(connection, Connection):
            raise TypeError("the listener makes its connections itself")
        seat = SocketSeat(connection, self._registry, self._config.limits, self._spawn)
        if connection.visit.refusal is not None:
            seat.expel(ErrorCode.LIMIT, connection.visit.refusal)
            await connection.wait_closed()
        else:
            self._registry.arrived(seat)
            await seat.run()

    def _inspect(self, connection: ServerConnection, request: Request) -> Response | None:
        origins = request.headers.get_all("Origin")
        host = request.headers.get("Host", "")
        if all(is_welcome(origin, host, self._config.origins) for origin in origins):
            return None
        return connection.respond(HTTPStatus.FORBIDDEN, "pages from there may not connect here\n")


def is_welcome(origin: str, host: str, listed: Sequence[str]) -> bool:
    """Tell whether a page may connect.

    Args:
        origin: where the page comes from, as its browser states it.
        host: the host it connects to, likewise, with a port or without.
        listed: origins that may connect to any host.
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
