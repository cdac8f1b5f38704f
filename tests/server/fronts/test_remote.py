"""A front on another machine, and what it may not do."""

import asyncio
import os
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from random import Random

import httpx
import pytest
from msgspec.structs import replace

from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import GameOver, MatchOver, Reason, Seek, Seeking, Turn
from mancala.server.app.server import Server
from mancala.server.config.settings import Config, ConfigError, Tls
from mancala.server.fronts import fronts, wire
from mancala.server.fronts.front import (
    FrontRefusedError,
    RemoteFront,
    RemoteRelay,
    ServerAddress,
    ServerClock,
)
from mancala.server.fronts.relayed import RelayedConnection
from mancala.server.fronts.remote import BUDGET, MOST_LINKS, MOST_OF_ONE, LinkGuard, RemoteFrontEnd
from mancala.server.fronts.wire import ClockReading, Heard
from mancala.server.health.backoff import backoff
from mancala.server.health.link import LocalLink
from mancala.server.model.timers import Stall
from mancala.server.net.arrivals.segments import NO_SEGMENTS
from tests.patience import PATIENCE_S, until
from tests.server.fakes import KeptLog
from tests.server.net.test_listener import TLS, certificate, copied, seen_certificate
from tests.server.peers import Arena, arena, seat_of

TOKEN = "of-the-front-in-the-east"  # noqa: S105  # of a test
TOKENS = {"east": TOKEN}
SITE = "2001:db8::1", "2001:db8::2:3:4"
SHORT = TimeControl(move_ms=1000)
NO_TLS = Tls()
WRONG = {"limits": {"connections": "many"}}


def front_of(
    *servers: str, token: str = TOKEN, tls: Tls = NO_TLS, host: str = "127.0.0.1"
) -> tuple[RemoteFront, "asyncio.Queue[str]"]:
    """Return a front that was not started, and the URLs at which bots may come to it."""
    urls = asyncio.Queue[str]()
    known = [ServerAddress.parse(each) for each in servers]
    config, uniform = Config(host=host, port=0, tls=tls), Random(1).uniform
    made = RemoteFront(config, known, token, log=KeptLog(), ready=urls.put_nowait, uniform=uniform)
    return made, urls


@asynccontextmanager
async def running(front: RemoteFront) -> AsyncIterator[None]:
    """Run a front until the end of the block."""
    task = asyncio.create_task(front.run(NO_SEGMENTS))
    try:
        yield
    finally:
        front.stop()
        await task


@asynccontextmanager
async def server_of_fronts(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[str]:
    """Yield the address of a server that does with each front what a test wants."""
    serving = set[asyncio.Future[None]]()

    def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving.add(asyncio.ensure_future(serve(reader, writer)))

    async with await asyncio.start_server(begin, "127.0.0.1", 0) as opened:
        yield f"tcp://127.0.0.1:{opened.sockets[0].getsockname()[1]}"
    await asyncio.gather(*serving, return_exceptions=True)


def address_of(server: Server) -> str:
    assert server.front_url is not None
    return server.front_url


@asynccontextmanager
async def a_server_after(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]], folder: Path
) -> AsyncIterator["asyncio.Queue[str]"]:
    """Run a front that knows a server which does what a test wants, and a real one after it.

    Yields the URLs at which bots may come to the front.
    """
    async with (
        arena(folder, front_port=0, front_tokens=TOKENS) as here,
        server_of_fronts(serve) as first,
    ):
        front, urls = front_of(first, address_of(here.server))
        async with running(front):
            yield urls


