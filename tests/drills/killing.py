"""A server that is killed at random moments of an event, and started again."""

import asyncio
import random
from collections.abc import Sequence
from typing import Final

from tests.drills.event import SeenGames
from tests.drills.hosting import ServerHost

LATEST_S: Final = 0.1
"""A kill follows the end of its game within this time, in seconds."""


def moments(games: int, kills: int, seed: int) -> list[int]:
    """Return at which counts of finished games the server is killed."""
    rng = random.Random(f"{seed}/moments")
    return sorted(rng.randrange(games) for _ in range(kills))


async def keep_alive(
    ground: ServerHost,
    killed_after: Sequence[int],
    progress: SeenGames,
    over: asyncio.Event,
    seed: int,
) -> int:
    rng = random.Random(f"{seed}/delays")
    for moment in killed_after:
        async with ground.running() as life:
            await progress.reach(moment)
            await asyncio.sleep(rng.uniform(0, LATEST_S))
            await life.kill()
    async with ground.running():
        await over.wait()
    return len(killed_after)
