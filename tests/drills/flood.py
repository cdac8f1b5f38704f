"""``python -m tests.drills.flood``: peers that do their worst at each port, beside honest games.

Eight pairs of quick bots play. Every kind of flood (:mod:`tests.drills.flooders`) runs for a
while, each between two quiet spells with which it is compared, then all kinds together, dealt to
the peers of each port. At last a crowd of spectators watches every game, half-open connections
stand at all ports, and the broker announces huge packets, all at the same time. All connections
come from one address, the bots' own: what a flooder spends must not be what they need.

Other work of the machine spoils a spell now and then, so a flood that breaks a promise is repeated
twice, and the medians count.
"""

import asyncio
import math
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from statistics import median
from typing import Annotated, Final, NamedTuple

import typer

from mancala.scripts.console import output as console
from tests.drills import flooders
from tests.drills.databases import Database
from tests.drills.doors import fetched
from tests.drills.duellists import DuelTally, duels
from tests.drills.flooders import CLAIMED
from tests.drills.greedy_broker import Greed, greedy_broker
from tests.drills.hosting import SQLITE_FILES, HostedServer, ServerHost, temporary_host
from tests.drills.neighbours import claim
from tests.drills.ports import HOST, free_port
from tests.drills.report import DrillReport, SeedOption, command_line, quantile
from tests.drills.spell import spell
from tests.patience import PATIENCE_S

THINK_S: Final = (0.0, 0.02)
REPEATED: Final = 2
SETTLE_S: Final = 0.3
LOOK_S: Final = 0.05
CONNECTIONS: Final = re.compile(rb"^mancala_connections (\S+)", re.MULTILINE)
CROWD: Final = "a crowd"
SPECTATORS: Final = "ws-spectators"
CROWD_KINDS: Final = (SPECTATORS, "ws-half", "kgp-half", "kgpws-half", "http-half")
LEAST_SHARE: Final = 0.9
MOST_P99: Final = 2.0
HEALTH_MS: Final = 50.0
SETTINGS: Final = """\
http_port = {http}
[mqtt]
url = "{broker}"
[kgp]
tcp_port = {tcp}
ws_port = {ws}
claim_names = true
[[ladder]]
name = "main"
clock = {{ move_ms = 10000 }}
"""


class FloodPlan(NamedTuple):
    """The size of the drill.

    Attributes:
        spell_s: length of a flood, and of the quiet spell before it, in seconds.
        crowd: spectators, and half-open connections at each port, beside the hostile broker.
        is_each: whether each kind runs alone, too, before all run together.
        is_timed: whether to promise speeds, which needs a machine without other work.
    """

    pairs: Annotated[int, typer.Option(min=1, help="Pairs of honest bots.")] = 8
    peers: Annotated[int, typer.Option(min=1, help="Flooders at a port.")] = 8
    spell_s: Annotated[float, typer.Option("--seconds", min=0.1, help="Length of a spell.")] = 5.0
    kind: Annotated[list[str] | None, typer.Option(help="Only these kinds of floods.")] = None
    crowd: Annotated[
        int, typer.Option(min=0, help="Spectators, and half-open connections at each port.")
    ] = 300
    only_crowd: Annotated[bool, typer.Option(help="No flood but the crowd.")] = False
    seed: SeedOption = 1
    is_each: bool = True
    is_timed: bool = True

    @property
    def kinds(self) -> Sequence[str]:
        """The kinds of floods; an unknown one ends the drill."""
        known = tuple(flooders.floods())
        if unknown := set(self.kind or ()) - set(known):
            console.fail(f"--kind takes {', '.join(known)}, not {', '.join(sorted(unknown))}")
        return () if self.only_crowd else self.kind or known


@dataclass(frozen=True, slots=True)
class Spell:
    """What was measured in one spell.

    Attributes:
        relay_ms_p99: how long a move took from its mover to the other player.
        health_ms: the longest answer of ``/healthz``.
        server_cpu: processor time of the referee's process, in cores.
    """

    moves: int
    moves_per_s: float
    relay_ms_p99: float
    health_ms: float
    server_cpu: float
    connections: int


@dataclass(frozen=True, slots=True)
class Ground:
    """Where the floods go."""

    urls: Mapping[str, str]
    health: int
    tally: DuelTally
    life: HostedServer
    greed: Greed

    async def spell(self, length_s: float) -> Spell:
        loop = asyncio.get_running_loop()
        self.tally.restart()
        began_at, slowest_s, used_s = loop.time(), 0.0, self.life.cpu_s()
        while loop.time() - began_at < length_s:
            asked_at = loop.time()
            await fetched(self.health, "/healthz")
            slowest_s = max(slowest_s, loop.time() - asked_at)
            await asyncio.sleep(LOOK_S)
        await spell(0.0, lambda: self.tally.plies)
        took_s = loop.time() - began_at
        return Spell(
            self.tally.plies,
            round(self.tally.plies / took_s, 1),
            round(quantile(self.tally.relay_ms, 0.99), 1),
            round(slowest_s * 1000, 1),
            round((self.life.cpu_s() - used_s) / took_s, 3),
            await _connections(self.health),
        )


