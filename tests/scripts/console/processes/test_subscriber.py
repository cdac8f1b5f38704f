"""A consumer of results, against a real broker."""

import asyncio
from pathlib import Path

import pytest
from aiomqtt import Client

from mancala.protocol import codec
from mancala.protocol.results import AnyPayload, Topics
from mancala.scripts.console.processes.subscriber import SubscriberError, follow
from tests.drills.mosquitto import Broker
from tests.patience import PATIENCE_S
from tests.scripts.demo.test_view import game_result, match_result

TOPICS = Topics("mancala/test")


async def test_a_result_delivered_twice_is_handed_over_once(tmp_path: Path, mosquitto: str) -> None:
    """At least once on the wire, exactly once in the hand, told apart by ``event_id``."""
    broker = Broker(mosquitto, tmp_path)
    taken: list[AnyPayload] = []
    subscribed, is_over = asyncio.Event(), asyncio.Event()

    def take(payload: AnyPayload) -> None:
        taken.append(payload)
        if payload.event_id == match_result().event_id:
            is_over.set()

    async with asyncio.timeout(PATIENCE_S), broker:
        following = asyncio.create_task(
            follow(broker.url, TOPICS.prefix, take, subscribed=subscribed)
        )
        await subscribed.wait()
        async with Client("127.0.0.1", broker.port) as server:
            for payload in (game_result("g1"), game_result("g1"), game_result("g2")):
                await server.publish(TOPICS.game_result("any"), codec.to_json(payload), qos=1)
            await server.publish(TOPICS.match_result("m"), codec.to_json(match_result()), qos=1)
        await is_over.wait()
        following.cancel()
    assert taken == [game_result("g1"), game_result("g2"), match_result()]


async def test_a_broker_that_is_not_there_is_named(tmp_path: Path) -> None:
    """Nothing listens: the error says so, in our own type."""
    broker = Broker("mosquitto", tmp_path)
    with pytest.raises(SubscriberError):
        await follow(broker.url, TOPICS.prefix, lambda _payload: None)
