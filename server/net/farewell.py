"""Close a websocket port in a bounded time.

A server ends when the last of its connections has, and each may take long about it: a peer that is
silent in its opening handshake has ``handshake_s``, one that does not answer a close two seconds.
"""

from __future__ import annotations

import asyncio
from typing import Final
from weakref import WeakSet

from websockets import CloseCode
from websockets.asyncio.server import Server, ServerConnection

FAREWELL_S: Final = 0.5
"""Time for the closing handshakes; an honest peer needs one round trip."""

Accepted = WeakSet[ServerConnection]
"""The connections of a port, also those whose handshake is not over."""


def kept_in(accepted: Accepted, kind: type[ServerConnection]) -> type[ServerConnection]:
    """Return a connection class whose instances add themselves to a set when they are accepted."""

    def connection_made(self: ServerConnection, transport: asyncio.BaseTransport) -> None:
        kind.connection_made(self, transport)
        accepted.add(self)

    return type(kind.__name__, (kind,), {"connection_made": connection_made})


async def close_port(
    server: Server, accepted: Accepted, *, code: CloseCode, reason: str = ""
) -> None:
    """Close a port and its connections; abort those that are not closed after ``FAREWELL_S``.

    Args:
        server: the listening port.
        accepted: its connections.
        code: close code for peers that are still connected.
        reason: the close frame's reason.
    """
    server.close(code=code, reason=reason)
    try:
        async with asyncio.timeout(FAREWELL_S):
            await server.wait_closed()
    except TimeoutError:
        for connection in tuple(accepted):
            connection.transport.abort()
        await server.wait_closed()