async def test_a_bot_plays_through_a_front_and_goes_on_elsewhere_when_that_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The link has TLS; the bot's clock stands until it is back, at the server's own port."""
    monkeypatch.setenv("SSL_CERT_FILE", str(TLS / "first.pem"))
    tls = certificate("first")
    async with arena(tmp_path, front_port=0, front_tokens=TOKENS, tls=tls) as here:
        stranger, _ = front_of(address_of(here.server), token="of-nobody-here")  # noqa: S106
        with pytest.raises(FrontRefusedError, match="no front has this token"):
            await stranger.run(NO_SEGMENTS)
        front, urls = front_of(address_of(here.server))
        async with running(front):
            ann = await Arena(await urls.get()).greet("ann")
            bob = await here.greet("bob")
            for peer in (ann, bob):
                await peer.say(Seek(clock=SHORT))
                await peer.hear(Seeking)
            turn = await ann.hear(Turn)
            assert isinstance(seat_of(here.server, "ann")._connection, RelayedConnection)
            assert not isinstance(seat_of(here.server, "bob")._connection, RelayedConnection)
        assert await ann.hear_close() == 1012
        table = here.server._sessions.tables.by_game[turn.game]
        await until(lambda: table._awaited)
        assert table._referee.flag_at is None, "its clock stands"
        back = await here.greet("ann", resume=ann.secret)
        await asyncio.gather(back.play_until(MatchOver), bob.play_until(MatchOver))
        assert bob.last(GameOver).reason is Reason.NORMAL


@pytest.mark.parametrize(("host", "shown"), [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")])
async def test_a_front_goes_on_with_the_next_server_at_the_same_port(
    tmp_path: Path, host: str, shown: str
) -> None:
    """The first one asks its bots to reconnect, and they find the second one there.

    A front that the server would take, and that is not
    there, is named to the organiser, and missing among those that are counted.
    """
    expect_address(host)
    given = {"front_port": 0, "front_host": host, "front_tokens": TOKENS, "health_port": 0}
    async with AsyncExitStack() as stack:
        second = await stack.enter_async_context(arena(tmp_path / "b", **given))
        async with AsyncExitStack() as ending:
            first = await ending.enter_async_context(arena(tmp_path / "a", **given))
            known = address_of(first.server), address_of(second.server)
            front, urls = front_of(*known, host=host)
            await stack.enter_async_context(running(front))
            url = await urls.get()
            assert url.startswith(f"ws://{shown}:")
            ann = await Arena(url).greet("ann")
            assert first.server._sessions.directory.find("ann") is not None
            assert await counted(first.server) == (1, 1, 1)
            await ending.aclose()
        assert await ann.hear_close() == 1012
        assert await urls.get() == url
        back = await Arena(url).greet("ann")
        assert second.server._sessions.directory.find("ann") is not None
        away = "fronts on other machines that are away: east"
        assert away not in second.server._findings
        second.server.reload(replace(second.server.config, front_tokens={"east": TOKEN[::-1]}))
        assert await back.hear_close() == 1012, "its token is gone"
        assert away in second.server._findings
        assert await counted(second.server) == (0, 0, 1)


def expect_address(host: str) -> None:
    """Skip a test on a machine without IPv6, but not in CI."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        socket.create_server((host, 0), family=family).close()
    except OSError as error:
        if os.environ.get("MANCALA_SKIP_NOTHING"):
            raise
        pytest.skip(f"{host}: {error.strerror}")


async def counted(server: Server) -> tuple[int, int, int]:
    """Return how many fronts on other machines `/readyz` has, and the metrics: up, and wanted."""
    async with httpx.AsyncClient(base_url=str(server.health_url), timeout=PATIENCE_S) as http:
        ready, metrics = await http.get("/readyz"), (await http.get("/metrics")).text
    up, wanted = re.findall(r"^mancala_remote_fronts_\w+ (\d+)", metrics, re.MULTILINE)
    return len(ready.json()["remote_fronts_s"]), int(up), int(wanted)


def links_of(server: Server) -> dict[str, RemoteFrontEnd]:
    assert server._remote is not None
    return server._remote._fronts


