"""From the outbox to a real broker that comes and goes."""

import asyncio
import signal
import ssl
import sys
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiomqtt
import msgspec
import pytest

from mancala.protocol.results import (
    AnyPayload,
    GameResult,
    LiveMove,
    MatchResult,
    Presence,
    Status,
    decode,
)
from mancala.server.config.settings import Mqtt, Tls
from mancala.server.health.log import NullLog
from mancala.server.model.journal import OutboxRow
from mancala.server.model.tenure import Tenure
from mancala.server.publish.address import Address
from mancala.server.publish.broker import _start, _stop
from mancala.server.publish.client import PublishingClient
from mancala.server.publish.trial import not_read_back
from tests.drills.ports import free_port, until_open
from tests.patience import PATIENCE_S
from tests.server.peers import arena
from tests.server.publish.doubles import KeptOutbox, publisher_of
from tests.sources import ROOT

TLS = ROOT / "tests" / "data" / "tls"

pytestmark = pytest.mark.usefixtures("database")


class ScriptedBroker:
    """A mosquitto that can be started and stopped on one port."""

    def __init__(self, program: str, tasks: asyncio.TaskGroup) -> None:
        self.port = free_port()
        self._program = program
        self._tasks = tasks

    @property
    def mqtt(self) -> Mqtt:
        return Mqtt(url=f"mqtt://127.0.0.1:{self.port}")

    def _spawn(self, work: Coroutine[None, None, None], name: str) -> asyncio.Task[None]:
        return self._tasks.create_task(work, name=name)

    async def start(self) -> None:
        self._process = await _start(self._program, self.port, NullLog(), self._spawn)

    async def stop(self) -> None:
        """Stop it; it forgets everything."""
        await _stop(self._process)

    @asynccontextmanager
    async def subscribed(self) -> AsyncIterator[aiomqtt.Client]:
        async with aiomqtt.Client("127.0.0.1", self.port, timeout=PATIENCE_S) as client:
            await client.subscribe("#", qos=1)
            yield client


@pytest.fixture
async def broker(mosquitto: str) -> AsyncIterator[ScriptedBroker]:
    async with asyncio.TaskGroup() as tasks:
        broker = ScriptedBroker(mosquitto, tasks)
        yield broker
        await broker.stop()


async def heard(client: aiomqtt.Client) -> AsyncIterator[AnyPayload]:
    async with asyncio.timeout(PATIENCE_S):
        async for message in client.messages:
            assert isinstance(message.payload, bytes)
            yield decode(message.payload)


async def collect(client: aiomqtt.Client, count: int) -> list[AnyPayload]:
    """Receive N results, leaving out other payloads."""
    results: list[AnyPayload] = []
    async for payload in heard(client):
        results += [] if isinstance(payload, Status) else [payload]
        if len(results) == count:
            break
    return results


async def next_status(client: aiomqtt.Client) -> Status:
    return await anext(payload async for payload in heard(client) if isinstance(payload, Status))


class HeldOutbox(KeptOutbox):
    """The empty outbox of a tenure, which answers while its server has the store."""

    def __init__(self, number: int) -> None:
        super().__init__(tenure=Tenure(number, "here"))
        self.asked = asyncio.Event()
        self.has_store = asyncio.Event()
        self.has_store.set()
        self.connections = 0

    async def unpublished(self, _limit: int) -> list[OutboxRow]:
        self.asked.set()
        await self.has_store.wait()
        return []

    def connect(self, *where: Any, **options: Any) -> PublishingClient:  # noqa: ANN401  # as it takes
        self.connections += 1
        return PublishingClient(*where, **options)

    def published_to(self, broker: ScriptedBroker) -> Coroutine[None, None, None]:
        where: dict[str, Any] = {"prefix": "mancala/club", "server": "club", "port": broker.port}
        return publisher_of(self, self.connect, **where).run()


async def test_no_former_server_says_that_it_is_offline_or_online_after_the_next_one(
    broker: ScriptedBroker,
) -> None:
    """One whose machine was cut off left `offline` a quarter of a minute later, and came back."""
    await broker.start()
    former, present = HeldOutbox(1), HeldOutbox(2)
    async with broker.subscribed() as client, asyncio.TaskGroup() as tasks:
        publishing = [tasks.create_task(former.published_to(broker))]
        said = [await next_status(client)]
        former.has_store.clear()
        former.asked.clear()
        publishing.append(tasks.create_task(present.published_to(broker)))
        said += [await next_status(client) for _ in range(2)]
        async with asyncio.timeout(PATIENCE_S):
            await former.asked.wait()
        assert former.connections == 1
        for each in publishing:
            each.cancel()
    assert [(each.status, each.tenure) for each in said] == [
        (Presence.ONLINE, 1),
        (Presence.OFFLINE, 1),
        (Presence.ONLINE, 2),
    ]


