"""A bare ``websockets`` server: the yardstick that the match server's speed is measured with.

``echo`` sends each frame back: one in, one out. ``relay`` does with sockets what a ply does, and
nothing else: one frame in, and out go two announcements and a question.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Final

from websockets.asyncio.connection import broadcast
from websockets.asyncio.server import ServerConnection, serve

from scripts.drills.hosting import HOST

RELAYED: Final = 3


async def _echo(connection: ServerConnection) -> None:
    async for frame in connection:
        await connection.send(frame)


async def _relay(connection: ServerConnection) -> None:
    async for frame in connection:
        for _ in range(RELAYED):
            broadcast((connection,), frame)


async def _main(handler: str) -> None:
    answer = {"echo": _echo, "relay": _relay}[handler]
    async with serve(answer, HOST, 0, compression=None, ping_interval=None) as server:
        print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201  # told to the drill
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1]))
