"""What a broker does not accept is put aside, and published once it does: by real brokers."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import repeat
from pathlib import Path
from typing import Any

import aiomqtt
import httpx
import pytest

from mancala.protocol.results import Topics
from mancala.server.app.server import Server
from mancala.server.config.settings import Mqtt
from mancala.server.model.journal import ENDED, OutboxRow
from mancala.server.model.schemas.status import Delivery
from mancala.server.publish import read_back
from mancala.server.publish.client import PublishingClient
from mancala.server.publish.publisher import RETRY_S, Publisher
from mancala.server.publish.tries import Tries
from tests.drills.ports import free_port
from tests.node import skip
from tests.patience import PATIENCE_S
from tests.server.peers import Arena, settings
from tests.server.publish.doubles import KeptOutbox, QuietConnection, publisher_of
from tests.simulate.loop import VirtualLoop, run
from tests.world.brokers import broker as broker_of
from tests.world.programs import ForeignProgram, find

PREFIX = "mancala/test"


def outbox_of(*levels: str) -> KeptOutbox:
    rows = (
        OutboxRow(seq, f"{PREFIX}/{each}", str(seq), is_retained=False)
        for seq, each in enumerate(levels, 1)
    )
    return KeptOutbox({row.seq: row for row in rows})


def mosquitto_with(program: str, folder: Path, *rights: str) -> ForeignProgram:
    port = free_port()
    grant(folder, *rights)
    (folder / "conf").write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\nuser root\nacl_file {folder}/acl\n"
    )
    return ForeignProgram((program, "-c", str(folder / "conf")), port, folder / "mosquitto.log")


def grant(folder: Path, *rights: str) -> None:
    (folder / "acl").write_text("".join(f"topic {each}\n" for each in rights))


def nats(folder: Path) -> ForeignProgram:
    """Return a NATS server that speaks MQTT, not started yet."""
    if find("nats-server") is None:
        skip("nats-server is not installed")
    return broker_of("NATS", folder)


def of_311(*arguments: Any, **options: Any) -> PublishingClient:  # noqa: ANN401  # as the class is called
    options["protocol"] = aiomqtt.ProtocolVersion.V311
    return PublishingClient(*arguments, **options)


@asynccontextmanager
async def publishing(
    broker: ForeignProgram, outbox: KeptOutbox, client: Callable[..., Any] = PublishingClient
) -> AsyncIterator[tuple[Publisher, list[bool]]]:
    connections: list[bool] = []

    def note(away: str | None) -> None:
        if connections[-1:] != [away is None]:
            connections.append(away is None)

    options: dict[str, Any] = {"port": broker.port, "delays": lambda: repeat(0.01)}
    publisher = publisher_of(outbox, client, PREFIX, on_connection=note, **options)
    task = asyncio.create_task(publisher.run())
    try:
        yield publisher, connections
    finally:
        publisher.stop()
        await asyncio.wait({task}, timeout=PATIENCE_S)
        assert task.done()


async def arrivals(broker: ForeignProgram, count: int) -> list[tuple[str, bytes]]:
    async with asyncio.timeout(PATIENCE_S), consumer(broker) as client:
        return [await arrival(client) for _ in range(count)]


async def arrival(client: aiomqtt.Client) -> tuple[str, bytes]:
    message = await anext(client.messages)
    assert isinstance(message.payload, bytes)
    return message.topic.value.removeprefix(f"{PREFIX}/"), message.payload


def consumer(broker: ForeignProgram) -> aiomqtt.Client:
    return aiomqtt.Client(
        "127.0.0.1", broker.port, identifier="consumer", clean_session=False, timeout=PATIENCE_S
    )


async def subscribe(broker: ForeignProgram) -> None:
    """Subscribe to results for :func:`arrivals`."""
    async with consumer(broker) as client:
        await client.subscribe([(f"{PREFIX}/games/#", 1), (f"{PREFIX}/ladders/#", 1)])


async def test_a_refused_row_is_put_aside_and_published_when_it_is_allowed(
    mosquitto: str, tmp_path: Path
) -> None:
    """Under its number, by the next reload; what is allowed meanwhile is published in order."""
    outbox = outbox_of("ladders/a/games", "games/1/result", "ladders/a/games", "games/2/result")
    rights = (f"write {PREFIX}/status", f"write {PREFIX}/games/#", f"read {PREFIX}/#")
    async with mosquitto_with(mosquitto, tmp_path, *rights) as broker:
        await subscribe(broker)
        async with publishing(broker, outbox) as (publisher, connections):
            await outbox.until(published=2, aside=2)
            assert {row.refused for row in outbox.aside.values()} == {"Not authorized (0x87)"}
            assert publisher.delivery is Delivery.CONFIRMED
            grant(tmp_path, "readwrite #")
            await broker.reload(signal.SIGHUP)
            while outbox.aside:
                publisher.retry()
                outbox.changed.clear()
                await outbox.changed.wait()
            assert connections == [True]
        assert await arrivals(broker, 4) == [
            *(("games/1/result", b"2"), ("games/2/result", b"4")),
            *(("ladders/a/games", b"1"), ("ladders/a/games", b"3")),
        ]


async def test_a_refused_row_is_tried_after_each_connection(mosquitto: str, tmp_path: Path) -> None:
    """A broker that was started again with other rights gets it."""
    outbox = outbox_of("games/1/result")
    async with (
        mosquitto_with(mosquitto, tmp_path, f"write {PREFIX}/status") as broker,
        publishing(broker, outbox) as (_, connections),
    ):
        await outbox.until(published=0, aside=1)
        await outbox.until_refused(2)  # a try under way would count as what ended the connection
        await broker.stop()
        grant(tmp_path, "readwrite #")
        await broker.start()
        await outbox.until(published=1, aside=0)
    assert connections == [True, False, True]


class RefusingConnection(QuietConnection):
    """A connection to a broker that takes the status alone."""

    window = 1

    def __init__(self) -> None:
        self.asked = set[float]()

    def deliver(self, topic: str, *_: object, **_options: object) -> asyncio.Future[Any]:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()
        is_taken = topic == Topics(PREFIX).status
        if not is_taken:
            self.asked.add(loop.time())
        answer.set_result(None if is_taken else "Not authorized")
        return answer


def test_what_was_put_aside_is_tried_each_hour() -> None:
    """Though nothing else happens: a broker whose rights were mended gets it."""

    async def hours(loop: VirtualLoop) -> list[float]:
        began, broker = loop.time(), RefusingConnection()
        nowhere = ForeignProgram((), 0, Path())
        async with publishing(nowhere, outbox_of("a"), lambda *_, **_options: broker):
            await asyncio.sleep(2.5 * RETRY_S)
        return sorted(round((at - began) / RETRY_S, 3) for at in broker.asked)

    assert run(hours, VirtualLoop) == [0, 1, 2]


async def test_a_row_that_ends_connections_is_put_aside_and_stops_nothing(tmp_path: Path) -> None:
    """NATS closes on a dot; its neighbours arrive in order, and the broker counts as connected."""
    levels = [f"games/{number}/result" for number in range(150)]
    levels[40] = levels[90] = levels[91] = "ladders/main.v2/games"
    outbox = outbox_of(*levels)
    async with nats(tmp_path) as broker:
        await subscribe(broker)
        async with publishing(broker, outbox) as (publisher, connections):
            await outbox.until(published=147, aside=3)
            assert sorted(outbox.aside) == [41, 91, 92]
            assert all(str(row.refused).startswith(ENDED) for row in outbox.aside.values())
            assert connections == [True]
            assert publisher.delivery is Delivery.READ_BACK
            publisher.retry()
            late = OutboxRow(200, f"{PREFIX}/games/200/result", "200", is_retained=False)
            outbox.waiting[200] = late
            publisher.wake()
            await outbox.until(published=148, aside=3)
        numbers = [int(payload) for _, payload in await arrivals(broker, 148)]
    assert numbers == sorted(numbers) == outbox.published


@pytest.mark.parametrize(
    ("right", "delivery"), [("readwrite", Delivery.READ_BACK), ("write", Delivery.UNVERIFIED)]
)
async def test_under_an_old_mqtt_payloads_are_read_back(
    mosquitto: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, right: str, delivery: Delivery
) -> None:
    """Where the publisher may not read it cannot tell what arrived, and says so.

    What came back from a broker says nothing of it once it was started again.
    """
    if delivery is Delivery.UNVERIFIED:
        monkeypatch.setattr(read_back, "PATIENCE_S", 0.01)
    outbox = outbox_of("games/1/result", "games/2/result", "ladders/a/games")
    async with (
        mosquitto_with(mosquitto, tmp_path, f"{right} {PREFIX}/#") as broker,
        publishing(broker, outbox, of_311) as (publisher, _),
    ):
        await outbox.until(published=3, aside=0)
        assert publisher.delivery is delivery
        await broker.stop()
        monkeypatch.setattr(read_back, "PATIENCE_S", 0.2)
        grant(tmp_path, f"readwrite {PREFIX}/status", f"write {PREFIX}/games/#")
        row = OutboxRow(4, f"{PREFIX}/games/4/result", "4", is_retained=False)
        outbox.waiting[row.seq] = row
        await broker.start()
        await outbox.until(published=4, aside=0)
        assert publisher.delivery is Delivery.UNVERIFIED


async def test_what_a_stranger_retained_on_our_topics_stops_nothing(
    mosquitto: str, tmp_path: Path
) -> None:
    """Under an old MQTT it comes before what is read back; results waited for good."""
    outbox = outbox_of("games/1/result")
    async with mosquitto_with(mosquitto, tmp_path, f"readwrite {PREFIX}/#") as broker:
        async with aiomqtt.Client("127.0.0.1", broker.port, timeout=PATIENCE_S) as stranger:
            await stranger.publish(f"{PREFIX}/status", bytes(100_000), qos=1, retain=True)
        async with publishing(broker, outbox, of_311) as (publisher, _):
            await outbox.until(published=1, aside=0)
            assert publisher.delivery is Delivery.UNVERIFIED


class SlowBroker(QuietConnection):
    """A connection whose broker acknowledges nothing before a number of payloads has come."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._pending: list[asyncio.Future[None]] = []

    def deliver(self, _topic: str, _payload: str, *, retain: bool) -> asyncio.Future[None]:
        """Publish; the status is acknowledged immediately."""
        answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pending.append(answer)
        if retain or len(self._pending) == self._count:
            for each in self._pending:
                each.set_result(None)
            self._pending = []
        return answer


