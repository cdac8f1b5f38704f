"""A front: what it passes on, and what waits in it."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest
from websockets.asyncio.client import ClientConnection

from mancala.server.config.settings import Config, Limits, LiveConfig
from mancala.server.fronts import wire
from mancala.server.fronts.process import FrontRelay, _adopt
from mancala.server.health.link import LocalLink, Said
from mancala.server.health.loop_lag import INTERVAL_S
from mancala.server.net.arrivals.segments import NO_SEGMENTS
from tests.patience import PATIENCE_S, connect
from tests.server.fakes import KeptLog

KIBIBYTE = bytes(1024)
WINDOW = wire.WINDOW // (1024 + wire.OVERHEAD) + 1
"""Messages of a kibibyte that go ahead: the last one ends beyond the window."""


@asynccontextmanager
async def relaying(limits: Limits) -> AsyncIterator[tuple[LocalLink, str]]:
    """Run a front; yield the server's end of its wire, and its URL."""
    log = KeptLog()
    ours, theirs = [await asyncio.open_connection(sock=each) for each in socket.socketpair()]
    server = LocalLink(*ours, log, "front", wire.ASKED)
    link = LocalLink(*theirs, log, "server", wire.TOLD)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        front = FrontRelay(LiveConfig(Config(limits=limits)), link, log, None)
        port = listening.getsockname()[1]
        adopting = partial(_adopt, [listening.detach()])
        serving = asyncio.create_task(front.serve(adopting, NO_SEGMENTS))
        async with asyncio.timeout(PATIENCE_S):
            await next_of(server, wire.UP)
            yield server, f"ws://127.0.0.1:{port}"
            server.close()
            await serving
        link.close()


async def next_of(server: LocalLink, topic: str) -> Said:
    said = await anext(server)
    while said.topic == wire.LATE != topic:  # this machine is busy
        said = await anext(server)
    assert said.topic == topic
    return said


async def heard(server: LocalLink, messages: int) -> list[wire.Heard]:
    found = list[wire.Heard]()
    while len(found) < messages:
        found += (await next_of(server, wire.HEARD)).body
    return found


@asynccontextmanager
async def opened(server: LocalLink, url: str) -> AsyncIterator[tuple[int, ClientConnection]]:
    async with connect(url, compression=None) as client:
        told = (await next_of(server, wire.OPENED)).body
        assert told.address == "127.0.0.1"
        yield told.number, client


async def test_a_front_reads_no_further_than_a_window_ahead_of_the_server() -> None:
    """What the server acknowledges makes room; a question of what has arrived is answered last."""
    async with relaying(Limits()) as (server, url), opened(server, url) as (number, client):
        sending = asyncio.create_task(send(client, 3 * WINDOW))
        ahead = await heard(server, WINDOW)
        server.tell(wire.CATCH_UP, 7)
        assert (await next_of(server, wire.CAUGHT_UP)).body == 7, "nothing else is told"
        assert len(ahead) == WINDOW
        size = sum(len(each.message) + wire.OVERHEAD for each in ahead)
        server.tell(wire.READ, wire.Handled(number, size))
        assert len(await heard(server, WINDOW)) == WINDOW
        server.tell(wire.READ, wire.Handled(number, size))
        await heard(server, WINDOW)
        server.tell(wire.READ, wire.Handled(number, size))
        await sending
        now = asyncio.get_running_loop().time()
        assert all(now - PATIENCE_S < each.read_at <= now for each in ahead)


async def send(client: ClientConnection, messages: int) -> None:
    for _ in range(messages):
        await client.send(KIBIBYTE)


async def test_a_connection_that_is_held_is_closed_by_the_servers_code_all_the_same() -> None:
    """It hears what was written before; the front tells of its end, and nothing else of it."""
    async with relaying(Limits()) as (server, url), opened(server, url) as (number, client):
        server.tell(wire.PLAYS, wire.Plays(number, plays=True))
        await send(client, WINDOW + 1)
        await heard(server, WINDOW)
        server.tell(wire.WRITE, [wire.Writing([number, 99], b"\x81\x02{}")])
        server.tell(wire.CLOSE, wire.Closing(number, 4001, "replaced"))
        assert await client.recv() == "{}"
        await client.wait_closed()
        assert client.close_code == 4001
        assert (await next_of(server, wire.CLOSED)).body == wire.Closed(number, None)


