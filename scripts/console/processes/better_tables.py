"""Larger endgame tables, built beside a bot once it has played for a while.

The tables that a bot builds at its start are small, so that it waits a second. Larger ones make it
stronger, but take half a minute of CPU and up to 0.7 GB of memory. So a child process builds them
at the lowest priority, if memory and disk allow (`mancala.engine.tablebase.better_seeds`). It ends
with the bot; the next one goes on where it was. Of several bots on a machine one builds, and all
take the tables up with a game that begins later (`EngineResources.look_behind`).
"""

import asyncio
import os
from collections.abc import Awaitable
from typing import Final, TypeVar

from mancala.protocol.rules import Rules

from .supervisor import mancala
from .table_advice import missing_seeds
from .temporary import temporary_folder

T = TypeVar("T")
DELAY_S: Final = 60.0
"""Seconds before a build begins: demonstrations and tests are over by then."""


async def with_better_tables(playing: Awaitable[T], rules: Rules) -> T:
    """Build better tables for these rules while a bot plays, after a delay."""
    building = asyncio.create_task(build_better(rules, DELAY_S), name="better endgame tables")
    try:
        return await playing
    finally:
        building.cancel()
        await asyncio.wait([building])


async def build_better(rules: Rules, delay_s: float) -> None:
    """Build better tables in a child process, and wait for it, whatever comes of it."""
    await asyncio.sleep(delay_s)
    seeds = missing_seeds(rules)
    if seeds is None:
        return
    command = ("endgame", "build", "--idle", "--seeds", str(seeds), "--rules", str(rules), "--json")
    with temporary_folder("tables") as folder:
        async with mancala("tables", *command, folder=folder, env=os.environ) as child:
            await child.process.wait()
