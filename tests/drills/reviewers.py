"""``python -m tests.drills.reviewers``: reviewers are killed at random moments.

Two bots play while two reviewers of the ordinary command review their games. One of them, at
random, is sent SIGKILL and started again, repeatedly; the moments are drawn over all games, so that
they fall before, in and after reviews. In the middle the server itself is killed and started again.
At the end each game must have one review, announced once, whose values do not contradict the rules.
"""

import asyncio
import os
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Annotated, Final

import typer

from mancala.bot.client.run import run
from mancala.bot.players.registry import make_bot
from mancala.protocol.messages import Seek
from mancala.scripts.console.processes.house import NICE
from mancala.scripts.console.processes.supervisor import Child, mancala
from mancala.server.app.system import utc
from mancala.server.model.credentials import Rights
from mancala.server.store.rows.tokens import issue, token_admin
from tests.drills.databases import Database, rows
from tests.drills.hosting import SQLITE_FILES, ServerHost, temporary_host
from tests.drills.report import DrillReport, SeedOption, command_line

REVIEWERS: Final = ("reviewer-1", "reviewer-2")
GAMES_A_KILL: Final = 3
SPARE_GAMES: Final = 6
LOOK_S: Final = 0.1
"""How often the store is asked how many games are reviewed."""
LATEST_S: Final = 1.0
"""A kill follows the review that it waits for within this time."""
PATIENCE_S: Final = 300.0
SETTINGS: Final = "[reviewers]\npatience_s = 60.0\n"


async def drill(
    kills: Annotated[int, typer.Option(min=0, help="How often a reviewer is killed.")] = 20,
    seed: SeedOption = 1,
    time_s: float = 0.5,
    where: Database = SQLITE_FILES,
) -> DrillReport:
    """Kill reviewers while they work, and count what they bring back."""
    games = GAMES_A_KILL * kills + SPARE_GAMES
    with temporary_host(SETTINGS, where) as ground:
        async with asyncio.timeout(PATIENCE_S), AsyncExitStack() as stack:
            life = await stack.enter_async_context(ground.running())
            await play(ground.url, games, seed)
            programs = await stack.enter_async_context(reviewer_programs(ground, time_s))
            done = await _kill_some(programs, ground, kills, games, seed)
            await life.kill()
        taken_back = _log_lines(ground, "review taken back")
        async with asyncio.timeout(PATIENCE_S), ground.running(), reviewer_programs(ground, time_s):
            await reach(ground, games)
        return _report(ground, games, done, taken_back, seed)


def _report(ground: ServerHost, games: int, kills: int, taken_back: int, seed: int) -> DrillReport:
    announced = Counter(
        topic for (topic,) in rows(ground.store, "SELECT topic FROM outbox") if "/review" in topic
    )
    played = rows(ground.store, "SELECT count(*) FROM games WHERE ended_at IS NOT NULL")[0][0]
    figures = {
        "games": played,
        "kills": kills,
        "taken_back": taken_back,
        "reviewed": reviewed(ground),
        "announced": sum(announced.values()),
    }
    promises = {
        "every game has its review": reviewed(ground) == played == games,
        "every review was announced once": (
            len(announced) == games and set(announced.values()) == {1}
        ),
    }
    return DrillReport("reviewers", seed, figures, promises)


async def play(url: str, games: int, seed: int) -> None:
    seek = Seek(rules="kalah:seeds=3", games=games)
    await asyncio.gather(
        *(
            run(
                url,
                make_bot("random", seed=seed + number),
                name=f"bot-{number}",
                games=games,
                seek=seek,
                session_file=None,
            )
            for number in range(2)
        )
    )


class ReviewerPrograms:
    """The reviewers' processes, by name."""

    def __init__(self, ground: ServerHost, time_s: float, tokens: dict[str, str]) -> None:
        self._ground = ground
        self._time_s = time_s
        self._tokens = tokens
        self._running: dict[str, tuple[Child, AsyncExitStack]] = {}

    async def start(self, name: str) -> None:
        stack = AsyncExitStack()
        env = {**os.environ, "MANCALA_TOKEN": self._tokens[name]}
        arguments = (
            *("reviewer", self._ground.url, "--name", name, "--time", str(self._time_s)),
            *("--nice", str(NICE)),
        )
        process = mancala(name, *arguments, folder=self._ground.folder, env=env)
        self._running[name] = await stack.enter_async_context(process), stack

    async def kill(self, name: str) -> None:
        child, stack = self._running.pop(name)
        child.process.kill()
        await stack.aclose()

    async def stop(self) -> None:
        for _, stack in self._running.values():
            await stack.aclose()


@asynccontextmanager
async def reviewer_programs(ground: ServerHost, time_s: float) -> AsyncIterator[ReviewerPrograms]:
    with token_admin(ground.store) as transaction:
        rights = Rights(is_reviewer=True)
        tokens = {name: issue(transaction, name, utc(), rights) for name in REVIEWERS}
    programs = ReviewerPrograms(ground, time_s, tokens)
    try:
        for name in REVIEWERS:
            await programs.start(name)
        yield programs
    finally:
        await programs.stop()


async def _kill_some(
    programs: ReviewerPrograms, ground: ServerHost, kills: int, games: int, seed: int
) -> int:
    rng = random.Random(f"{seed}/kills")
    for moment in sorted(rng.randrange(games - SPARE_GAMES) for _ in range(kills)):
        await reach(ground, moment)
        await asyncio.sleep(rng.uniform(0, LATEST_S))
        victim = rng.choice(REVIEWERS)
        await programs.kill(victim)
        await programs.start(victim)
    return kills


async def reach(ground: ServerHost, games: int) -> None:
    while reviewed(ground) < games:  # noqa: ASYNC110  # another process writes the store
        await asyncio.sleep(LOOK_S)


def reviewed(ground: ServerHost) -> int:
    found = rows(ground.store, "SELECT count(*) FROM reviews WHERE version IS NOT NULL")
    return int(found[0][0])


def _log_lines(ground: ServerHost, event: str) -> int:
    text = (ground.folder / "server.log").read_text(errors="replace")
    return sum(f'"{event}"' in line for line in text.splitlines())


if __name__ == "__main__":
    command_line(drill)
