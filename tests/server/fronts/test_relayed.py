"""The server's end of a front: what it takes from one, and what it does not."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest

from mancala.protocol import codec
from mancala.protocol.messages import VERSION, Hello
from mancala.server.config.settings import Config, Limits, LiveConfig
from mancala.server.fronts import fronts, wire
from mancala.server.fronts.fronts import Fronts
from mancala.server.fronts.relayed import RelayedConnection
from mancala.server.fronts.wire import Heard
from mancala.server.health.link import LocalLink
from mancala.server.model.timers import Stall
from mancala.server.net.arrivals.arrival import Arrival
from mancala.server.net.handshake import ConnectionOptions
from mancala.server.net.limits.gate import Door, Gate
from mancala.server.net.seat import Seat, SocketSeat
from tests.patience import PATIENCE_S, until
from tests.server.fakes import KeptLog

ADDRESS = "192.0.2.1"
HELD_UP = Stall(2.0, 2.05, 5.0)


class FrontDouble:
    """The far end of the wire, which says what a test wants, and a server that counts messages."""

    def __init__(self, limits: Limits = Limits()) -> None:  # noqa: B008  # frozen
        self.log = KeptLog()
        self.heard: list[bytes] = []
        self.arrivals: list[tuple[Arrival, Arrival]] = []
        self.connections: list[RelayedConnection] = []
        self.listening: list[asyncio.Future[None]] = []
        live, loop = LiveConfig(Config(fronts=2, limits=limits)), asyncio.get_running_loop()
        self.gate = Gate(live)
        self.fronts = Fronts(live, self.log, max, lambda work, _name: loop.create_task(work))
        self.fronts._guard = Door(self.gate, 30.0, loop.time)
        options = ConnectionOptions(max_size=1024, handshake_s=PATIENCE_S)
        self.fronts._make = partial(RelayedConnection, self.gate, {}, self._open, options=options)

    def _open(self, connection: RelayedConnection) -> None:
        self.connections.append(connection)

        def hear(message: bytes) -> None:
            now = connection.loop.time()
            self.heard.append(message)
            self.arrivals.append((connection.read_at(now), connection.arrival(now)))
            if message == b"fault":
                raise RuntimeError(message)

        self.listening.append(asyncio.ensure_future(connection.listen(hear)))

    @asynccontextmanager
    async def running(self) -> AsyncIterator[tuple[LocalLink, asyncio.Task[None]]]:
        """Run the server's end; yield the front's, and the task of the server's."""
        ours, theirs = [await asyncio.open_connection(sock=each) for each in socket.socketpair()]
        link = LocalLink(*theirs, self.log, "server", wire.TOLD)
        taken = LocalLink(*ours, self.log, "front", wire.ASKED)
        async with asyncio.timeout(PATIENCE_S):
            task = asyncio.create_task(self.fronts._converse(taken))
            yield link, task
            link.close()
            await task
        taken.close()


def opened(link: LocalLink, number: int = 1, address: str = ADDRESS) -> None:
    link.tell(wire.OPENED, wire.Opened(number, address))


async def test_a_message_counts_from_its_arrival_at_the_front() -> None:
    """When it was read, and where that was late, the bounds that the kernel knew there."""
    front = FrontDouble()
    async with front.running() as (link, _):
        opened(link)
        held_up = Heard(1, b"b", 5.0, 9.0, None, 3.0, HELD_UP)
        link.tell(wire.HEARD, [Heard(1, b"a", 1.0, 7.0), held_up])
        link.tell(wire.HEARD, [Heard(1, b"c", 1e12, 9.0)])
        await until(lambda: len(front.heard) == 3)
        assert front.arrivals[0] == (Arrival.at(1.0), Arrival.at(1.0))
        assert front.arrivals[1] == (Arrival.at(5.0), Arrival(float("-inf"), 3.0, HELD_UP))
        assert front.arrivals[2][0].latest <= front.connections[0].loop.time(), "not in the future"
        assert front.connections[0].lag_s == 0.009


@pytest.mark.parametrize(
    ("address", "number"), [("own", 1), ("", 1), ("localhost", 1), (ADDRESS, 7)]
)
async def test_a_front_that_names_no_address_or_a_connection_twice_is_replaced(
    address: str, number: int
) -> None:
    """Nor can it call a stranger one of the server's own programs; what it has told is over."""
    front = FrontDouble()
    async with front.running() as (link, task):
        opened(link, 7)
        opened(link, number, address)
        await task
    assert [each["event"] for each in front.log.warnings] == ["a front breaks the wire"]
    assert [each.is_excused for each in front.connections] == [True]
    assert front.gate._open == 0


