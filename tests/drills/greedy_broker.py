"""``python -m tests.drills.greedy_broker``: a broker announces packets of 268,435,455 bytes.

It accepts every publisher, announces the largest packet that MQTT has, and sends as much of it as
the publisher reads. Pairs of bots play meanwhile. Nothing of the server may grow, no packet may be
read, and the games go on.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Annotated, Final, NamedTuple

import typer

from tests.drills.duellists import DuelTally, duels
from tests.drills.hosting import HostedServer, family_bytes, temporary_server
from tests.drills.ports import HOST
from tests.drills.report import DrillReport, SeedOption, command_line

CONNACK: Final = bytes((0x20, 2, 0, 0))
LARGEST_PUBLISH: Final = bytes((0x30, 0xFF, 0xFF, 0xFF, 0x7F))
"""The header of a packet of 268,435,455 bytes."""
PIECE: Final = bytes(64 * 1024)
PAIRS: Final = 4
THINK_S: Final = (0.02, 0.04)
LOOK_S: Final = 0.05
SOCKET_BUFFERS: Final = 32 * 1024 * 1024
"""More than two kernels keep of one connection; a publisher that reads the packet takes all."""
MOST_GROWN: Final = 64 * 1024 * 1024


class GreedyBrokerPlan(NamedTuple):
    """What happens, at the least."""

    connections: Annotated[int, typer.Option(min=1, help="How often the broker is met.")] = 20
    plies: Annotated[int, typer.Option(min=1, help="Moves to make meanwhile.")] = 5000
    seed: SeedOption = 1


@dataclass(slots=True)
class Greed:
    """What the broker did.

    Attributes:
        most_sent: the most bytes of a packet that a publisher let it send.
        hostile: set while it announces packets; before, it only accepts publishers.
    """

    connections: int = 0
    most_sent: int = 0
    url: str = ""
    hostile: asyncio.Event = field(default_factory=asyncio.Event)
    writers: list[asyncio.StreamWriter] = field(default_factory=list)
    serving: list[asyncio.Task[None] | None] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.writers.append(writer)
        self.serving.append(asyncio.current_task())
        sent = 0
        with suppress(ConnectionError):
            await reader.read(1)
            writer.write(CONNACK)
            await self.hostile.wait()
            writer.write(LARGEST_PUBLISH)
            while True:
                writer.write(PIECE)
                await writer.drain()
                sent += len(PIECE)
                self.most_sent = max(self.most_sent, sent)
        writer.close()


@asynccontextmanager
async def greedy_broker() -> AsyncIterator[Greed]:
    greed = Greed()
    server = await asyncio.start_server(greed.serve, HOST, 0)
    greed.url = f"mqtt://{HOST}:{server.sockets[0].getsockname()[1]}"
    try:
        yield greed
    finally:
        server.close()
        for writer in greed.writers:
            writer.transport.abort()
        greed.hostile.set()
        await asyncio.gather(*filter(None, greed.serving))


async def drill(plan: GreedyBrokerPlan) -> DrillReport:
    """Play games while a broker announces huge packets."""
    tally = DuelTally()
    async with greedy_broker() as greed:
        greed.hostile.set()
        async with (
            temporary_server(f'[mqtt]\nurl = "{greed.url}"\n') as life,
            duels(life.url, PAIRS, tally, think_s=THINK_S, seed=plan.seed),
        ):
            grown = await _watch(plan, life, tally, greed)
    figures = {
        "connections": greed.connections,
        "most_sent_bytes": greed.most_sent,
        "plies": tally.plies,
        "grown_bytes": grown,
    }
    promises = {
        "no packet was read": greed.most_sent < SOCKET_BUFFERS,
        "no process of the server grew": grown < MOST_GROWN,
        "every game went on by the rules": tally.is_clean,
    }
    return DrillReport("greedy_broker", plan.seed, figures, promises)


async def _watch(plan: GreedyBrokerPlan, life: HostedServer, tally: DuelTally, greed: Greed) -> int:
    """Return by how much the server's largest process grew, when all has happened."""
    await tally.first_move.wait()
    tally.restart()
    server = life.child.process.pid
    least = most = max(family_bytes(server))
    while greed.connections < plan.connections or tally.plies < plan.plies:
        await asyncio.sleep(LOOK_S)
        now = max(family_bytes(server))
        least, most = min(least, now), max(most, now)
    return most - least


if __name__ == "__main__":
    command_line(drill, quiet="mqtt")
