"""Matches in a ladder of a running server, for tests of actions."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from mancala.protocol.messages import Join, MatchOver
from mancala.server.app.operating import carry_out
from mancala.server.config.ladders import LadderSettings
from mancala.server.control.wire import Request
from tests.server.peers import Arena, Peer, arena, settings
from tests.server.store import databases

LADDER: Final = (LadderSettings(name="main", rules="kalah:pits=2,seeds=1", patience_s=0.0),)


@asynccontextmanager
async def laddered(folder: Path, **changes: Any) -> AsyncIterator[Arena]:  # noqa: ANN401  # whatever a setting is
    async with arena(folder, **{"ladder": LADDER} | changes) as running:
        yield running
        assert (await running.order("check"))["equal"]


async def alone(folder: Path, action: str, /, **arguments: Any) -> dict[str, Any]:  # noqa: ANN401  # whatever an action takes
    config = settings(folder, ladder=LADDER)
    return await carry_out(config, Request(action, arguments), "root")


async def joined(running: Arena, *names: str) -> list[Peer]:
    peers = [await running.greet(name) for name in names]
    for peer in peers:
        await peer.say(Join("main", matches=1))
    return peers


async def played(running: Arena, *names: str) -> list[str]:
    peers = await joined(running, *names)
    await asyncio.gather(*(peer.play_until(MatchOver) for peer in peers))
    found = await running.order("check")
    assert found["equal"], found
    query = "SELECT id FROM games ORDER BY seq"
    rows = await asyncio.to_thread(databases.rows, str(running.server.config.store), query)
    return [str(game) for [game] in rows]


async def kept(folder: Path) -> Path:
    """Write the settings of a server whose ladder has games, and whose event has no entrants."""
    async with arena(folder, ladder=LADDER) as running:
        await played(running, "ann", "bob")
        place = running.server.config.store_path
    ladder = f'[[ladder]]\nname = "main"\nrules = "{LADDER[0].rules}"\n'
    event = '[[event]]\nname = "final"\nformat = "rr"\nenter = "open"\n'
    path = folder / "arena.toml"
    path.write_text(f'name = "test"\nstore = "{place}"\n{ladder}{event}')
    return path
