"""``python -m tests.drills.kill``: the server is killed at random moments of an event.

Bots of the ordinary client play a round robin, seats swapped, while the server's process is sent
SIGKILL and started again, repeatedly, on the same port and store. The moments are drawn over
the whole event, so that they fall before, between and after the parts of whatever the server was
doing. The bots reconnect by themselves.

The moves of the event are known beforehand, so an undisturbed run on another server must give the
same crosstable. Three independent accounts are compared: the results that
the bots received, the store, and the results that arrived over MQTT.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import typer

from mancala.bot import GameResult
from mancala.scripts.console import output as console
from tests.drills.databases import Database
from tests.drills.event import (
    GRACE,
    DrillGame,
    RoundRobin,
    SeenGames,
    by_the_rules,
    crosstable,
    keep_alive,
    kept_games,
    moments,
    nothing_lost,
    play,
)
from tests.drills.hosting import SQLITE_FILES
from tests.drills.mosquitto import Arrived, overheard_host
from tests.drills.report import DrillReport, SeedOption, command_line
from tests.patience import PATIENCE_S


class KillPlan(NamedTuple):
    """The size of the drill."""

    bots: Annotated[int, typer.Option(min=2, help="Bots; an even number.")] = 8
    games: Annotated[int, typer.Option(min=2, help="Games of each pairing; even.")] = 36
    kills: Annotated[int, typer.Option(min=0, help="How often the server is killed.")] = 50
    seed: SeedOption = 1


@dataclass(frozen=True, slots=True)
class KillOutcome:
    """What one run of the event gave.

    Attributes:
        told: results that the bots received; two per game, or fewer where one was offline.
    """

    kills: int
    told: list[GameResult]
    arrived: Arrived
    kept: list[DrillGame]


async def drill(plan: KillPlan, program: str, where: Database = SQLITE_FILES) -> DrillReport:
    """Kill the server at random moments of an event, and compare with an undisturbed run."""
    bots, games, kills, seed = plan
    if bots % 2 or games % 2:
        console.fail("--bots and --games must be even numbers")
    event = RoundRobin(bots, games, seed)
    disturbed = await _run(event, moments(event.total, kills, seed), program, where)
    undisturbed = await _run(event, [], program, where)
    figures = {
        "games": event.total,
        "kills": disturbed.kills,
        "results_over_mqtt": len(disturbed.arrived.games),
        "repeated_deliveries": disturbed.arrived.repeated,
        "ends_a_bot_was_not_told": 2 * event.total - len(disturbed.told),
        "crosstable": crosstable(disturbed.kept),
    }
    promises = {
        "the server was killed as often as planned": disturbed.kills == kills,
        **_nothing_lost(event, disturbed),
        "the crosstable is that of an undisturbed run": (
            crosstable(disturbed.kept) == crosstable(undisturbed.kept)
        ),
    }
    return DrillReport("kill", seed, figures, promises)


def _nothing_lost(event: RoundRobin, outcome: KillOutcome) -> dict[str, bool]:
    played = {game.game for game in outcome.kept}
    matches = outcome.arrived.matches
    return {
        "every game was played, once, to its end": (
            len(played) == event.total and by_the_rules(outcome.kept)
        ),
        **nothing_lost(outcome.kept, outcome.told, outcome.arrived.games),
        "each match has one result over MQTT": (
            len({result.match for result in matches}) == len(matches) == event.pairings
        ),
    }


async def _run(
    event: RoundRobin, killed_after: Sequence[int], program: str, where: Database
) -> KillOutcome:
    progress, over = SeenGames(), asyncio.Event()
    async with (
        overheard_host(program, GRACE, where) as (ground, _, consumer),
        asyncio.TaskGroup() as tasks,
    ):
        hosting = tasks.create_task(keep_alive(ground, killed_after, progress, over, event.seed))
        told = await play(ground.url, event, progress)
        await consumer.reach(event.total + event.pairings, within_s=PATIENCE_S)
        over.set()
        kills, kept = await hosting, kept_games(ground.store)
    return KillOutcome(kills, told, consumer.arrived, kept)


if __name__ == "__main__":
    command_line(drill, quiet="mancala.bot")