@asynccontextmanager
async def linked(server: Server) -> AsyncIterator[tuple[LocalLink, RemoteFrontEnd]]:
    """Yield the end of a front that says what a test wants, and the server's."""
    address = ServerAddress.parse(address_of(server))
    reader, writer = await asyncio.open_connection(address.host, address.port)
    writer.write(codec.to_json(wire.FrontHello(TOKEN)) + b"\n")
    welcome = codec.from_json(await reader.readline(), wire.FrontWelcome)
    assert set(welcome.settings) == set(wire.PUBLIC)
    link = LocalLink(reader, writer, KeptLog(), "server", wire.TOLD_TO_FAR)
    try:
        yield link, links_of(server)["east"]
    finally:
        link.abort()


async def test_a_front_is_trusted_with_no_more_than_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It names no address of the server's machine, no other time, and keeps no flag up.

    Addresses of IPv6 pay by their network.
    """
    monkeypatch.setattr(wire, "SILENT_S", 2)
    async with arena(tmp_path, front_port=0, front_tokens=TOKENS) as here:
        now = asyncio.get_running_loop().time
        async with linked(here.server) as (link, front):
            own, others = ("127.0.0.2", "::ffff:127.0.0.2", "::1"), ("192.0.2.7", *SITE)
            for number, told in enumerate((*own, *others)):
                link.tell(wire.OPENED, wire.Opened(number, told))
            await until(lambda: len(front._connections) == 6)
            seen = [each.address for each in front._connections.values()]
            assert seen == ["127.0.0.1"] * 3 + [*others]
            paid = [each.meter._address for each in front._connections.values()]
            assert len(set(map(id, paid))) == 3, "the server's machine, an address, a site"
        at = now()
        for lie in (
            Heard(1, b"{}", at - 3, 0.0),
            Heard(1, b"{}", at + 600, 0.0),
            Heard(1, b"{}", at, 0.0, None, at, Stall(at, at, at + 600)),
            Heard(1, b"{}", at, -1.0),
        ):
            async with linked(here.server) as (link, _):
                link.tell(wire.OPENED, wire.Opened(1, "192.0.2.7"))
                link.tell(wire.HEARD, [lie])
                link.tell(wire.CLOCK, 0.0)
                assert wire.CLOCK not in [said.topic async for said in link], "it is ended"
        async with linked(here.server) as (link, front):
            called = asyncio.Event()
            front.hear_out(called.set)
            telling = asyncio.create_task(tell_the_time(link))
            await called.wait()
            telling.cancel()
            await until(lambda: not links_of(here.server))
        async with linked(here.server) as (link, front):
            front._budget.take(BUDGET + 2e9, now())
            link.tell(wire.CLOCK, 7.0)
            link.tell(wire.CLOCK, 8.0)
            assert (await anext(link)).body.asked_at == 7.0
            async for said in link:
                assert said.topic != wire.CLOCK, "it is not read on, and dropped in the end"


async def test_a_front_takes_up_no_memory_and_no_turns_of_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that asks and never reads is dropped, and one that says too much in a line."""
    monkeypatch.setattr(fronts, "MOST_UNREAD", 1024)
    async with arena(tmp_path, front_port=0, front_tokens=TOKENS) as here:
        async with linked(here.server) as (link, _):
            link._reader._transport.pause_reading()  # type: ignore[attr-defined]  # a peer that is stuck
            end = link._writer.get_extra_info("socket")
            end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # the kernel grants megabytes
            while links_of(here.server):
                link.tell(wire.CLOCK, 0.0)
                await asyncio.sleep(0)
        async with linked(here.server) as (link, _):
            link.tell(wire.HEARD, [Heard(1, b"", 0.0, 0.0)] * (wire.MOST_HEARD + 1))
            await until(lambda: not links_of(here.server))


