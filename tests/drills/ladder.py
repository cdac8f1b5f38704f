"""``python -m tests.drills.ladder``: the server is killed at random moments of a ladder event.

Bots of the ordinary client join a ladder and are paired for as long as the event lasts, while the
server's process is sent SIGKILL and started again on the same port and store.
Who meets whom depends on the moment, so there is no crosstable to expect, as ``kill`` has one;
compared are the store's games, the results that came over MQTT, what the bots received, and the
ladder's own tallies, which must have counted each game once.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from itertools import repeat
from typing import Annotated, Final, NamedTuple

import typer

from mancala.bot import GameResult, run
from mancala.protocol.messages import Reason
from tests.drills.databases import Database, rows
from tests.drills.event import (
    RETRY_S,
    DrillGame,
    KeyedBot,
    Pair,
    SeenGames,
    by_the_rules,
    keep_alive,
    kept_games,
    kept_matches,
    moments,
    nothing_lost,
)
from tests.drills.hosting import SQLITE_FILES
from tests.drills.mosquitto import overheard_host
from tests.drills.report import DrillReport, SeedOption, command_line
from tests.patience import PATIENCE_S

NAME: Final = "drill"
SETTINGS: Final = f"""\
grace_s = 600.0
[[ladder]]
name = "{NAME}"
clock = {{ move_ms = 60000 }}
patience_s = 0.5
"""
TALLIES: Final = f"""
SELECT first, second, wins, draws, losses FROM pairs WHERE ladder = '{NAME}'
UNION ALL
SELECT second, first, back_wins, back_draws, back_losses FROM pairs WHERE ladder = '{NAME}'
"""  # noqa: S608  # a constant

Tallies = Counter[tuple[Pair, int | None]]
"""Games by the players, in seat order, and the winner's seat, None for a draw."""


class LadderPlan(NamedTuple):
    """The size of the drill."""

    bots: Annotated[int, typer.Option(min=2, help="Bots on the ladder.")] = 9
    games: Annotated[int, typer.Option(min=1, help="Games after which they leave.")] = 1000
    kills: Annotated[int, typer.Option(min=0, help="How often the server is killed.")] = 50
    seed: SeedOption = 1


async def drill(plan: LadderPlan, program: str, where: Database = SQLITE_FILES) -> DrillReport:
    """Kill the server at random moments of a ladder event, and compare the counts."""
    progress, over = SeenGames(), asyncio.Event()
    async with (
        overheard_host(program, SETTINGS, where) as (ground, _, consumer),
        asyncio.TaskGroup() as tasks,
    ):
        killed_after = moments(plan.games, plan.kills, plan.seed)
        hosting = tasks.create_task(keep_alive(ground, killed_after, progress, over, plan.seed))
        told = await _play(ground.url, plan, progress)
        over.set()
        kills = await hosting
        kept, matches = kept_games(ground.store), kept_matches(ground.store)
        async with ground.running():  # which publishes what the last one had no time for
            await consumer.reach(len(kept) + len(matches), within_s=PATIENCE_S)
        tallies = _tallies(ground.store)
    figures = {
        "games": len(kept),
        "matches": len(matches),
        "kills": kills,
        "results_over_mqtt": len(consumer.arrived.games),
        "repeated_deliveries": consumer.arrived.repeated,
    }
    counted = [game for game in kept if game.reason != Reason.ABORTED]
    promises = {
        "the server was killed as often as planned": kills == plan.kills,
        "every game was played to its end, but for those of bots that left": (
            len(counted) >= plan.games and by_the_rules(counted)
        ),
        **nothing_lost(kept, told, consumer.arrived.games),
        "each match has one result over MQTT": (
            Counter(result.match for result in consumer.arrived.matches) == Counter(matches)
        ),
        "the ladder has counted each game once": tallies == _recount(counted),
    }
    return DrillReport("ladder", plan.seed, figures, promises)


async def _play(url: str, plan: LadderPlan, progress: SeenGames) -> list[GameResult]:
    enough = asyncio.Event()

    async def career(name: str) -> list[GameResult]:
        return await run(
            url,
            KeyedBot(f"{plan.seed}/{name}", progress),
            name=name,
            ladder=NAME,
            session_file=None,
            stop=enough,
            delays=lambda: repeat(RETRY_S),
        )

    careers = asyncio.gather(*(career(f"bot-{number}") for number in range(plan.bots)))
    await progress.reach(plan.games)
    enough.set()
    return [result for results in await careers for result in results]


def _tallies(store: str) -> Tallies:
    tallies: Tallies = Counter()
    for first, second, *counts in rows(store, TALLIES):
        for winner, count in zip((0, None, 1), counts, strict=True):
            tallies[(first, second), winner] += count
    return +tallies


def _recount(games: Sequence[DrillGame]) -> Tallies:
    return Counter((game.players, game.winner) for game in games)


if __name__ == "__main__":
    command_line(drill, quiet="mancala.bot")
