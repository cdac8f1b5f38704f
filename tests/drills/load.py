"""``python -m tests.drills.load``: how fast, how fair and how frugal the match server is.

Four measurements, each with a server process of its own:

* *fairness*: many idle bots, and games whose bots take their time. How long a move is under way
  from one bot to the other, how far the server's account of the time taken is from the bot's own,
  and what a connection costs in memory.
* *idleness*: what an idle bot costs the server, as it is and if it is pinged as one that plays.
* *speed*: games between bots that answer without delay; every move is journalled, then announced.
* *the yardsticks*: what bare ``websockets`` servers do with as many connections, in the same run.
  ``echo`` sends a frame back, of the size of a move's announcement. ``relay`` moves a ply's frames
  between the two connections of a pair: the sockets' share of a match server's work and no more.

All bots live in this process, on the same machine as the server, so the times are upper bounds.
Absolute speeds say more of the machine than of the server: the promises are ratios. The latencies
are promises only with ``--strict``, on a machine that has two cores for us alone; what a virtual
machine's host gave to others while latencies were measured is reported as ``stolen_percent``.
"""

import asyncio
import contextlib
import gc
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Final, NamedTuple

import typer
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.connection import broadcast
from websockets.exceptions import ConnectionClosed

from tests.drills.duellists import DuelTally, duels, guests, read_little
from tests.drills.echo import MOVE, MOVED, TURN
from tests.drills.hosting import HostedServer, MachineTime, temporary_server
from tests.drills.ports import HOST
from tests.drills.report import DrillReport, SeedOption, command_line, quantile
from tests.drills.spell import spell
from tests.patience import connect

SETTLE_S: Final = 1.0
THINK_S: Final = (0.1, 0.5)

MOST_RELAY_MS: Final = 20.0
MOST_CLOCK_ERROR_MS: Final = 10.0
MOST_BYTES: Final = 40_000
LEAST_PLIES_PER_S: Final = 2500
LEAST_RATIO: Final = 0.5
FRAMES_A_PLY: Final = 4
"""A move in; out, its announcement to both players and the next question."""
FRAMES_AN_ECHO: Final = 2


class LoadPlan(NamedTuple):
    """What is measured; the best round counts, being the least disturbed by the machine."""

    idle: Annotated[int, typer.Option(min=0, help="Bots that do nothing.")] = 1000
    games: Annotated[int, typer.Option(min=1, help="Games whose bots think.")] = 200
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of bots that answer without delay.")] = 64
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds per measurement.")] = 10.0
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of speed; the best counts.")] = 3
    seed: SeedOption = 1
    strict: Annotated[bool, typer.Option(help="Promise speeds and latencies as well.")] = False


@dataclass(frozen=True, slots=True)
class FairnessFigures:
    """What slow games beside idle bots were like."""

    bytes_per_connection: float
    stolen_percent: float
    tally: DuelTally

    def relay_ms(self, share: float) -> float:
        return quantile(self.tally.relay_ms, share)

    def clock_error_ms(self, share: float) -> float:
        """Return the clock error, in ms, that a share of the moves does not exceed."""
        return quantile([abs(error) for error in self.tally.clock_error_ms], share)


async def drill(plan: LoadPlan) -> DrillReport:
    """Measure the match server's latency, fairness, memory and speed."""
    fairness = await _fairness(plan)
    plies_per_s = echoes_per_s = relays_per_s = 0.0
    for _ in range(plan.rounds):
        plies_per_s = max(plies_per_s, await _speed(plan))
        echoes_per_s = max(echoes_per_s, await _echoes(plan))
        relays_per_s = max(relays_per_s, await _relays(plan))
    figures = {
        "idle": plan.idle,
        "games": plan.games,
        "pairs": plan.pairs,
        "relay_ms_p50": round(fairness.relay_ms(0.5), 2),
        "relay_ms_p99": round(fairness.relay_ms(0.99), 2),
        "clock_error_ms_p50": round(fairness.clock_error_ms(0.5), 2),
        "clock_error_ms_p99": round(fairness.clock_error_ms(0.99), 2),
        "stolen_percent": round(fairness.stolen_percent, 1),
        "moves_measured": len(fairness.tally.relay_ms),
        "bytes_per_connection": round(fairness.bytes_per_connection),
        "plies_per_s": round(plies_per_s),
        "echoes_per_s": round(echoes_per_s),
        "relays_per_s": round(relays_per_s),
        **(await _idleness(plan)),
        "plies_to_relays": round(plies_per_s / relays_per_s, 3),
        "frames_to_echo_frames": round(
            FRAMES_A_PLY * plies_per_s / (FRAMES_AN_ECHO * echoes_per_s), 3
        ),
    }
    promises = {
        "every game went on by the rules": fairness.tally.is_clean,
        "moves were measured": len(fairness.tally.relay_ms) > 0,
        f"at most {MOST_BYTES} bytes a connection": fairness.bytes_per_connection <= MOST_BYTES,
    }
    if plan.strict:
        promises |= {
            f"p99 relay below {MOST_RELAY_MS} ms": fairness.relay_ms(0.99) < MOST_RELAY_MS,
            f"p99 clock error below {MOST_CLOCK_ERROR_MS} ms": (
                fairness.clock_error_ms(0.99) < MOST_CLOCK_ERROR_MS
            ),
            f"at least {LEAST_PLIES_PER_S} plies/s": plies_per_s >= LEAST_PLIES_PER_S,
            f"at least {LEAST_RATIO} of a bare echo's frames": (
                figures["frames_to_echo_frames"] >= LEAST_RATIO
            ),
        }
    return DrillReport("load", plan.seed, figures, promises)


