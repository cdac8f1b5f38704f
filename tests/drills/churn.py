"""``python -m tests.drills.churn``: guests that come as a new version after every match.

Bots play in a ladder, at first alone, then while guests join it, lose a match, leave, and come back
as another version, and then alone again. What a game costs the server, how many entrants there are
and how large their announcement is must stay bounded, however often the guests come.
"""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import Annotated, Final, NamedTuple

import typer

from mancala.protocol.messages import VERSION, Agent, Hello
from mancala.server.config.ladders import LadderSettings
from tests.drills.databases import Database
from tests.drills.hosting import SQLITE_FILES, HostedServer, temporary_host
from tests.drills.members import (
    LADDER,
    REFUSED,
    always,
    games_of,
    kept_of,
    ladder_settings,
    playing,
    take_part,
)
from tests.drills.ports import HOST
from tests.drills.report import DrillReport, SeedOption, command_line
from tests.patience import PATIENCE_S

MOST_VERSIONS: Final = LadderSettings(name=LADDER).versions_a_day
MOST_BYTES: Final = 32 * 1024
MOST_TIMES: Final = 3.0
"""Each game announces the best hundred rows, which eight bots alone do not fill."""
SETTINGS: Final = ladder_settings("guest_pool = false", limits=f'exempt = ["{HOST}/32"]')


class ChurnPlan(NamedTuple):
    """The size of the drill; games are compared only with some hundred of them."""

    bots: Annotated[int, typer.Option(min=2, help="Bots that play.")] = 8
    guests: Annotated[int, typer.Option(min=1, help="Guests that come again and again.")] = 8
    versions: Annotated[int, typer.Option(min=1, help="How often each of them comes.")] = 200
    seconds: Annotated[float, typer.Option(min=0.5, help="Length of a quiet phase.")] = 20.0
    seed: SeedOption = 1
    is_timed: bool = True


async def drill(plan: ChurnPlan, where: Database = SQLITE_FILES) -> DrillReport:
    """Join a ladder as version after version, beside bots that play."""
    with temporary_host(SETTINGS, where) as place:
        async with place.running() as life, asyncio.TaskGroup() as tasks:
            playing_on = [
                tasks.create_task(
                    take_part(life.url, Hello(VERSION, f"bot-{number}"), LADDER, playing(LADDER))
                )
                for number in range(plan.bots)
            ]
            quiet = await _cpu_ms_a_game(life, place.store, asyncio.sleep(plan.seconds))
            taken: list[bool] = []
            names = (f"guest-{number}" for number in range(plan.guests))
            churning = asyncio.gather(*(_come(life, name, plan.versions, taken) for name in names))
            beside = await _cpu_ms_a_game(life, place.store, churning)
            after = await _cpu_ms_a_game(life, place.store, asyncio.sleep(plan.seconds))
            for task in playing_on:
                task.cancel()
        kept = kept_of(place.store)
        entrants = len({name for pair in games_of(place.store) for name in pair})
    payload_bytes = kept.payload_bytes if kept is not None else 0
    most = plan.bots + plan.guests * MOST_VERSIONS
    figures = {
        "versions_tried": plan.guests * plan.versions,
        "versions_taken": sum(taken),
        "entrants": entrants,
        "payload_bytes": payload_bytes,
        "cpu_ms_a_game_quiet": quiet,
        "cpu_ms_a_game_beside": beside,
        "cpu_ms_a_game_after": after,
    }
    promises = {
        f"at most {most} entrants": 0 < entrants <= most,
        f"an announcement has at most {MOST_BYTES} bytes": payload_bytes <= MOST_BYTES,
    }
    if plan.is_timed:
        dearest = max(beside, after)
        promise = f"a game costs at most {MOST_TIMES:g} times as much"
        promises[promise] = dearest <= MOST_TIMES * quiet
    return DrillReport("churn", plan.seed, figures, promises)


async def _come(life: HostedServer, name: str, versions: int, taken: list[bool]) -> None:
    """Join as one version after another, each for a match; note whether the ladder took it."""
    for version in range(versions):
        hello = Hello(VERSION, name, agent=Agent("churn", str(version)))
        with suppress(*REFUSED):
            async with asyncio.timeout(PATIENCE_S):
                losing = playing(LADDER, always, lambda: True)
                error = await take_part(life.url, hello, LADDER, losing)
                taken.append(error is None)


async def _cpu_ms_a_game(life: HostedServer, store: str, meanwhile: Awaitable[object]) -> float:
    """Return the server's processor time for a game that ended meanwhile, in milliseconds."""
    games, cpu_s = sum(games_of(store).values()), life.cpu_s()
    await meanwhile
    games, cpu_s = sum(games_of(store).values()) - games, life.cpu_s() - cpu_s
    return round(1000 * cpu_s / max(1, games), 2)


if __name__ == "__main__":
    command_line(drill)