async def test_results_arrive_in_order_as_the_games_end(
    broker: ScriptedBroker, tmp_path: Path
) -> None:
    """Each game's, then the match's, on the topics of the server's name."""
    await broker.start()
    async with broker.subscribed() as client, arena(tmp_path, mqtt=broker.mqtt) as running:
        await running.match("ann", "bob", games=2)
        results = await collect(client, 3)
    assert [type(result) for result in results] == [GameResult, GameResult, MatchResult]
    assert [result.seq for result in results] == [1, 2, 3]


async def test_all_results_arrive_when_the_broker_starts_after_the_match(
    broker: ScriptedBroker, tmp_path: Path
) -> None:
    """The match is played as if nothing were missing, and no event comes under two ids."""
    async with arena(tmp_path, mqtt=broker.mqtt) as running:
        over = await running.match("ann", "bob", games=6)
        await broker.start()
        async with broker.subscribed() as client:
            results = await collect(client, 7)
    assert len({result.event_id for result in results}) == 7
    assert {result.game for result in results if isinstance(result, GameResult)} == {
        game for result in results if isinstance(result, MatchResult) for game in result.games
    }
    assert isinstance(results[-1], MatchResult)
    assert results[-1].score == over.score


async def test_what_a_former_server_could_not_publish_its_successor_does(
    broker: ScriptedBroker, tmp_path: Path
) -> None:
    """The outbox outlives the server."""
    async with arena(tmp_path, mqtt=Mqtt(private_broker=False)) as running:
        await running.match("ann", "bob")
    await broker.start()
    async with broker.subscribed() as client, arena(tmp_path, mqtt=broker.mqtt):
        assert [result.seq for result in await collect(client, 2)] == [1, 2]


async def test_nothing_is_lost_when_the_broker_restarts(
    broker: ScriptedBroker, tmp_path: Path
) -> None:
    """Results of games played meanwhile come afterwards."""
    await broker.start()
    async with arena(tmp_path, mqtt=broker.mqtt) as running:
        await running.match("ann", "bob")
        async with broker.subscribed() as client:
            await next_status(client)
        await broker.stop()
        await running.match("cyd", "dan")
        await broker.start()
        async with broker.subscribed() as client:
            results = await collect(client, 2)
    names = [
        {player.name for player in result.players}
        for result in results
        if isinstance(result, GameResult | MatchResult)
    ]
    assert names[-2:] == [{"cyd", "dan"}] * 2


async def test_moves_are_published_as_they_are_played_where_that_is_asked_for(
    broker: ScriptedBroker, tmp_path: Path
) -> None:
    """Every sowing comes on its game's topic, in order, and then the result that lists them."""
    await broker.start()
    mqtt = msgspec.structs.replace(broker.mqtt, live_moves=True)
    async with broker.subscribed() as client, arena(tmp_path, mqtt=mqtt) as running:
        await next_status(client)  # what is played before the broker is there is not live
        await running.match("ann", "bob")
        payloads: list[AnyPayload] = []
        while not any(isinstance(payload, MatchResult) for payload in payloads):
            payloads += await collect(client, 1)
    (result,) = (payload for payload in payloads if isinstance(payload, GameResult))
    moves = [payload for payload in payloads if isinstance(payload, LiveMove)]
    assert tuple(move.pit for move in moves) == result.moves
    assert [move.ply for move in moves] == list(range(result.plies))
    assert {move.game for move in moves} == {result.game}


async def test_moves_are_not_published_otherwise(broker: ScriptedBroker, tmp_path: Path) -> None:
    """By default the broker hears of results alone."""
    await broker.start()
    async with broker.subscribed() as client, arena(tmp_path, mqtt=broker.mqtt) as running:
        await next_status(client)
        await running.match("ann", "bob")
        assert isinstance((await collect(client, 1))[0], GameResult)