async def test_what_only_a_front_sees_is_paid_there() -> None:
    """It tells of a peer that floods it with pings, and reads no more of it."""
    limits = Limits(messages_per_s=1.0, messages_burst=1, flood_s=0.001)
    async with relaying(limits) as (server, url), opened(server, url) as (number, client):
        for _ in range(2000):
            client.transport.write(b"\x89\x80\0\0\0\0")
        assert (await next_of(server, wire.FLOODED)).body == number
        server.tell(wire.ABORT, number)


async def test_a_message_in_doubt_tells_how_long_the_front_was_held_up() -> None:
    """One with more data behind it; the newest data's arrival is known to the kernel."""
    async with relaying(Limits()) as (server, url), opened(server, url) as (_, client):
        await asyncio.sleep(2 * INTERVAL_S)
        client.transport.write(b"\x81\x82\0\0\0\0{}" * 2)
        time.sleep(3 * INTERVAL_S)  # noqa: ASYNC251  # the stall
        first, _ = await heard(server, 2)
        assert first.stall is not None
        assert first.stall.end - first.stall.due >= INTERVAL_S


async def test_a_front_whose_loop_is_late_says_so() -> None:
    """Until it is so no longer; meanwhile none of its bots begins a game."""
    async with relaying(Limits()) as (server, _):
        await asyncio.sleep(2 * INTERVAL_S)
        time.sleep(0.4)  # noqa: ASYNC251  # the stall
        assert (await next_of(server, wire.LATE)).body
        server.tell(wire.RELOAD, wire.settings_of(Config(limits=Limits(loop_lag_ms=60_000)), None))
        assert not (await next_of(server, wire.LATE)).body


async def test_a_message_is_paid_at_the_server_alone() -> None:
    """So a bot that answers hundreds of turns a second pays from their grants, and never rests."""
    limits = Limits(messages_per_s=1.0, messages_burst=1, flood_s=0.001)
    async with relaying(limits) as (server, url), opened(server, url) as (number, client):
        for _ in range(100):
            await client.send("{}")
            (said,) = await heard(server, 1)
            size = len(said.message) + wire.OVERHEAD
            server.tell(wire.READ, wire.Handled(number, size))


async def test_a_frame_that_is_none_is_the_fault_of_its_peer() -> None:
    """The server learns what was unreadable."""
    async with relaying(Limits()) as (server, url), opened(server, url) as (number, client):
        client.transport.write(b"\x83\x80\0\0\0\0")
        told = (await next_of(server, wire.CLOSED)).body
        assert told.number == number
        assert "invalid opcode" in told.fault


async def test_new_settings_and_the_end_of_accepting_are_taken_up() -> None:
    """Connections that are open go on."""
    async with relaying(Limits()) as (server, url), opened(server, url) as (number, client):
        config = Config(origins=("https://club.example",))
        server.tell(wire.RELOAD, wire.settings_of(config, None))
        server.tell(wire.PLAYS, wire.Plays(number, plays=True))
        server.tell(wire.CATCH_UP, 0)
        await next_of(server, wire.CAUGHT_UP)
        async with connect(url, compression=None, origin="https://club.example"):  # type: ignore[arg-type]
            await next_of(server, wire.OPENED)
        await next_of(server, wire.CLOSED)
        server.tell(wire.STOP)
        server.tell(wire.CATCH_UP, 1)
        await next_of(server, wire.CAUGHT_UP)
        with pytest.raises(OSError, match=r"[Cc]onnect|refused"):
            await connect(url)
        await client.send("{}")
        assert (await heard(server, 1))[0].message == b"{}"
        server.tell(wire.ABORT, number)
        await next_of(server, wire.CLOSED)
