"""``python -m tests.drills.soak``: what a server keeps in memory of games that are over.

A server in this process has a ladder with two pairs of bots, which answer without delay, for some
thousand games. After the first of them, what Python's allocator holds may grow by a hundred bytes a
game at most: all else is in the store. What the process itself takes (pages that SQLite keeps,
blocks that the C library does not give back) is reported beside it.
"""

import asyncio
import gc
import json
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final

import typer
from websockets.asyncio.client import connect

from mancala.protocol.messages import VERSION
from mancala.server.app.server import Server
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config, Mqtt
from tests.drills.report import DrillReport, command_line

MOST_BYTES: Final = 100.0
"""That Python may keep of a game that is over."""
NAMES: Final = ("ann", "bob", "cid", "dan")
QUARTERS: Final = 4
PAGE: Final = 4096
LADDER: Final = LadderSettings(name="main", patience_s=0.0, games=2)


class MemoryKept:
    """Counts games that are over, and measures memory after each quarter of them.

    Attributes:
        held: bytes that Python's allocator holds of what was made since the start, at each quarter.
        resident: bytes of memory of this process.
    """

    def __init__(self, games: int) -> None:
        self._games = games
        self._over = 0
        self.held: list[int] = []
        self.resident: list[int] = []

    def count(self) -> bool:
        self._over += 1
        if self._over % (self._games // QUARTERS) == 0:
            gc.collect()
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            self.held.append(tracemalloc.get_traced_memory()[0])
            self.resident.append(pages * PAGE)
        return self._over >= self._games


async def play(url: str, name: str, measured: MemoryKept) -> None:
    """Play on the ladder, always the last pit, until all games are over; one's own are counted."""
    hello = {"type": "hello", "protocol": VERSION, "name": name, "agent": {"name": "soak"}}
    async with connect(url, compression=None) as socket:
        await socket.send(json.dumps(hello))
        await socket.recv()  # welcome
        await socket.send('{"type":"join","ladder":"main"}')
        async for frame in socket:
            message = json.loads(frame)
            if message["type"] == "turn":
                answer = {key: message[key] for key in ("game", "ply")}
                move = {"type": "move", **answer, "pit": message["legal"][-1]}
                await socket.send(json.dumps(move))
            elif message["type"] == "game_over" and measured.count():
                return


async def drill(
    games: Annotated[int, typer.Option(min=QUARTERS, help="How many games.")] = 4000,
) -> DrillReport:
    """Play many games, and measure what stays in memory."""
    measured = MemoryKept(2 * games)  # each game is over for both
    with TemporaryDirectory() as folder:
        store, mqtt = f"{folder}/soak.db", Mqtt(private_broker=False)
        async with Server(Config(port=0, store=store, ladder=(LADDER,), mqtt=mqtt)) as server:
            tracemalloc.start()
            tasks = [asyncio.create_task(play(server.url, name, measured)) for name in NAMES]
            done, rest = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in rest:
                task.cancel()
            await asyncio.gather(*rest, return_exceptions=True)
            await asyncio.gather(*done)
    between = games * (QUARTERS - 1) // QUARTERS
    python, process = (
        round((each[-1] - each[0]) / between) for each in (measured.held, measured.resident)
    )
    figures = {"games": games, "python_bytes_a_game": python, "process_bytes_a_game": process}
    return DrillReport("soak", 0, figures, {"keeps_100_bytes_a_game_at_most": python <= MOST_BYTES})


if __name__ == "__main__":
    command_line(drill)
