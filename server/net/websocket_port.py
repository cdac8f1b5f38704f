"""A port for websockets: guarded as it accepts, and closed in a bounded time.

A port ends when the last of its connections has, and each may take long about it: a peer that is
silent in its opening handshake has ``handshake_s``, one that does not answer a close two seconds.
So those that take longer than ``FAREWELL_S`` are aborted.
"""

from __future__ import annotations

import asyncio
import socket  # noqa: TID251  # the type
from collections.abc import Awaitable, Callable
from ssl import SSLContext
from typing import Any, Final

from websockets import CloseCode
from websockets.asyncio.server import Server, ServerConnection, serve

from server.net import prices
from server.net.connection import Connection
from server.net.gate import Door, Gate
from server.net.listening import ACCEPTS_A_TURN, OpenPorts
from server.net.tls import handshake_times

CLOSE_TIMEOUT_S: Final = 2.0
FAREWELL_S: Final = 0.3
"""Time for the closing handshakes; an honest peer needs one round trip."""
ABORT_S: Final = 0.1
"""Time for what is left after an abort, which needs a few turns of the event loop."""


class WebsocketPort:
    """The listening sockets, one for each address of the host, and their connections."""

    def __init__(
        self,
        serve_one: Callable[[Connection], Awaitable[None]],
        gate: Gate,
        tls: SSLContext | None,
        open_ports: OpenPorts,
        *,
        handshake_s: float,
        **options: Any,  # noqa: ANN401  # as websockets has them
    ) -> None:
        """Prepare the port; :meth:`open` opens it.

        Args:
            serve_one: serves a connection after its handshake, to its end.
            gate: admits and counts connections.
            tls: encrypts the port; None for plain websockets.
            open_ports: opens the listening sockets.
            handshake_s: how long each opening handshake may take, in seconds: TLS', then HTTP's.
            options: further arguments of ``websockets.asyncio.server.serve``.
        """
        self._serve_one = serve_one
        self._gate = gate
        self._tls = tls
        self._open_ports = open_ports
        self._options = {
            "open_timeout": handshake_s,
            **handshake_times(tls, handshake_s),
            **options,
        }
        self._servers: list[Server] = []
        self._accepted: dict[Connection, None] = {}
        self._kind = type(
            "AdmittedConnection", (Connection,), {"gate": gate, "accepted": self._accepted}
        )

    async def open(self, setting: str, host: str, port: int) -> int:
        """Open the port and return its number.

        Args:
            setting: the key of the port in the configuration.
            host: address or name to listen on.
            port: port to listen on; 0 for any free one.

        Raises:
            PortError: when it can't be opened.
        """
        loop = asyncio.get_running_loop()
        price = prices.HANDSHAKE + (prices.TLS if self._tls is not None else 0.0)

        door = Door(self._gate, price, loop.time)
        sockets = await self._open_ports(setting, host, port, door)
        for listening in sockets:
            self._servers.append(await self._serve(listening))
        return int(sockets[0].getsockname()[1])

    async def close(self, code: CloseCode, reason: str = "") -> None:
        """Close the port and its connections; abort those that take longer than ``FAREWELL_S``.

        Args:
            code: close code for peers that are still connected.
            reason: the close frame's reason.
        """
        if not self._servers:
            return
        for server in self._servers:
            server.close(code=code, reason=reason)
        closed = [asyncio.ensure_future(server.wait_closed()) for server in self._servers]
        _, open_still = await asyncio.wait(closed, timeout=FAREWELL_S)
        if open_still:
            for connection in tuple(self._accepted):
                connection.transport.abort()
            # Not longer: a peer that is silent in its TLS handshake has no connection yet.
            _, open_still = await asyncio.wait(open_still, timeout=ABORT_S)
        for waiting in open_still:
            waiting.cancel()

    async def _serve(self, listening: socket.socket) -> Server:
        return await serve(
            self._handle,
            sock=listening,
            ssl=self._tls,
            backlog=ACCEPTS_A_TURN,
            compression=None,
            create_connection=self._kind,
            close_timeout=CLOSE_TIMEOUT_S,
            **self._options,
        )

    async def _handle(self, connection: ServerConnection) -> None:
        if not isinstance(connection, Connection):
            raise TypeError("the port makes its connections itself")
        await self._serve_one(connection)