@pytest.mark.parametrize("line", [b'{"topic":"heard","body":[[1]]}', b"{", b"\xff\xff"])
async def test_a_front_whose_lines_are_no_messages_is_replaced(line: bytes) -> None:
    """The connections that it held are lost without a fault of theirs."""
    front = FrontDouble()
    async with front.running() as (link, task):
        opened(link)
        await until(lambda: front.connections)
        link._writer.write(line + b"\n")
        await task
    assert front.connections[0].is_excused
    assert [each["event"] for each in front.log.warnings] == ["cannot read a line"]


async def test_connections_of_a_late_front_are_held_up() -> None:
    """Until it says that it is late no longer; meanwhile the operator is warned."""
    front = FrontDouble()
    async with front.running() as (link, _):
        opened(link)
        await until(lambda: front.connections)
        link.tell(wire.LATE, body=True)
        await until(lambda: front.connections[0].is_held_up)
        assert [each["event"] for each in front.log.warnings] == ["a front is late"]
        assert [each.partition(";")[0] for each in front.fronts.noticed] == [
            "fronts whose event loop is late: 1 of 1"
        ]
        link.tell(wire.LATE, body=False)
        await until(lambda: not front.connections[0].is_held_up)
        assert not front.fronts.noticed


async def test_a_message_of_the_past_is_none() -> None:
    """A front may not date a message back, before the last one of its connection."""
    front = FrontDouble()
    async with front.running() as (link, task):
        opened(link)
        link.tell(wire.HEARD, [Heard(1, b"a", 2.0, 0.0), Heard(1, b"b", 1.0, 0.0)])
        await task
    assert front.heard == [b"a"]
    assert [each["event"] for each in front.log.warnings] == ["a front breaks the wire"]


