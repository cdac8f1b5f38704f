"""The prices of a ply and of a connection."""

from __future__ import annotations

from pathlib import Path

from mancala.scripts.bench.serving.prices import Sizes, connections, ply, served, shown

HERE = Path(__file__).resolve().parents[4]


async def test_each_price_is_measured_on_a_server_of_a_checkout() -> None:
    """Its threads are told apart, and a viewer sees all moves."""
    sizes = Sizes(pairs=2, idle=4, viewers=3, seconds=0.2)
    async with served(HERE) as server:
        logins, plies = await connections(server, sizes), await ply(server, sizes)
        moves = await shown(server, sizes)
    assert logins["login_us"] > 0
    assert min(plies[name] for name in ("plies_per_s", "loop_us", "threads_us")) > 0
    assert moves["shown_us"] > 0
    assert moves["seen"] > 0