@asynccontextmanager
async def encrypted_broker(program: str, folder: Path, lines: str = "") -> AsyncIterator[int]:
    """Run a mosquitto that shows the certificate of the tests; gives its port."""
    port = free_port()
    config = folder / "mosquitto.conf"
    config.write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\nuser root\n"
        f"certfile {TLS}/first.pem\nkeyfile {TLS}/first.key\n{lines}"
    )
    process = await asyncio.create_subprocess_exec(
        program, "-c", str(config), stderr=asyncio.subprocess.DEVNULL
    )
    try:
        await until_open(port, program, process)
        yield port
    finally:
        process.terminate()
        await process.wait()


@pytest.mark.parametrize("named", ["mqtt", "tls"])
async def test_a_broker_behind_an_authority_of_ones_own_is_trusted_when_it_is_named(
    mosquitto: str, tmp_path: Path, named: str
) -> None:
    """The broker's certificate is checked against ``mqtt.ca``, or against ``tls.ca``."""
    authority = f"{TLS}/first.pem"
    async with encrypted_broker(mosquitto, tmp_path) as port:
        mqtt = Mqtt(url=f"mqtts://127.0.0.1:{port}", ca=authority if named == "mqtt" else None)
        tls = Tls(ca=authority if named == "tls" else None)
        trust = ssl.create_default_context(cafile=authority)
        async with aiomqtt.Client(
            "127.0.0.1", port, tls_context=trust, timeout=PATIENCE_S
        ) as client:
            await client.subscribe("#", qos=1)
            async with arena(tmp_path, mqtt=mqtt, tls=tls):
                assert (await next_status(client)).status is Presence.ONLINE


async def test_a_broker_that_asks_for_a_certificate_gets_the_one_that_is_named(
    mosquitto: str, tmp_path: Path
) -> None:
    """There was no way to name one, and the operator was asked for scheme and port."""
    ca, key = f"{TLS}/first.pem", f"{TLS}/first.key"
    asking = f"cafile {ca}\nrequire_certificate true\n"
    async with encrypted_broker(mosquitto, tmp_path, asking) as port:
        mqtt = Mqtt(url=f"mqtts://127.0.0.1:{port}", ca=ca)
        with pytest.raises(
            OSError, match=r"required\); does mqtt\.cert name a certificate it knows\?$"
        ):
            await not_read_back(Address.parse(str(mqtt.url), mqtt), ["results"])
        trust = ssl.create_default_context(cafile=ca)
        trust.load_cert_chain(ca, key)
        async with aiomqtt.Client(
            "127.0.0.1", port, tls_context=trust, timeout=PATIENCE_S
        ) as client:
            await client.subscribe("#", qos=1)
            async with arena(tmp_path, mqtt=msgspec.structs.replace(mqtt, cert=ca, key=key)):
                assert (await next_status(client)).status is Presence.ONLINE


async def test_the_retained_status_says_whether_the_server_is_there(
    broker: ScriptedBroker, tmp_path: Path
) -> None:
    """Online while it runs, offline when it has stopped."""
    await broker.start()
    async with broker.subscribed() as client:
        async with arena(tmp_path, mqtt=broker.mqtt):
            assert (await next_status(client)).status is Presence.ONLINE
        assert (await next_status(client)).status is Presence.OFFLINE
    async with broker.subscribed() as late:
        assert (await next_status(late)).status is Presence.OFFLINE, "it is retained"


KILLED = """
import asyncio, sys
from pathlib import Path
from mancala.server.app.server import Server
from mancala.server.config.settings import Mqtt
from tests.server.peers import settings

async def main():
    given = settings(Path(sys.argv[1]), mqtt=Mqtt(url=sys.argv[2]))
    async with Server(given, processes=True):
        await asyncio.Event().wait()

asyncio.run(main())
"""


async def test_the_last_will_of_a_killed_server_says_offline(
    broker: ScriptedBroker, tmp_path: Path
) -> None:
    """It is the game server that is killed: its publisher, a process of its own, is left alone."""
    await broker.start()
    async with broker.subscribed() as client:
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-c", KILLED, str(tmp_path), str(broker.mqtt.url)
        )
        try:
            online = await next_status(client)
            assert online.status is Presence.ONLINE
        finally:
            child.send_signal(signal.SIGKILL)
            await child.wait()
        will = await next_status(client)
        assert (will.status, will.since) == (Presence.OFFLINE, online.since)
