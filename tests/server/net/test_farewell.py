"""A port closes in a bounded time, whatever its peers do."""

from __future__ import annotations

import asyncio

from websockets import CloseCode
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

from server.net.farewell import Accepted, close_port, kept_in
from tests.patience import PATIENCE_S

FOREVER_S = 100 * PATIENCE_S


async def test_peers_that_never_answer_do_not_hold_up_the_end() -> None:
    """One is silent in its handshake, one does not read the close; both are cut off."""
    accepted = Accepted()
    port = await serve(
        lambda connection: connection.wait_closed(),
        "127.0.0.1",
        0,
        open_timeout=FOREVER_S,
        close_timeout=FOREVER_S,
        create_connection=kept_in(accepted, ServerConnection),
    )
    address = port.sockets[0].getsockname()[:2]
    mute_reader, mute = await asyncio.open_connection(*address)  # accepted before the next one
    async with connect(f"ws://{address[0]}:{address[1]}", close_timeout=0) as deaf:
        deaf.transport.pause_reading()
        async with asyncio.timeout(PATIENCE_S):
            await close_port(port, accepted, code=CloseCode.SERVICE_RESTART)
            assert await mute_reader.read() == b""
        deaf.transport.abort()
    mute.close()
