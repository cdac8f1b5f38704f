"""``python -m tests.drills.broker``: the broker is stopped, frozen and started at random.

Pairs of bots play short games while mosquitto goes and comes: stopped for a while and started
again, or frozen with its connections open, which a publisher can tell from slowness only by
waiting. Once the broker stays, every finished game and match must have arrived, each as one
event, however often it was delivered, and the events' numbers must have no gap.
"""

import asyncio
import random
from collections import Counter
from dataclasses import dataclass
from typing import Annotated, Final, NamedTuple

import typer

from mancala.protocol.rules import Rules
from tests.drills.databases import Database
from tests.drills.duellists import DuelTally, duels
from tests.drills.event import GRACE, DrillGame, kept_games, kept_matches
from tests.drills.hosting import SQLITE_FILES, ServerHost
from tests.drills.mosquitto import Arrived, Broker, Consumer, overheard_host
from tests.drills.report import DrillReport, SeedOption, command_line
from tests.patience import PATIENCE_S

PAIRS: Final = 8
SMALL: Final = Rules(pits=2, seeds=2)
GAMES_A_MATCH: Final = 10
THINK_S: Final = (0.02, 0.04)
CALM_S: Final = (0.1, 0.5)
AWAY_S: Final = (0.1, 1.5)


class BrokerPlan(NamedTuple):
    """What happens, at the least."""

    results: Annotated[int, typer.Option(min=1, help="Games to finish.")] = 1000
    disturbances: Annotated[int, typer.Option(min=1, help="How often the broker is disturbed.")] = (
        20
    )
    freeze_s: Annotated[
        float, typer.Option("--freeze", min=0.0, help="Seconds of the last freeze.")
    ] = 15.0
    seed: SeedOption = 1


@dataclass(slots=True)
class Weather:
    """What happened to the broker."""

    stops: int = 0
    freezes: int = 0


async def drill(plan: BrokerPlan, program: str, where: Database = SQLITE_FILES) -> DrillReport:
    """Stop, freeze and restart the broker while games end, and compare what arrives."""
    tally, weather = DuelTally(), Weather()
    async with overheard_host(program, GRACE, where) as (ground, broker, consumer):
        async with ground.running() as life:
            before = life.resident_bytes()
            await _play(plan, life.url, tally, broker, weather)
            grown = life.resident_bytes() - before
            await _all_reach(consumer, ground)
        async with ground.running():  # for what ended while the bots hung up
            await _all_reach(consumer, ground)
        kept, matches = kept_games(ground.store), kept_matches(ground.store)
    arrived = consumer.arrived
    figures = {
        "results": len(kept),
        "matches": len(matches),
        "stops": weather.stops,
        "freezes": weather.freezes,
        "deliveries": arrived.deliveries,
        "repeated_deliveries": arrived.repeated,
        "server_grew_bytes": grown,
    }
    promises = {
        "as many results as planned": len(kept) >= plan.results,
        "as many disturbances as planned": weather.stops + weather.freezes >= plan.disturbances,
        "every game went on by the rules": tally.is_clean,
        **_all_arrived(kept, matches, arrived),
    }
    return DrillReport("broker", plan.seed, figures, promises)


async def _all_reach(consumer: Consumer, ground: ServerHost) -> None:
    events = len(kept_games(ground.store)) + len(kept_matches(ground.store))
    await consumer.reach(events, within_s=PATIENCE_S)


def _all_arrived(kept: list[DrillGame], matches: list[str], arrived: Arrived) -> dict[str, bool]:
    games = Counter(result.game for result in arrived.games)
    numbers = sorted(event.seq for event in (*arrived.games, *arrived.matches))
    return {
        "each game arrived as one event": games == Counter(game.game for game in kept),
        "each match arrived as one event": (
            Counter(result.match for result in arrived.matches) == Counter(matches)
        ),
        "the numbers of the events have no gap": numbers == list(range(1, len(numbers) + 1)),
    }


async def _play(
    plan: BrokerPlan, url: str, tally: DuelTally, broker: Broker, weather: Weather
) -> None:
    rng = random.Random(plan.seed)
    duelling = duels(
        url, PAIRS, tally, think_s=THINK_S, seed=plan.seed, rules=SMALL, games=GAMES_A_MATCH
    )
    async with duelling:
        while tally.games < 2 * plan.results or weather.stops + weather.freezes < plan.disturbances:
            await asyncio.sleep(rng.uniform(*CALM_S))
            await _disturb(broker, weather, rng)
        weather.freezes += 1
        async with broker.frozen():
            await asyncio.sleep(plan.freeze_s)


async def _disturb(broker: Broker, weather: Weather, rng: random.Random) -> None:
    away_s = rng.uniform(*AWAY_S)
    if rng.random() < 0.5:
        weather.freezes += 1
        async with broker.frozen():
            await asyncio.sleep(away_s)
    else:
        weather.stops += 1
        await broker.stop()
        await asyncio.sleep(away_s)
        await broker.start()


if __name__ == "__main__":
    command_line(drill, quiet="mqtt")