async def test_a_hundred_rows_are_under_way_together() -> None:
    """So a distant broker takes a hundred in a round trip; it took one."""
    outbox = outbox_of(*(f"games/{number}/result" for number in range(300)))
    broker = ForeignProgram((), 0, Path("/dev/null"))
    async with publishing(broker, outbox, lambda *_, **_options: SlowBroker(100)):
        await outbox.until(published=300, aside=0)
    assert outbox.published == [*range(1, 301)]


async def test_a_server_shows_what_its_broker_refuses(mosquitto: str, tmp_path: Path) -> None:
    """How many payloads, since when and why: in its readiness, metrics and status; until a reload.

    Its publisher runs in a process of its own.
    """
    rights = f"write {PREFIX}/status", f"write {PREFIX}/matches/#"
    async with AsyncExitStack() as stack:
        broker = await stack.enter_async_context(mosquitto_with(mosquitto, tmp_path, *rights))
        mqtt = Mqtt(url=f"mqtt://127.0.0.1:{broker.port}", client_id="arena")
        given = settings(tmp_path, mqtt=mqtt, health_port=0)
        server = await stack.enter_async_context(Server(given, processes=True))
        running = Arena(server.url, server)
        await running.match("ann", "bob", games=2)
        http = httpx.AsyncClient(base_url=str(server.health_url), timeout=PATIENCE_S)
        await stack.enter_async_context(http)
        ready = await until_aside(http, 2)
        assert (ready["broker"], ready["delivery"]) == ("connected", "confirmed")
        assert ready["put_aside_why"] == "Not authorized (0x87)"
        assert ready["put_aside_topic"].endswith("/result")
        metrics = (await http.get("/metrics")).text
        assert 'mancala_outbox_put_aside{why="Not authorized (0x87)"} 2.0' in metrics
        status = (await http.get("/status.json")).json()
        assert (status["put_aside"], status["unpublished"]) == (2, 2)
        assert "Not authorized (0x87)" in (await http.get("/status")).text
        grant(tmp_path, "write #")
        await broker.reload(signal.SIGHUP)
        assert (await until_aside(http, 0, server))["put_aside_since"] is None
        assert "mancala_outbox_put_aside{" not in (await http.get("/metrics")).text
        for peer in running.peers:
            await peer.hang_up()
        await broker.stop()
        async with asyncio.timeout(PATIENCE_S):
            while "no broker listens there" not in str(
                (await http.get("/readyz")).json()["findings"]
            ):
                pass


