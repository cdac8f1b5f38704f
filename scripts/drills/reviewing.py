"""``python -m scripts.drills.reviewing``: moves are refereed as fast while games are reviewed.

Two bots that answer immediately play twice: first alone, while their games wait for a review, and
then while two reviewers of the lowest priority work through them on the same machine. The time
from each question to its answer, as the server measured it, is compared.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final

import typer

from scripts.drills.databases import rows
from scripts.drills.hosting import Host, host
from scripts.drills.report import (
    JsonOption,
    Report,
    SeedOption,
    command_line,
    conclude,
    quantile,
)
from scripts.drills.reviewers import SETTINGS, crew, play, reach, reviewed

BEGUN: Final = 1
"""Reviews after which the reviewers are known to be at work."""
THINKING_S: Final = 5.0
MOST_TIMES: Final = 3.0
MARGIN_MS: Final = 20.0
"""What other programs on the machine may add to a move."""
PATIENCE_S: Final = 300.0


async def drill(games: int, seed: int) -> Report:
    """Play with and without reviewers, and compare the times of the moves.

    Args:
        games: games of each part.
        seed: draws the games.
    """
    with TemporaryDirectory(prefix="mancala-reviewing-") as name:
        ground = host(Path(name), SETTINGS)
        async with asyncio.timeout(PATIENCE_S), ground.running():
            await play(ground.url, games, seed)
            alone = _times_ms(ground)
            async with crew(ground, THINKING_S):
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
    return Report("reviewing", seed, figures, promises)


def _times_ms(ground: Host) -> list[float]:
    """Return the times of all moves, in the order of their games."""
    query = (
        "SELECT moves.elapsed_ms FROM moves JOIN games ON games.id = moves.game "
        "ORDER BY games.began_at, moves.ply"
    )
    return [float(elapsed_ms) for (elapsed_ms,) in rows(ground.store, query)]


def main(
    *,
    games: Annotated[int, typer.Option(min=1, help="Games of each part.")] = 100,
    seed: SeedOption = 1,
    json: JsonOption = False,
) -> None:
    """Compare the times of moves with and without reviewers on the machine."""
    conclude(asyncio.run(drill(games, seed)), json=json)


if __name__ == "__main__":
    command_line(main)
