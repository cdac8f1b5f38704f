"""A publisher in a process of its own, beside a real broker."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from unittest.mock import Mock, call

import aiomqtt
import pytest

from mancala.server.config.settings import Config, ConfigError, Mqtt
from mancala.server.health.link import LinkLostError, LocalLink
from mancala.server.health.log import NullLog
from mancala.server.model.journal import OutboxRow
from mancala.server.publish.broker import private_broker
from mancala.server.publish.child import FINISH_S, PublisherChild
from mancala.server.publish.process import _listen
from mancala.server.publish.publishing import ASKED, STOP, TOLD, Outbox, Publishing, finish
from tests.patience import PATIENCE_S, WALK_S
from tests.processes import children, have_ended
from tests.server.publish.doubles import KeptOutbox

TOPIC = "mancala/test/news"


def rows(*seqs: int) -> dict[int, OutboxRow]:
    """Return rows, each with its number as payload."""
    return {seq: OutboxRow(seq, TOPIC, str(seq), is_retained=False) for seq in seqs}


def test_what_the_processes_ask_of_each_other_are_methods() -> None:
    """They are looked up by name, so no type check sees a name that is not there."""
    for kind, names in (
        (Outbox, ASKED.keys() - {"away", "delivery"}),
        (Publishing, TOLD.keys() - {STOP}),
    ):
        assert [name for name in names if not callable(getattr(kind, name, None))] == []


@asynccontextmanager
async def linked() -> AsyncIterator[tuple[LocalLink, LocalLink]]:
    """Yield the server's end of a link to a publisher, and the publisher's."""
    pair = [await asyncio.open_connection(sock=each) for each in socket.socketpair()]
    ours = LocalLink(*pair[0], NullLog(), "publisher", ASKED)
    theirs = LocalLink(*pair[1], NullLog(), "game server", TOLD)
    yield ours, theirs
    theirs.close()
    await asyncio.gather(*(writer.wait_closed() for _, writer in pair))


@asynccontextmanager
async def publishing(
    mosquitto: str, outbox: KeptOutbox
) -> AsyncIterator[tuple[PublisherChild, str]]:
    async with asyncio.timeout(WALK_S), asyncio.TaskGroup() as tasks:

        def spawn(work: Coroutine[None, None, None], name: str) -> asyncio.Task[None]:
            return tasks.create_task(work, name=name)

        async with private_broker(mosquitto, NullLog(), spawn) as url:
            config = Config(name="test", mqtt=Mqtt(url=url))
            child = PublisherChild(config, url, outbox, NullLog(), lambda _low, _high: 1.0)
            running = tasks.create_task(child.run())
            try:
                yield child, url
            finally:
                await finish(child, running, within_s=FINISH_S)


async def test_rows_reach_the_broker_in_order_and_are_marked_after_it(mosquitto: str) -> None:
    """Those there at the start, more than one chunk of them, and those that come later."""
    outbox = KeptOutbox()
    async with publishing(mosquitto, outbox) as (child, url):
        port = int(url.rsplit(":", 1)[1])
        async with aiomqtt.Client("127.0.0.1", port, timeout=PATIENCE_S) as client:
            await client.subscribe(TOPIC, qos=1)
            outbox.waiting |= rows(*range(250))
            child.wake()
            arrived = []
            async for message in client.messages:
                arrived.append(int(message.payload))
                if len(arrived) == 250:
                    break
        await outbox.until(published=250)
    assert arrived == outbox.published == list(range(250))


async def test_the_process_is_woken_again_after_it_has_asked() -> None:
    """Once, until it asks; one that was never woken again kept 12 messages of 1,276."""
    config = Config(name="test", mqtt=Mqtt(url="mqtt://127.0.0.1"))
    outbox = KeptOutbox(rows(1))
    child = PublisherChild(config, "mqtt://127.0.0.1", outbox, NullLog(), lambda _low, _high: 1.0)
    async with (
        asyncio.timeout(PATIENCE_S),
        linked() as (ours, theirs),
        asyncio.TaskGroup() as tasks,
    ):
        tasks.create_task(child._converse(ours))
        hears = tasks.create_task(told(theirs))
        for _ in range(3):
            await theirs.ask("unpublished", (100,))
            child.wake()
            child.wake()
        await theirs.ask("unpublished", (100,))
        ours.close()
        await hears
    assert hears.result() == ["wake"] * 3


async def test_the_process_does_what_its_server_says() -> None:
    """Each thing once, until the link ends."""
    publisher, stopping = Mock(), asyncio.Event()
    said = {"wake": (), "publish_live": ("a/b", "{}"), "retry": (), STOP: ()}
    async with linked() as (ours, theirs):
        for topic, body in said.items():
            ours.tell(topic, body)
        ours.close()
        with pytest.raises(LinkLostError):
            await _listen(theirs, publisher, stopping)
    assert publisher.method_calls == [call.wake(), call.publish_live("a/b", "{}"), call.retry()]
    assert stopping.is_set()


async def test_a_process_that_no_longer_hears_its_server_waits_for_no_answer() -> None:
    """It has ended with its last questions open; else what it marks as it ends waits for ever."""
    async with asyncio.timeout(PATIENCE_S), linked() as (ours, theirs):
        listening = asyncio.create_task(_listen(theirs, Mock(), asyncio.Event()))
        marking = asyncio.create_task(theirs.ask("mark_published", ((1,), "")))
        assert (await anext(ours)).topic == "mark_published"
        listening.cancel()
        for question in (marking, theirs.ask("unpublished", (100,))):
            with pytest.raises(LinkLostError):
                await question
        ours.close()


async def told(link: LocalLink) -> list[str]:
    return [said.topic async for said in link]


async def test_a_killed_publisher_is_replaced_and_loses_nothing(mosquitto: str) -> None:
    """What comes after the kill is published by its successor."""
    outbox = KeptOutbox(rows(1))
    async with publishing(mosquitto, outbox) as (child, _):
        await outbox.until(published=1)
        (process,) = children(os.getpid(), "mancala.server.publish.process")
        process.kill()
        outbox.waiting |= rows(2)
        child.wake()
        await outbox.until(published=2)
    assert outbox.published == [1, 2]


async def test_a_stopped_publisher_publishes_what_is_left_and_says_goodbye(mosquitto: str) -> None:
    """The retained status is ``offline``, and no process is left."""
    outbox = KeptOutbox(rows(1))
    async with publishing(mosquitto, outbox) as (child, url):
        await outbox.until(published=1)
        processes = children(os.getpid(), "mancala.server.publish.process")
        port = int(url.rsplit(":", 1)[1])
        async with aiomqtt.Client("127.0.0.1", port, timeout=PATIENCE_S) as client:
            await client.subscribe("mancala/test/status", qos=1)
            assert b'"online"' in await next_payload(client)
            outbox.waiting |= rows(2)
            child.stop()
            assert b'"offline"' in await next_payload(client)
    assert outbox.published == [1, 2]
    assert await asyncio.to_thread(have_ended, processes)


async def test_live_moves_are_sent_while_the_broker_is_connected(mosquitto: str) -> None:
    """At most once, and not kept."""
    outbox = KeptOutbox(rows(1))
    async with publishing(mosquitto, outbox) as (child, url):
        child.publish_live("mancala/test/live", "too early")
        await outbox.until(published=1)
        port = int(url.rsplit(":", 1)[1])
        async with aiomqtt.Client("127.0.0.1", port, timeout=PATIENCE_S) as client:
            await client.subscribe("mancala/test/live")
            child.publish_live("mancala/test/live", "a move")
            assert await next_payload(client) == b"a move"


def test_an_authority_that_cannot_be_read_is_an_error_of_the_settings(tmp_path: Path) -> None:
    """It is found before any process starts."""
    mqtt = Mqtt(ca=str(tmp_path / "missing.pem"))
    with pytest.raises(ConfigError, match=r"mqtt\.ca"):
        PublisherChild(
            Config(mqtt=mqtt), "mqtts://x", KeptOutbox(), NullLog(), lambda _low, _high: 1.0
        )


async def next_payload(client: aiomqtt.Client) -> bytes:
    async for message in client.messages:
        assert isinstance(message.payload, bytes)
        return message.payload
    raise AssertionError("the broker went away")
