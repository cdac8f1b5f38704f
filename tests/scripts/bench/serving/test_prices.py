"""The prices of a ply and of a connection."""

import asyncio
from pathlib import Path

import pytest

from mancala.scripts.bench.serving.prices import (
    SETTINGS,
    QuickPeer,
    Served,
    Sizes,
    connections,
    ply,
    served,
    shown,
)

HERE = Path(__file__).resolve().parents[4]


async def test_each_price_is_measured_on_a_server_of_a_checkout() -> None:
    """Its threads are told apart, and a viewer sees all moves."""
    sizes = Sizes(pairs=2, idle=4, viewers=3, seconds=0.2)
    async with served(HERE, f"fronts = 1\n{SETTINGS}") as server:
        logins, plies = await connections(server, sizes), await ply(server, sizes)
        moves = await shown(server, sizes)
    assert logins["login_us"] > 0
    assert min(plies[name] for name in ("plies_per_s", "loop_us", "threads_us", "fronts_us")) > 0
    assert moves["shown_us"] > 0
    assert moves["seen"] > 0


async def test_a_server_that_ends_connections_is_an_error() -> None:
    """It was waited for without end."""
    async with await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1") as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(ConnectionError, match="ended connections: 2 of 2"):
            async with Served(0, port).peers([QuickPeer("ann"), QuickPeer("bob")]):
                pass