async def test_a_peer_that_has_overdrawn_its_budget_waits_at_its_front() -> None:
    """A front that tells more ahead than a window is replaced."""
    front = FrontDouble(Limits(messages_per_s=1.0, messages_burst=10))
    async with front.running() as (link, task):
        opened(link)
        for number in range(2 * wire.WINDOW // wire.OVERHEAD):
            link.tell(wire.HEARD, [Heard(1, b"%d" % number, 0.0, 0.0)])
        await task
    assert len(front.heard) < 100
    assert [each["event"] for each in front.log.warnings] == ["a front breaks the wire"]


async def test_what_was_handled_is_acknowledged() -> None:
    """After half a window, so that honest bots hardly cost a line."""
    front = FrontDouble()
    async with front.running() as (link, _):
        opened(link)
        link.tell(wire.HEARD, [Heard(1, bytes(4096), 0.0, 0.0)] * 2)
        said = await anext(link)
        assert (said.topic, said.body) == (wire.READ, wire.Handled(1, 2 * (4096 + 64)))


async def test_a_fault_in_handling_a_message_ends_its_connection_alone() -> None:
    """As it does where the server holds the sockets."""
    front = FrontDouble()
    faults = list[Any]()
    asyncio.get_running_loop().set_exception_handler(lambda _loop, fault: faults.append(fault))
    async with front.running() as (link, _):
        opened(link, 1)
        opened(link, 2)
        link.tell(wire.HEARD, [Heard(1, b"fault", 0.0, 0.0), Heard(2, b"next", 0.0, 0.0)])
        await until(lambda: front.heard == [b"fault", b"next"])
        said = await anext(link)
        assert (said.topic, said.body.number, said.body.code) == (wire.CLOSE, 1, 1011)
    assert len(faults) == 1


async def test_frames_for_several_connections_go_once() -> None:
    """A game that two hundred spectators watch is one frame on the wire."""
    front = FrontDouble()
    async with front.running() as (link, _):
        opened(link, 1)
        opened(link, 2)
        await until(lambda: len(front.connections) == 2)
        frames = b"\x81\x02{}"
        for connection in front.connections:
            connection.send_frames(frames)
            connection.flush()
        assert (await anext(link)).body == [wire.Writing([1, 2], frames)]


async def test_a_front_is_up_from_its_first_word_on() -> None:
    """One that starts, or never comes so far, is not counted."""
    front = FrontDouble()
    async with front.running() as (link, _):
        await until(lambda: front.fronts._running)
        assert not front.fronts.ages_s
        link.tell(wire.UP)
        await until(lambda: front.fronts.ages_s)
    assert not front.fronts.ages_s


async def test_an_address_over_the_limits_is_dropped_at_its_front() -> None:
    """The guard counts over all fronts, and learns of each end."""
    front = FrontDouble(Limits(address_per_s=1.0, address_burst=1))
    async with front.running() as (link, _):
        opened(link, 1)
        opened(link, 2)
        assert (await anext(link))[:2] == (wire.ABORT, 2)
        assert front.gate._open == 1
        link.tell(wire.CLOSED, wire.Closed(1, "an unreadable frame"))
        await until(lambda: not front.gate._open)
        assert front.connections[0].fault == "an unreadable frame"
        assert not front.connections[0].is_excused


async def test_a_fault_in_cutting_off_a_flood_ends_its_connection_alone() -> None:
    """The front is served on."""
    front = FrontDouble()
    faults = list[Any]()
    asyncio.get_running_loop().set_exception_handler(lambda _loop, fault: faults.append(fault))
    async with front.running() as (link, _):
        opened(link, 1)
        await until(lambda: front.connections)
        front.connections[0].on_flood(_fail)
        link.tell(wire.FLOODED, 1)
        said = await anext(link)
        assert (said.topic, said.body.number, said.body.code) == (wire.CLOSE, 1, 1011)
        opened(link, 2)
        await until(lambda: len(front.connections) == 2)
    assert [str(each["exception"]) for each in faults] == ["fault"]


def _fail() -> None:
    raise RuntimeError("fault")


async def test_a_flag_falls_after_all_that_had_arrived_was_heard() -> None:
    """Its player's front says so, and no other one is waited for; one that is gone is not."""
    front = FrontDouble()
    done, faults = list[str](), list[Any]()
    asyncio.get_running_loop().set_exception_handler(lambda _loop, fault: faults.append(fault))
    async with front.running() as (link, task), front.running() as (stuck, _):
        opened(link)
        await until(lambda: front.connections)
        opened(stuck)
        await until(lambda: len(front.connections) == 2)
        listening = front.listening[0]
        connection, held = front.connections
        held.hear_out(lambda: done.append("held"))
        connection.hear_out(_fail)
        connection.hear_out(lambda: done.append("one"))
        connection.hear_out(lambda: done.append("two"))
        said = await anext(link)
        assert said.topic == wire.CATCH_UP
        assert not done
        link.tell(wire.CAUGHT_UP, said.body)
        await until(lambda: done == ["one", "two"])
        connection.hear_out(lambda: done.append(f"gone, and noted: {listening.done()}"))
        await anext(link)
        connection.hear_out(lambda: done.append("gone, and not asked"))
        link.close()
        await task
        connection.hear_out(lambda: done.append("gone before"))
        await until(lambda: len(done) == 5)
        assert done[2:] == ["gone, and noted: True", "gone, and not asked", "gone before"]
    assert [str(each["exception"]) for each in faults] == ["fault"]


async def test_a_front_that_reads_nothing_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the server keeps for it is bounded."""
    monkeypatch.setattr(fronts, "MOST_UNREAD", 1024)
    front = FrontDouble()
    async with front.running() as (link, task):
        opened(link)
        await until(lambda: front.connections)
        front.connections[0].send_frames(bytes(4 * 1024 * 1024))
        front.connections[0].flush()
        await task
    assert front.connections[0].is_excused


async def test_a_hello_that_waits_in_a_front_is_heard_before_the_time_for_it_is_over() -> None:
    """A server that was late closed bots for which their front had a hello all the while."""
    front, said = FrontDouble(), []

    class Handler:
        def on_message(self, _seat: Seat, message: object) -> None:
            said.append(message)

        def on_close(self, _seat: Seat) -> None:
            said.append("closed")

        def on_violation(self, *_facts: object) -> None:
            said.append("broke the protocol")

    def sit(connection: RelayedConnection) -> None:
        seat = SocketSeat(connection, Handler(), Limits(handshake_s=0.001), {})
        front.listening.append(asyncio.ensure_future(seat.run()))

    options = ConnectionOptions(max_size=1024, handshake_s=PATIENCE_S)
    front.fronts._make = partial(RelayedConnection, front.gate, {}, sit, options=options)
    async with front.running() as (link, _):
        opened(link)
        asked = await anext(link)
        assert asked.topic == wire.CATCH_UP
        hello = Hello(VERSION, "ann")
        link.tell(wire.HEARD, [Heard(1, codec.encode(hello), 1.0, 1.0)])
        link.tell(wire.CAUGHT_UP, asked.body)
        link.tell(wire.CLOSED, wire.Closed(1, None))
        await until(lambda: "closed" in said)
    assert said == [hello, "closed"]