async def _fairness(plan: LoadPlan) -> FairnessFigures:
    tally = DuelTally()
    async with temporary_server() as life:
        before = life.resident_bytes()
        async with guests(life.url, [f"idle-{number}" for number in range(plan.idle)]):
            per_connection = (life.resident_bytes() - before) / max(1, plan.idle)
            async with duels(life.url, plan.games, tally, think_s=THINK_S, seed=plan.seed):
                await asyncio.sleep(min(SETTLE_S, plan.seconds))
                _have_no_pauses()
                tally.restart()
                began = MachineTime.now()
                await spell(plan.seconds, lambda: tally.relay_ms)
                stolen_percent = MachineTime.now().stolen_percent_since(began)
    return FairnessFigures(per_connection, stolen_percent, tally)


async def _idleness(plan: LoadPlan) -> dict[str, float]:
    """Return what an idle bot costs the server, in microseconds of processor time a second."""
    pinged_often = "[limits]\nkeepalive_s = 5.0\n"
    return {
        "idle_us_per_s": await _idle_us(plan, ""),
        "idle_us_per_s_pinged_each_5_s": await _idle_us(plan, pinged_often),
    }


async def _idle_us(plan: LoadPlan, settings: str) -> float:
    async with temporary_server(settings) as life:
        alone_s = await _busy_share(life, plan.seconds)
        async with guests(life.url, [f"idle-{number}" for number in range(plan.idle)]):
            share = await _busy_share(life, 3 * plan.seconds) - alone_s
    return round(1e6 * share / max(1, plan.idle), 1)


async def _busy_share(life: HostedServer, seconds: float) -> float:
    await asyncio.sleep(min(SETTLE_S, seconds))
    before = life.cpu_s()
    took_s = await spell(seconds, lambda: True)
    return (life.cpu_s() - before) / took_s


def _have_no_pauses() -> None:
    """Exempt existing objects from garbage collection, whose pauses would be measured too."""
    gc.collect()
    gc.freeze()


async def _speed(plan: LoadPlan) -> float:
    tally = DuelTally()
    async with (
        temporary_server() as life,
        duels(life.url, plan.pairs, tally, think_s=(0.0, 0.0), seed=plan.seed),
    ):
        await asyncio.sleep(min(SETTLE_S, plan.seconds))
        _have_no_pauses()
        tally.restart()
        took_s = await spell(plan.seconds, lambda: tally.plies)
        return tally.plies / took_s


async def _echoes(plan: LoadPlan) -> float:
    """Return the frames per second that a bare server echoes."""
    async with _bare_server("echo") as url:
        # Of two players only one is to move: one connection of a pair speaks, as in a game.
        urls = [url] * (2 * plan.pairs)
        return await _rate(plan, urls, speaking=plan.pairs, cue=MOVED, answer=MOVED)


async def _relays(plan: LoadPlan) -> float:
    """Return the plies per second whose frames a bare server moves between pairs."""
    async with _bare_server("relay") as url:
        urls = [f"{url}/{index // 2}" for index in range(2 * plan.pairs)]
        return await _rate(plan, urls, speaking=0, cue=TURN, answer=MOVE)


async def _rate(
    plan: LoadPlan, urls: Sequence[str], *, speaking: int, cue: bytes, answer: bytes
) -> float:
    count = 0

    async def converse(socket: ClientConnection) -> None:
        nonlocal count
        with contextlib.suppress(ConnectionClosed):
            while True:
                if await socket.recv(decode=False) == cue:
                    count += 1
                    broadcast((socket,), answer, text=True)

    async with asyncio.TaskGroup() as tasks:
        sockets = [await connect(url, compression=None, ping_interval=None) for url in urls]
        for socket in sockets:
            read_little(socket)
            tasks.create_task(converse(socket), name="converse")
        broadcast(sockets[:speaking], answer, text=True)
        await asyncio.sleep(min(SETTLE_S, plan.seconds))
        _have_no_pauses()
        count = 0
        took_s = await spell(plan.seconds, lambda: count)
        rate = count / took_s
        for socket in sockets:
            socket.transport.abort()
    return rate


@asynccontextmanager
async def _bare_server(handler: str) -> AsyncIterator[str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.drills.echo", handler),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        if process.stdout is None:
            raise RuntimeError("stdout is a pipe")
        yield f"ws://{HOST}:{int(await process.stdout.readline())}"
    finally:
        process.kill()
        await process.wait()


if __name__ == "__main__":
    command_line(drill)
