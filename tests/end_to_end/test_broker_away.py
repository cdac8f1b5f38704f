"""Results reach MQTT however long the broker was away."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

from aiomqtt import Client

from mancala.bot import GameResult, Turn, run
from mancala.protocol import results
from mancala.protocol.messages import Seek
from mancala.protocol.results import MatchResult, Payload
from mancala.protocol.rules import KALAH
from tests.drills.mosquitto import Broker
from tests.end_to_end.arena import hosted
from tests.patience import PATIENCE_S

GAMES = 6
TOPICS = [("mancala/test/games/+/result", 1), ("mancala/test/matches/+/result", 1)]


def consumer(broker: Broker) -> Client:
    """Connect as a consumer whose subscription the broker remembers."""
    return Client("127.0.0.1", broker.port, identifier="consumer", clean_session=False)


def at_random(seed: int) -> Callable[[Turn], Awaitable[int]]:
    """Make a bot that draws lots."""
    lots = random.Random(seed)

    async def choose(turn: Turn) -> int:
        return lots.choice(turn.legal)

    return choose


async def match(url: str) -> list[GameResult]:
    """Return the games of a match between two bots."""
    one, _ = await asyncio.gather(
        *(
            run(
                url,
                at_random(seed),
                name=f"bot-{seed}",
                games=GAMES,
                seek=Seek(KALAH, opponent=f"bot-{1 - seed}", games=GAMES),
                session_file=None,
                stop=asyncio.Event(),
            )
            for seed in (0, 1)
        )
    )
    return one


async def received(broker: Broker, expected: int) -> list[Payload]:
    """Take in what the broker kept for the consumer, until a number of events has come."""
    payloads: list[Payload] = []
    async with consumer(broker) as client:
        async for message in client.messages:
            payloads.append(results.decode(message.payload))
            if len({payload.event_id for payload in payloads}) == expected:
                break
    return payloads


async def test_results_of_a_match_played_without_a_broker_all_arrive_afterwards(
    tmp_path: Path, mosquitto: str
) -> None:
    """A broker stopped during the whole match gets every result once it is back, and none twice."""
    broker = Broker(mosquitto, tmp_path)
    async with asyncio.timeout(PATIENCE_S):
        async with broker, consumer(broker) as client:
            await client.subscribe(TOPICS)
        async with hosted(tmp_path, f'[mqtt]\nurl = "{broker.url}"') as host:
            played = await match(host.url)
            async with broker:
                payloads = await received(broker, GAMES + 1)
    games = {payload.event_id: payload for payload in payloads}
    arrived = Counter(
        payload.game for payload in games.values() if isinstance(payload, results.GameResult)
    )
    assert arrived == Counter(result.game for result in played)
    assert sum(isinstance(payload, MatchResult) for payload in games.values()) == 1