async def test_links_that_end_soon_are_not_renewed_in_a_loop(tmp_path: Path) -> None:
    """Two fronts with one token end each other's link; the server's log says so."""
    async with arena(tmp_path, front_port=0, front_tokens=TOKENS) as here:
        front, urls = front_of(address_of(here.server))
        drawn = list[float]()

        def uniform(low: float, high: float) -> float:
            drawn.append(low)
            return high

        front._delays = partial(backoff, uniform)
        async with running(front):
            await urls.get()
            assert not drawn
            async with linked(here.server):
                await until(lambda: drawn)
            await urls.get()


async def test_a_server_that_welcomes_with_settings_of_a_wrong_type_is_passed_over(
    tmp_path: Path,
) -> None:
    """The front ended with a traceback."""

    async def welcome(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(codec.to_json(wire.FrontWelcome(settings=WRONG)) + b"\n")
        writer.close()

    async with a_server_after(welcome, tmp_path) as urls:
        assert await urls.get()


async def test_two_addresses_of_one_server_are_one_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each dropped the link by the other one, for ever; one that is given twice is asked once."""
    monkeypatch.setattr("mancala.server.fronts.front.NEXT_SERVER_S", PATIENCE_S)
    async with arena(tmp_path, front_port=0, front_tokens=TOKENS) as here:
        known = address_of(here.server)
        front, urls = front_of(known, known, known.replace("127.0.0.1", "localhost"))
        welcomed, asked = front._welcomed, list[str]()

        async def ask(server: ServerAddress) -> tuple[LocalLink, RemoteRelay]:
            asked.append(str(server))
            return await welcomed(server)

        monkeypatch.setattr(front, "_welcomed", ask)
        async with running(front):
            await urls.get()
            assert asked == [known]


async def test_a_server_that_refuses_a_front_leaves_it_to_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is asked as soon as the first has refused; only where all refuse does the front end."""
    monkeypatch.setattr("mancala.server.fronts.front.NEXT_SERVER_S", PATIENCE_S)
    others = {"east": TOKEN[::-1]}
    async with (
        arena(tmp_path / "a", front_port=0, front_tokens=others) as refusing,
        arena(tmp_path / "b", front_port=0, front_tokens=TOKENS) as here,
    ):
        known = [address_of(each.server) for each in (refusing, here)]
        front, urls = front_of(*known)
        welcomed, refused = front._welcomed, asyncio.Event()

        async def ask(server: ServerAddress) -> tuple[LocalLink, RemoteRelay]:
            if str(server) == known[1]:
                await refused.wait()
            try:
                return await welcomed(server)
            finally:
                refused.set()

        monkeypatch.setattr(front, "_welcomed", ask)
        async with asyncio.timeout(PATIENCE_S), running(front):
            assert await urls.get()
        here.server.reload(replace(here.server.config, front_tokens=others))
        front, _ = front_of(*known)
        with pytest.raises(FrontRefusedError, match="no front has this token"):
            await front.run(NO_SEGMENTS)


async def test_a_server_that_answers_nothing_does_not_hold_up_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a host was cut off, its front asked that for five seconds before each next server."""
    monkeypatch.setattr("mancala.server.fronts.front.CONNECT_S", None)  # for ever
    monkeypatch.setattr("mancala.server.fronts.front.NEXT_SERVER_S", 0.01)
    mute = asyncio.Event()

    async def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()
        mute.set()

    async with a_server_after(hear, tmp_path) as urls:
        assert await urls.get()
        await mute.wait()


async def test_a_server_that_says_nothing_more_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """The front asks for one again."""
    monkeypatch.setattr("mancala.server.fronts.front.SERVER_SILENT_S", 1)
    lost = asyncio.Event()

    async def welcome(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        told = wire.FrontWelcome(settings=wire.public_settings(Config()))
        writer.write(codec.to_json(told) + b"\n")
        with suppress(OSError):
            await reader.read()
        writer.close()
        lost.set()

    async with server_of_fronts(welcome) as silent:
        made, urls = front_of(silent)
        async with running(made):
            await urls.get()
            await lost.wait()
            await urls.get()


async def test_a_server_that_reloads_settings_of_a_wrong_type_is_left(tmp_path: Path) -> None:
    """The front ended with a traceback; it comes again."""
    async with arena(tmp_path, front_port=0, front_tokens=TOKENS) as here:
        front, urls = front_of(address_of(here.server))
        async with running(front):
            url = await urls.get()
            links_of(here.server)["east"].tell(wire.RELOAD, WRONG)
            assert await urls.get() == url


async def test_a_front_takes_up_a_renewed_certificate(tmp_path: Path) -> None:
    """Bots that come later see it; files that do not belong together change nothing."""
    own, files = copied(tmp_path)
    async with arena(tmp_path, front_port=0, front_tokens=TOKENS) as here:
        front, urls = front_of(address_of(here.server), tls=own)
        async with running(front):
            url = await urls.get()
            files[0].write_bytes((TLS / "renewed.pem").read_bytes())
            front.renew_certificate()
            await seen_certificate(url, "first")
            files[1].write_bytes((TLS / "renewed.key").read_bytes())
            front.renew_certificate()
            await seen_certificate(url, "renewed")


async def tell_the_time(link: LocalLink) -> None:
    while True:
        link.tell(wire.CLOCK, 0.0)
        await asyncio.sleep(0.1)


async def test_a_stranger_cannot_fill_the_port_of_fronts() -> None:
    """Few connections of a network are open, few are opened in a second, and few in all."""
    guard = LinkGuard()
    one = [guard.admits(f"2001:db8::{number}") for number in range(MOST_OF_ONE + 1)]
    assert one == [True] * MOST_OF_ONE + [False]
    others = [guard.admits(f"192.0.2.{number}") for number in range(MOST_LINKS)]
    assert sum(others) == MOST_LINKS - MOST_OF_ONE
    guard.closed("2001:db8::1")
    assert not guard.admits("2001:db8::2"), "nor open many in a moment"
    later = guard._now() + 60
    guard._now = lambda: later
    seen = [guard.admits(f"2001:db8::{number}") for number in range(2)]
    assert seen == [True, False], "nor ever have more"
    guard.closed("192.0.2.1")
    assert not guard.admits("2001:db8::2"), "though there is room"
    assert guard.admits("198.51.100.1")


def test_a_front_tells_the_servers_time_and_never_one_that_was_earlier() -> None:
    """Its clock is 100 s behind; of a round trip of 0.5 s and one of 8 the first one counts."""
    clock = ServerClock()
    clock.note(ClockReading(10.0, 114.0), 18.0)
    clock.note(ClockReading(20.0, 120.25), 20.5)
    told = clock.shifted(Heard(1, b"", 30.0, 7.0, 28.0, 29.0, Stall(27.0, 28.0, 29.0)))
    assert told == Heard(1, b"", 130.25, 507.0, 128.25, 129.25, Stall(127.25, 128.25, 129.25))
    clock.note(ClockReading(40.0, 140.1), 40.25)
    assert clock.shifted(Heard(2, b"", 30.0, 7.0)).read_at == 130.25, "none is before the last one"


def test_a_front_takes_up_settings_that_it_knows() -> None:
    """Its server may be of a later version."""
    told = {"hosts": ["a"], "limits": {"connections": 7, "new": 1}, "newer": 2}
    config = wire.taken_up(Config(port=1), told)
    assert (config.port, config.hosts, config.limits.connections) == (1, ("a",), 7)
    with pytest.raises(codec.DecodeError):
        wire.taken_up(Config(), WRONG)


@pytest.mark.parametrize(
    "server",
    ["tcp://192.0.2.1:8770", "ws://localhost:8770", "tls://host", "tls://host:0", "tls://["],
)
def test_the_way_to_another_machine_is_encrypted(server: str) -> None:
    """An address names the port of fronts, and TLS unless it is this machine."""
    with pytest.raises(ConfigError):
        ServerAddress.parse(server)
