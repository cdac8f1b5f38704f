"""``python -m tests.drills.reviewing``: moves are refereed as fast while games are reviewed.

Two bots that answer immediately play twice: first alone, while their games wait for a review, and
then while two reviewers of the lowest priority work through them on the same machine. The time
from each question to its answer, as the server measured it, is compared.
"""

import asyncio
from typing import Annotated, Final

import typer

from mancala.server.store.database.packed import unpack
from tests.drills.databases import rows
from tests.drills.hosting import ServerHost, temporary_host
from tests.drills.report import DrillReport, SeedOption, command_line, quantile
from tests.drills.reviewers import SETTINGS, play, reach, reviewed, reviewer_programs

BEGUN: Final = 1
"""Reviews after which the reviewers are known to be at work."""
THINKING_S: Final = 5.0
MOST_TIMES: Final = 3.0
MARGIN_MS: Final = 20.0
"""What other programs on the machine may add to a move."""
PATIENCE_S: Final = 300.0


async def drill(
    games: Annotated[int, typer.Option(min=1, help="Games of each part.")] = 100,
    seed: SeedOption = 1,
) -> DrillReport:
    """Compare the times of moves with and without reviewers on the machine."""
    with temporary_host(SETTINGS) as ground:
        async with asyncio.timeout(PATIENCE_S), ground.running():
            await play(ground.url, games, seed)
            alone = _times_ms(ground)
            async with reviewer_programs(ground, THINKING_S):
                await reach(ground, BEGUN)
                await play(ground.url, games, seed)
                done = reviewed(ground)
        together = _times_ms(ground)[len(alone) :]
    figures = {
        "games": 2 * games,
        "reviewed_meanwhile": done,
        "alone_p50_ms": round(quantile(alone, 0.5), 2),
        "alone_p99_ms": round(quantile(alone, 0.99), 2),
        "reviewed_p50_ms": round(quantile(together, 0.5), 2),
        "reviewed_p99_ms": round(quantile(together, 0.99), 2),
    }
    bound = MOST_TIMES * quantile(alone, 0.99) + MARGIN_MS
    promises = {
        "the reviewers were at work all the time": done < 2 * games,
        "moves are refereed as fast": quantile(together, 0.99) <= bound,
    }
    return DrillReport("reviewing", seed, figures, promises)


def _times_ms(ground: ServerHost) -> list[float]:
    query = "SELECT packed FROM games WHERE packed IS NOT NULL ORDER BY seq"
    games = (unpack(bytes(packed)) for (packed,) in rows(ground.store, query))
    return [move.elapsed_ms for moves in games for move in moves]


if __name__ == "__main__":
    command_line(drill)
