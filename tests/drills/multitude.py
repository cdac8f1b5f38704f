"""``python -m tests.drills.multitude``: tens of thousands of idle bots, games, and a kill.

Cheap bots come in stages, with nothing else beside them; then pairs of bots play each other, with
some thinking. The server is killed amid their games and started again, and all come back to their
sessions. The bots live in processes of this machine, beside the server, so times are upper bounds.

Each process has a descriptor for each of its connections, so a front holds as many as ``ulimit -n``
lets it. The last stage, with the bots of the games, is what 20,000 descriptors are enough for.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import pairwise
from typing import Annotated, Any, Final, NamedTuple

import typer

from mancala.protocol import codec
from mancala.scripts.bench.serving.prices import Used
from tests.drills.hosting import HostedServer, ServerHost, temporary_host
from tests.drills.lasting_peers import Come, CrowdReport
from tests.drills.report import DrillReport, command_line, quantile

LOOK_S: Final = 0.25
STAGES: Final = [5000, 10_000, 18_900]
BOTS_OF_A_PROCESS: Final = 8000
SETTINGS: Final = """[limits]
connections = 100000
address_per_s = 100000.0
address_burst = 1000000
"""
"""All bots have one address, which stands for thousands."""
MIB: Final = 1 << 20
FIRST: Final = 100
"""Bots for which a server and its fronts have taken the memory of all that they load."""


class MultitudePlan(NamedTuple):
    """The size of the drill."""

    stages: Annotated[
        list[int], typer.Option("--idle", min=FIRST + 1, help="Idle bots in all, at each stage.")
    ] = STAGES
    games: Annotated[int, typer.Option(min=1, help="Games whose bots think.")] = 500
    fronts: Annotated[int, typer.Option(min=0, help="Fronts of the server.")] = 1
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds per measurement.")] = 30.0
    patience_s: Annotated[
        float, typer.Option("--patience", min=1, help="Seconds for all bots to come, or come back.")
    ] = 900.0


class Peers:
    """The processes of the bots."""

    def __init__(self, processes: Sequence[asyncio.subprocess.Process]) -> None:
        self._processes = processes
        self._come = 0
        self.total = 0
        self.seen = CrowdReport()

    async def take(self, idle: int = 0, pairs: int = 0) -> None:
        """Let as many bots come, spread over the processes, and take in what all have seen."""
        parts = len(self._processes)
        orders = [
            Come(
                self._come + idle * each // parts,
                _share(idle, each, parts),
                _share(pairs, each, parts),
            )
            for each in range(parts)
        ]
        self._come += idle
        self.total += idle + 2 * pairs
        reports = await asyncio.gather(*map(_ask, self._processes, orders))
        self.seen.here = 0
        for each in reports:
            self.seen.add(each)

    async def gather(self, share: float, patience_s: float) -> float:
        """Wait until a share of all bots is here; return how long that took, in seconds."""
        loop = asyncio.get_running_loop()
        began_at = loop.time()
        try:
            async with asyncio.timeout(patience_s):  # a process that hangs answers nothing
                while self.seen.here < share * self.total:
                    await asyncio.sleep(LOOK_S)
                    await self.take()
        except TimeoutError:
            seen = f"{self.seen.here} of {self.total} came; seen: {self.seen.ends}"
            raise SystemExit(seen) from None
        return loop.time() - began_at


def _share(number: int, each: int, parts: int) -> int:
    return number * (each + 1) // parts - number * each // parts


async def _ask(process: asyncio.subprocess.Process, order: Come) -> CrowdReport:
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("both are pipes")
    process.stdin.write(codec.to_json(order) + b"\n")
    return codec.from_json(await process.stdout.readline(), CrowdReport)


@asynccontextmanager
async def peers(port: int, processes: int) -> AsyncIterator[Peers]:
    """Run processes of bots during the block."""
    async with AsyncExitStack() as stack:
        started = []
        for _ in range(processes):
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "tests.drills.lasting_peers", str(port)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=1 << 28,
            )
            stack.push_async_callback(process.wait)
            stack.callback(process.kill)
            started.append(process)
        yield Peers(started)


async def drill(
    plan: MultitudePlan, report: Callable[[dict[str, Any]], object] = lambda _figures: None
) -> DrillReport:
    """Let the bots come, play, lose their server, and come back."""
    most = plan.stages[-1] + 2 * plan.games
    figures: dict[str, Any] = {"fronts": plan.fronts, "games": plan.games}
    with temporary_host(f"fronts = {plan.fronts}\n{SETTINGS}") as place:
        async with peers(place.port, -(-most // BOTS_OF_A_PROCESS)) as bots:
            async with place.running() as life:
                await bots.take(idle=FIRST)
                await bots.gather(1.0, plan.patience_s)
                empty = _memory(life)
                for stage in plan.stages:
                    figures[f"idle_{stage}"] = await _come(life, bots, stage, empty, plan)
                    report(figures[f"idle_{stage}"])
                figures["playing"] = await _play(life, bots, plan)
                report(figures["playing"])
                await life.kill()
            figures["back"] = await _return(place, bots, plan)
    back = figures["back"]
    promises = {
        "no connection was ended": all(
            not each["ends"] for name, each in figures.items() if name.startswith("idle_")
        ),
        "moves were measured": figures["playing"]["plies_per_s"] > 0,
        "games went on by the rules": not figures["playing"]["ends"],
        "all came back to their sessions": back["resumed"] == most and not back["anew"],
        "no game was lost to the kill": not any("game" in why for why in back["ends"]),
    }
    return DrillReport("multitude", 0, figures, promises)


async def _come(
    life: HostedServer, bots: Peers, stage: int, empty: dict[str, float], plan: MultitudePlan
) -> dict[str, Any]:
    bots.seen = CrowdReport()
    before = Used.by(life.child.process.pid)
    new = stage - bots.total
    await bots.take(idle=new)
    took_s = await bots.gather(1.0, plan.patience_s)
    login = Used.by(life.child.process.pid).since(before)
    idle = await _used(life, bots, plan.seconds)
    grown = {name: (now - empty[name]) / (stage - FIRST) for name, now in _memory(life).items()}
    return {
        "logins_s": round(took_s, 1),
        "login_ms": _each(login, 1000 / new),
        "idle_us_per_s": _each(idle, 1e6 / plan.seconds / stage),
        "kib_a_bot": {name: round(each * 1024, 1) for name, each in grown.items()},
        "ends": dict(bots.seen.ends),
    }


async def _play(life: HostedServer, bots: Peers, plan: MultitudePlan) -> dict[str, Any]:
    await bots.take(pairs=plan.games)
    await bots.gather(1.0, plan.patience_s)
    await bots.take()
    bots.seen = CrowdReport()
    began = os.getloadavg()[0]
    used = await _used(life, bots, plan.seconds)
    return {
        "plies_per_s": round(bots.seen.plies / plan.seconds),
        "relay_ms": {
            f"p{share:g}": round(quantile(bots.seen.relay_ms, share / 100), 2)
            for share in (50, 99, 99.9)
        },
        "load": round(began, 1),
        "ply_us": _each(used, 1e6 / max(1, bots.seen.plies)),
        "mib": {name: round(each) for name, each in _memory(life).items()},
        "ends": dict(bots.seen.ends),
    }


async def _return(place: ServerHost, bots: Peers, plan: MultitudePlan) -> dict[str, Any]:
    loop = asyncio.get_running_loop()
    killed_at = loop.time()
    bots.seen = CrowdReport()
    async with place.running() as life:
        started_s = loop.time() - killed_at
        await bots.take()
        before = Used.by(life.child.process.pid)
        figures: dict[str, Any] = {"started_s": round(started_s, 1)}
        for share in (0.5, 0.9, 0.99, 1.0):
            await bots.gather(share, plan.patience_s)
            figures[f"back_s_{share:g}"] = round(loop.time() - killed_at, 1)
        login = Used.by(life.child.process.pid).since(before)
        await asyncio.sleep(plan.seconds)
        await bots.take()
        return figures | {
            "login_ms": _each(login, 1000 / bots.total),
            "resumed": len(bots.seen.resumed),
            "anew": bots.seen.anew,
            "plies": bots.seen.plies,
            "ends": dict(bots.seen.ends),
        }


async def _used(life: HostedServer, bots: Peers, seconds: float) -> Used:
    before = Used.by(life.child.process.pid)
    await asyncio.sleep(seconds)
    used = Used.by(life.child.process.pid).since(before)
    await bots.take()
    return used


def _each(used: Used, factor: float) -> dict[str, float]:
    return {name: round(seconds * factor, 2) for name, seconds in used._asdict().items()}


def _memory(life: HostedServer) -> dict[str, float]:
    """Return the resident memory of the server and of its fronts, in MiB."""
    return {"server": life.resident_bytes() / MIB, "fronts": life.fronts_bytes() / MIB}


def main(plan: MultitudePlan) -> DrillReport:
    """Measure a server with tens of thousands of bots, and kill it."""
    if any(stage <= former for former, stage in pairwise(plan.stages)):
        raise typer.BadParameter("each stage is larger than the one before", param_hint="--idle")
    return asyncio.run(drill(plan, report=lambda figures: typer.echo(figures, err=True)))


if __name__ == "__main__":
    command_line(main)