async def until_aside(
    http: httpx.AsyncClient, count: int, reloaded: Server | None = None
) -> dict[str, Any]:
    """Return a server's readiness once N rows are put aside; it may be reloaded meanwhile."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            ready: dict[str, Any] = (await http.get("/readyz")).json()
            if ready["put_aside"] == count:
                return ready
            if reloaded is not None:
                reloaded.reload(reloaded.config)


def test_a_round_of_tries_has_all_rows_wherever_the_last_one_ended() -> None:
    """Those before the row that ended it come last; then there is nothing to try."""
    tries = Tries()
    rows = [OutboxRow(seq, f"{PREFIX}/{seq}", "", is_retained=False) for seq in (1, 2, 3)]
    tries.begin()
    tries.under_way(rows)
    tries.note_end(rows[1])
    tries.begin()
    assert tries.last == 2
    tries.end()
    assert (tries.is_due, tries.last) == (True, 0)
    tries.end()
    assert not tries.is_due


@pytest.mark.parametrize(("refused", "left"), [((), [2]), ((1,), [])])
def test_rows_follow_the_first_one_of_their_topic_if_that_is_taken(
    refused: tuple[int, ...], left: list[int]
) -> None:
    """None is sent twice in a round of tries, and none before one of its topic that was first."""
    tries = Tries()
    rows = [OutboxRow(seq, f"{PREFIX}/{seq // 3}", "", is_retained=False) for seq in (1, 2, 3)]
    tries.begin()
    tries.under_way(rows)
    firsts = tries.firsts_of(rows)
    assert [row.seq for row in firsts] == [1, 3]
    tries.note(firsts, refused)
    assert [row.seq for row in rows if tries.is_wanted(row)] == left