async def drill(plan: FloodPlan, where: Database = SQLITE_FILES) -> DrillReport:
    """Flood every port while honest bots play, and compare their games with quiet ones."""
    programme = _programme(plan)
    tcp, ws, http = free_port(), free_port(), free_port()
    tally = DuelTally()
    floods: dict[str, dict[str, float]] = {}
    async with greedy_broker() as greed:
        settings = SETTINGS.format(http=http, tcp=tcp, ws=ws, broker=greed.url)
        with temporary_host(settings, where) as place:
            urls = {"ws": place.url, "kgp": f"tcp://{HOST}:{tcp}", "kgpws": f"ws://{HOST}:{ws}"}
            urls["http"] = f"http://{HOST}:{http}"
            async with _games(place, plan, tally) as life:
                await claim(tcp, CLAIMED)
                ground = Ground(urls, http, tally, life, greed)
                for name, kinds in programme.items():
                    floods[name] = await _measured(ground, name, kinds, plan)
    promises = {"no honest game was lost or voided": tally.is_clean}
    promises |= {
        f"the honest bots went on playing under {name}": figures["moves"] > 0
        for name, figures in floods.items()
    }
    if plan.is_timed:
        for name, figures in floods.items():
            promises |= _speed_promises(name, figures)
    return DrillReport("flood", plan.seed, {"floods": floods}, promises)


async def _measured(
    ground: Ground, name: str, kinds: Sequence[str], plan: FloodPlan
) -> dict[str, float]:
    """Return the figures of a flood; their medians, if the first ones break a promise."""
    first = await _round(ground, name, kinds, plan)
    if not plan.is_timed or all(_speed_promises(name, first).values()):
        return first
    rounds = [first] + [await _round(ground, name, kinds, plan) for _ in range(REPEATED)]
    return {figure: median(found[figure] for found in rounds) for figure in first}


async def _round(
    ground: Ground, name: str, kinds: Sequence[str], plan: FloodPlan
) -> dict[str, float]:
    before = await ground.spell(plan.spell_s)
    crowd = _crowd(ground, plan)
    async with crowd if name == CROWD else _flooding(ground, kinds, plan.peers):
        await asyncio.sleep(SETTLE_S)
        during = await ground.spell(plan.spell_s)
    await asyncio.sleep(SETTLE_S)
    return _compared(before, during, await ground.spell(plan.spell_s))


def _programme(plan: FloodPlan) -> dict[str, Sequence[str]]:
    """Return what runs together: each kind alone, all of them, and the crowd."""
    kinds = plan.kinds
    alone: dict[str, Sequence[str]] = {kind: (kind,) for kind in kinds if plan.is_each}
    crowd: dict[str, Sequence[str]] = {CROWD: CROWD_KINDS} if plan.crowd else {}
    return alone | ({"all": kinds} if kinds else {}) | crowd


def _compared(before: Spell, during: Spell, after: Spell) -> dict[str, float]:
    quiet = math.sqrt(max(1.0, before.moves_per_s) * max(1.0, after.moves_per_s))
    quiet_ms = max(before.relay_ms_p99, after.relay_ms_p99)
    return {
        "moves": during.moves,
        "moves_per_s": during.moves_per_s,
        "of_quiet": round(during.moves_per_s / quiet, 3),
        "relay_ms_p99": during.relay_ms_p99,
        "relay_of_quiet": round(during.relay_ms_p99 / max(0.1, quiet_ms), 2),
        "health_ms": during.health_ms,
        "server_cpu": during.server_cpu,
        "quiet_server_cpu": before.server_cpu,
        "connections": during.connections,
    }


def _speed_promises(name: str, figures: Mapping[str, float]) -> dict[str, bool]:
    return {
        f"honest games keep {LEAST_SHARE:.0%} of their moves under {name}": (
            figures["of_quiet"] >= LEAST_SHARE
        ),
        f"an answer takes at most {MOST_P99:g} times as long under {name}": (
            figures["relay_of_quiet"] <= MOST_P99
        ),
        f"/healthz takes at most {HEALTH_MS:g} ms under {name}": figures["health_ms"] <= HEALTH_MS,
    }


@asynccontextmanager
async def _games(
    place: ServerHost, plan: FloodPlan, tally: DuelTally
) -> AsyncIterator[HostedServer]:
    async with (
        place.running() as life,
        duels(life.url, plan.pairs, tally, think_s=THINK_S, seed=plan.seed, ladder="main"),
    ):
        await tally.first_move.wait()
        await asyncio.sleep(SETTLE_S)
        yield life


@asynccontextmanager
async def _flooding(ground: Ground, kinds: Sequence[str], peers: int) -> AsyncIterator[None]:
    targets: dict[str, list[str]] = {}
    for kind in kinds:
        url = ground.urls[kind.split("-", 1)[0]]
        targets.setdefault(url, []).append(f"{kind}={url}")
    async with AsyncExitStack() as stack:
        for at_port in targets.values():
            await stack.enter_async_context(flooders.flooding(peers, at_port))
        yield


@asynccontextmanager
async def _crowd(ground: Ground, plan: FloodPlan) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        for kind in CROWD_KINDS:
            target = f"{kind}={ground.urls[kind.split('-', 1)[0]]}"
            await stack.enter_async_context(flooders.flooding(plan.crowd, [target]))
            if kind == SPECTATORS:
                await _admitted(ground.health, 2 * plan.pairs + plan.crowd)
        ground.greed.hostile.set()
        stack.callback(ground.greed.hostile.clear)
        yield


async def _admitted(port: int, connections: int) -> None:
    """Wait until the server has as many connections, or for as long as that may take."""
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE_S):
            while True:
                if await _connections(port) >= connections:
                    return
                await asyncio.sleep(LOOK_S)


async def _connections(port: int) -> int:
    found = CONNECTIONS.search(await fetched(port, "/metrics"))
    return round(float(found[1])) if found else 0


if __name__ == "__main__":
    command_line(drill)
