"""Drill: clients that imitate the stock ones play on the gateway, over TCP and over websockets.

    python -m tests.drills.kgp --games 200

Three of each kind play at the same time, then ours plays itself. It fails when a client hangs,
dies or is left without ``stop``, or when a game ends in any way but by the rules.
"""

import asyncio
import time
from collections import Counter
from typing import Annotated, Final, NamedTuple

import typer

from mancala.bot.kgp.client import run
from mancala.bot.players.registry import make_bot
from mancala.protocol.clock import TimeControl
from mancala.protocol.kgp.client import Introduction, KgpResult
from mancala.server.app.server import Server
from mancala.server.config.settings import Config, Kgp, Mqtt
from tests.drills.quirks import Habits, QuirkKind, QuirkPlayers
from tests.drills.report import DrillReport, SeedOption, command_line
from tests.patience import PATIENCE_S
from tests.server.peers import kgp_of

CLIENTS_A_KIND: Final = 2
TRANSPORTS: Final = ("tcp", "ws")


class DrillPart(NamedTuple):
    """What one part of the drill found."""

    games: int
    seconds: float
    reasons: dict[str, int]
    questions: int
    unstopped: int
    wedged: int
    died: list[str]

    @property
    def is_clean(self) -> bool:
        return not (self.unstopped or self.wedged or self.died or set(self.reasons) - {"normal"})


async def drill(
    games: Annotated[int, typer.Option(min=1, help="Games on each transport.")] = 200,
    player: Annotated[str, typer.Option(help="Who plays itself, as a SPEC.")] = "engine:depth=6",
    seed: SeedOption = 1,
) -> DrillReport:
    """Play with clients that imitate the stock ones on the gateway."""
    parts = {}
    for transport in TRANSPORTS:
        parts[transport] = await with_quirks(transport, games, seed)
    parts["ours"] = await against_itself(player, max(2, games // 10))
    figures = {name: part._asdict() for name, part in parts.items()}
    promises = {
        f"every game ends by the rules ({name})": each.is_clean for name, each in parts.items()
    }
    return DrillReport("kgp", seed, figures, promises)


def settings() -> Config:
    """Return a server's settings: free ports, nothing on disk, time enough."""
    return Config(
        port=0,
        store=":memory:",
        clock=TimeControl(move_ms=60_000),
        drain_s=0.0,
        kgp=Kgp(tcp_port=0, ws_port=0),
        mqtt=Mqtt(private_broker=False),
    )


async def with_quirks(transport: str, games: int, seed: int) -> DrillPart:
    """Play games between clients of every kind, over ``tcp`` or ``ws``."""
    async with Server(settings()) as server:
        players = QuirkPlayers(kgp_of(server).tcp_port, kgp_of(server).ws_port, seed)
        habits = [Habits(kind, f"{kind}-{n}") for kind in QuirkKind for n in range(CLIENTS_A_KIND)]
        began = time.monotonic()
        playing = [players.join(each, transport) for each in habits]
        await players.results(2 * games)
        seconds = time.monotonic() - began
    clients = players.clients
    deaths = await asyncio.gather(*playing, return_exceptions=True)
    return DrillPart(
        games=sum(len(client.results) for client in clients) // 2,
        seconds=round(seconds, 3),
        reasons=Counter(_reason(result) for client in clients for result in client.results),
        questions=sum(len(client.questions) for client in clients),
        unstopped=sum(len(client.unstopped) for client in clients),
        wedged=sum(client.is_wedged for client in clients),
        died=[str(death) for death in deaths if death is not None],
    )


async def against_itself(player: str, games: int) -> DrillPart:
    """Play two of our own bots against each other, one on each transport."""
    async with Server(settings()) as server:
        urls = (
            f"tcp://127.0.0.1:{kgp_of(server).tcp_port}",
            f"ws://127.0.0.1:{kgp_of(server).ws_port}/socket",
        )
        began = time.monotonic()
        async with asyncio.timeout(PATIENCE_S * games):
            results: list[list[KgpResult]] = await asyncio.gather(
                *(
                    run(url, make_bot(player), Introduction(name=f"ours-{n}"), games=games)
                    for n, url in enumerate(urls)
                )
            )
        seconds = time.monotonic() - began
    both = [result for side in results for result in side]
    return DrillPart(
        games=min(len(side) for side in results),
        seconds=round(seconds, 3),
        reasons=Counter(result.reason for result in both),
        questions=sum(result.moves for result in both),
        unstopped=0,
        wedged=0,
        died=[],
    )


def _reason(result: str) -> str:
    return result.rpartition(" ")[2]


if __name__ == "__main__":
    command_line(drill)
