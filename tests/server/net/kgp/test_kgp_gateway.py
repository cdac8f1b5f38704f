"""The gateway's ports, with the stock clients' habits on the other side."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace
from websockets import CloseCode
from websockets.exceptions import InvalidStatus

from mancala.protocol.clock import TimeControl
from mancala.server.app.server import Server
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config, Kgp, Limits, LiveConfig, Mqtt
from mancala.server.health.log import Log, NullLog
from mancala.server.net.connection_port import ConnectionPort
from mancala.server.net.handshake import ConnectionOptions
from mancala.server.net.kgp.kgp_gateway import LineConnection
from mancala.server.net.limits.gate import Gate
from mancala.server.net.listening import guarded_ports
from tests.drills.quirks import Habits, QuirkKind, QuirkPlayers
from tests.patience import PATIENCE_S, connect
from tests.seeds import seed
from tests.server.peers import kgp_of


@asynccontextmanager
async def serving(
    *,
    move_ms: int = 60_000,
    connections: int = 16,
    ladder: LadderSettings | None = None,
    limits: Limits = Limits(),  # noqa: B008  # frozen
    claim_names: bool = False,
    claims_a_day: int = 20,
    log: Log | None = None,
) -> AsyncIterator[Server]:
    """A server of the test's own with both ports of the gateway open."""
    config = Config(
        port=0,
        store=":memory:",
        clock=TimeControl(move_ms=move_ms),
        drain_s=0.0,
        mqtt=Mqtt(private_broker=False),
        ladder=(ladder,) if ladder is not None else (),
        kgp=Kgp(
            tcp_port=0,
            ws_port=0,
            connections=connections,
            claim_names=claim_names,
            claims_a_day=claims_a_day,
            ladder=str(ladder.name) if ladder is not None else None,
        ),
        limits=limits,
    )
    async with asyncio.timeout(PATIENCE_S), Server(config, log=log or NullLog()) as server:
        yield server


def players_of(server: Server) -> QuirkPlayers:
    return QuirkPlayers(kgp_of(server).tcp_port, kgp_of(server).ws_port, seed())


class NameLog(NullLog):
    """Keeps the names that events are about."""

    def __init__(self) -> None:
        self._noted: list[tuple[str, object]] = []

    def info(self, event: str, **facts: object) -> None:
        self._noted.append((event, facts.get("name")))

    def of(self, event: str) -> list[object]:
        return [name for noted, name in self._noted if noted == event]


async def _greeted(server: Server, name: str, token: str) -> str:
    """Return the answer to a client with a token, which then leaves."""
    telnet = await Telnet.open(server)
    hello = f'set info:name "{name}"\nset auth:token "{token}"\n5 mode freeplay\n'
    await telnet.say(hello.encode())
    line = (await telnet.line()).strip()
    await telnet.say(b"7 goodbye\n")
    async for _ in telnet.rest():
        pass
    telnet.close()
    return line


@asynccontextmanager
async def streaming(server: Server, name: str) -> AsyncIterator[asyncio.StreamReader]:
    """Run a client that writes without a pause, in a process of its own; yield what it prints."""
    module = ("-m", "tests.server.net.kgp_streamer", str(kgp_of(server).tcp_port), name)
    client = await asyncio.create_subprocess_exec(
        sys.executable, *module, stdout=asyncio.subprocess.PIPE
    )
    assert client.stdout is not None
    try:
        yield client.stdout
    finally:
        if client.returncode is None:
            client.kill()
        await client.wait()


class Telnet:
    """A person, or a script, at the TCP port."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, server: Server) -> Telnet:
        telnet = cls(*await asyncio.open_connection("127.0.0.1", kgp_of(server).tcp_port))
        assert (await telnet.line()).endswith("kgp 1 0 1\r\n")
        return telnet

    async def say(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def line(self) -> str:
        return (await self._reader.readline()).decode()

    async def rest(self) -> AsyncIterator[str]:
        while line := await self.line():
            yield line

    def close(self) -> None:
        self._writer.close()


@pytest.mark.parametrize("transport", ["tcp", "ws"])
@pytest.mark.parametrize("kind", list(QuirkKind))
async def test_clients_of_every_kind_play_game_after_game(kind: QuirkKind, transport: str) -> None:
    """None hangs, none dies, every game ends by the rules."""
    async with serving() as server:
        players = players_of(server)
        playing = [players.join(Habits(kind, f"{kind}-{n}"), transport) for n in range(2)]
        await players.results(8)
        assert not any(task.done() for task in playing)
        assert not any(client.is_wedged or client.errors for client in players.clients)
        endings = {result.split()[-1] for client in players.clients for result in client.results}
        assert endings == {"normal"}
    await asyncio.gather(*playing)


async def test_clients_on_both_ports_meet_each_other() -> None:
    """One lobby for all."""
    async with serving() as server:
        players = players_of(server)
        players.join(Habits(QuirkKind.PYTHON, "over-tcp"), "tcp")
        players.join(Habits(QuirkKind.JAVA, "over-ws"), "ws")
        await players.results(4)


async def test_clients_join_the_ladder_that_the_gateway_is_for() -> None:
    """They ask for nothing, and are paired again and again."""
    async with serving(ladder=LadderSettings(name="main", patience_s=0.05)) as server:
        players = players_of(server)
        for n, transport in enumerate(("tcp", "ws", "tcp")):
            players.join(Habits(QuirkKind.JAVA, f"java-{n}"), transport)
        await players.results(8)
        assert not any(client.errors for client in players.clients)


async def test_clients_that_come_after_a_reload_join_the_ladder_that_it_names() -> None:
    """By the limit of clients and of tokens that it names, too; the ports stay."""
    ladders = LadderSettings(name="main"), LadderSettings(name="other", patience_s=0.05)
    async with serving(ladder=ladders[0]) as server:
        kgp = replace(server.config.kgp, ladder="other", connections=3, claim_names=True)
        found = server.reload(replace(server.config, ladder=ladders, kgp=kgp))
        assert found.wait == ()
        assert "ok" in await _greeted(server, "ada", "my-own-token")
        players = players_of(server)
        for n in range(2):
            players.join(Habits(QuirkKind.JAVA, f"java-{n}"), "tcp")
        await players.results(2)
        assert server.target.sessions.ladders.all_ladders[1].state.has_games


async def test_a_client_that_a_ladder_refuses_is_told_why_and_sent_away() -> None:
    """It would wait for ever."""
    async with serving(ladder=LadderSettings(name="main", guests=False)) as server:
        players = players_of(server)
        await players.join(Habits(QuirkKind.JAVA, "guest"), "tcp")
        (client,) = players.clients
        assert len(client.errors) == 1


async def test_a_client_that_hangs_for_ever_is_named_and_the_other_plays_on() -> None:
    """It streams moves until stopped, is killed while it writes, and says nothing any more."""
    async with serving(move_ms=100) as server:
        players = players_of(server)
        hanging = players.join(Habits(QuirkKind.PYTHON, "hanging", moves=None), "tcp")
        players.join(Habits(QuirkKind.KGPC, "steady"), "tcp")
        await hanging
        stuck = next(client for client in players.clients if client.is_wedged)
        steady = next(client for client in players.clients if client is not stuck)
        while not (steady.results and steady.results[-1].endswith("wedged")):
            await players.results(1)
        assert steady.results[-1].startswith("won")
        players.join(Habits(QuirkKind.KGPC, "next"), "tcp")
        await players.results(3)


@pytest.mark.parametrize("transport", ["tcp", "ws"])
async def test_clients_that_stream_moves_play_on(transport: str) -> None:
    """They never yield; their last move counts, and no game waits for a flag."""
    async with serving() as server:
        players = players_of(server)
        for n in range(2):
            players.join(Habits(QuirkKind.KGPC, f"streaming-{n}", moves=None), transport)
        await players.results(2)
        assert not any(client.errors for client in players.clients)
        assert {client.results[0].split()[-1] for client in players.clients} == {"normal"}


async def test_a_client_that_writes_faster_than_it_is_read_plays_on_and_delays_no_other() -> None:
    """Each question ends after some moves, and what it wrote since then is skipped."""
    async with serving(limits=Limits(messages_burst=100_000)) as server:
        players = players_of(server)
        async with streaming(server, "fast") as results:
            for n in range(2):
                players.join(Habits(QuirkKind.KGPC, f"steady-{n}"), "tcp")
            assert (await results.readline()).endswith(b'normal"\n')
            await players.results(4)
        assert not any(client.errors for client in players.clients)


async def test_a_name_is_bound_to_the_first_token_that_comes_with_it() -> None:
    """From then on the name needs it; a client without it reads why, and the log has it, too."""
    log = NameLog()
    async with serving(claim_names=True, log=log) as server:
        said = [await _greeted(server, "ada", token) for token in ("my-own-token", "another-one")]
        said.append(await _greeted(server, "ada", "my-own-token"))
        said.append(await _greeted(server, "bob", "short"))
    assert [line.split(" ", 1)[1] for line in said] == [
        "ok",
        'error "that is not the token of ada"',
        "ok",
        'error "a token of your own has at least 8 characters"',
    ]
    assert log.of("name bound") == ["ada"]
    assert log.of("login refused") == ["ada", "bob"]


async def test_the_clients_of_an_address_bind_as_many_names_a_day_as_the_settings_say() -> None:
    """One beyond plays as a guest; its name is not bound."""
    log = NameLog()
    async with serving(claim_names=True, claims_a_day=1, log=log) as server:
        for name in ("ada", "bob"):
            assert (await _greeted(server, name, "my-own-token")).endswith(" ok")
    assert log.of("name bound") == ["ada"]


async def test_tokens_bind_no_names_unless_the_organiser_wants_it() -> None:
    """The client reads what it may do instead."""
    async with serving() as server:
        line = await _greeted(server, "ada", "my-own-token")
    assert "no token was issued for ada; without one it may log in as a guest" in line


async def test_noise_on_one_connection_disturbs_no_other() -> None:
    """Bytes that are no text, endless lines, a second mode: the game beside them goes on."""
    async with serving() as server:
        players = players_of(server)
        for n in range(2):
            players.join(Habits(QuirkKind.PYTHON, f"steady-{n}"), "tcp")
        telnet = await Telnet.open(server)
        await telnet.say(b"\xff\xfe\x00\x01\r\n" + b"x" * 100_000 + b"\r\n\r\n")
        assert "error" in await telnet.line()
        assert "error" in await telnet.line()
        await telnet.say(b"1 mode verify\n3 mode freeplay\n")
        said = [await telnet.line() for _ in range(3)]
        assert ["@1 ok" in said[0], "problem" in said[1], "@3 error" in said[2]] == [True] * 3
        telnet.close()
        await players.results(4)


async def test_no_page_of_another_host_plays_in_its_visitors_name() -> None:
    """Neither over a websocket nor with lines in the body of a request; a port's own page does."""
    async with serving() as server:
        url = f"ws://127.0.0.1:{kgp_of(server).ws_port}/socket"
        with pytest.raises(InvalidStatus, match="403"):
            await connect(url, origin="https://elsewhere.example")  # type: ignore[arg-type]  # any text is an origin
        telnet = await Telnet.open(server)
        await telnet.say(b"POST / HTTP/1.1\r\nHost: arena\r\n\r\n1 mode freeplay\r\n")
        assert "this port speaks no HTTP" in await telnet.line()
        assert "goodbye" in await telnet.line()
        telnet.close()


async def test_a_frame_may_hold_several_lines_and_be_binary() -> None:
    """What comes is split at line ends; each answer is a frame of its own that ends with one."""
    async with serving() as server:
        url = f"ws://127.0.0.1:{kgp_of(server).ws_port}/socket"
        async with connect(url, origin="http://127.0.0.1") as client:  # type: ignore[arg-type]  # any text is an origin
            assert str(await client.recv()).endswith("kgp 1 0 1\r\n")
            await client.send("1 ping\r\n3 ping\n\n5 ping")
            await client.send(b"7 ping\r\n")
            pongs = [str(await client.recv()) for _ in range(4)]
        assert [pong.split(" ", 1)[0].partition("@")[2] for pong in pongs] == ["1", "3", "5", "7"]
        assert all(pong.endswith(" pong\r\n") and pong.count("\n") == 1 for pong in pongs)


async def test_a_command_may_come_in_pieces_as_the_client_in_go_sends_it() -> None:
    """A number alone begins one; from there on only line ends end a command."""
    async with serving() as server:
        url = f"ws://127.0.0.1:{kgp_of(server).ws_port}/socket"
        async with connect(url) as client:
            await client.recv()
            for piece in ("3", " ping", "\r\n", "5", " ", "ping", "\r\n", "7 ping\r\n"):
                await client.send(piece)
            pongs = [str(await client.recv()) for _ in range(3)]
        assert [pong.split(" ", 1)[0].partition("@")[2] for pong in pongs] == ["3", "5", "7"]


async def test_two_clients_of_one_name_are_two_guests() -> None:
    """The stock examples all come with the same name."""
    async with serving() as server:
        players = players_of(server)
        for _ in range(2):
            players.join(Habits(QuirkKind.JAVA, "example"), "tcp")
        await players.results(2)
        assert not any(client.errors for client in players.clients)


async def test_a_guest_that_comes_again_has_its_name() -> None:
    """A number is put behind its name only while another one of that name is there."""
    log = NameLog()
    async with serving(log=log) as server:
        for _ in range(2):
            assert "ok" in await _greeted(server, "ada", "")
    assert log.of("welcome") == ["ada", "ada"]


async def test_a_client_too_many_is_told_so_and_closed() -> None:
    """One string, goodbye, and the end; those who are here notice nothing."""
    async with serving(connections=1) as server:
        first = await Telnet.open(server)
        reader, writer = await asyncio.open_connection("127.0.0.1", kgp_of(server).tcp_port)
        said = (await reader.read()).decode().splitlines()
        writer.close()
        assert ["error" in said[0], "goodbye" in said[1], len(said)] == [True, True, 2]
        await first.say(b"1 ping\n")
        assert "pong" in await first.line()
        first.close()


async def test_behind_a_trusted_proxy_each_client_has_limits_of_its_own() -> None:
    """The proxy names them before their first line; one address is full, another gets in."""
    limits = Limits(connections_per_address=1, proxies=("127.0.0.1/32",))

    async def come_from(address: str) -> Telnet:
        port = kgp_of(server).tcp_port
        telnet = Telnet(*await asyncio.open_connection("127.0.0.1", port))
        await telnet.say(f"PROXY TCP4 {address} 192.0.2.9 4711 {port}\r\n".encode())
        return telnet

    async with serving(limits=limits) as server:
        clients = [await come_from(address) for address in ("192.0.2.1", "192.0.2.2")]
        for client in clients:
            assert (await client.line()).endswith("kgp 1 0 1\r\n")
        third = await come_from("192.0.2.1")
        assert "error" in await third.line()
        for client in (*clients, third):
            client.close()


@pytest.mark.parametrize("line", [b"ok\n", b"1 ping\n"])
async def test_a_client_that_floods_is_told_so_and_closed(line: bytes) -> None:
    """Over TCP, whatever its lines say."""
    limits = Limits(messages_per_s=1, messages_burst=5, flood_s=1e-6)
    async with serving(limits=limits) as server:
        telnet = await Telnet.open(server)
        await telnet.say(line * 200)
        said = [text async for text in telnet.rest()]
        telnet.close()
        assert "budget" in said[-2]
        assert "goodbye" in said[-1]


async def test_a_client_that_floods_a_websocket_is_told_so_and_closed() -> None:
    """One frame of many lines is as many lines."""
    limits = Limits(messages_per_s=1, messages_burst=5, flood_s=1e-6)
    async with serving(limits=limits) as server:
        url = f"ws://127.0.0.1:{kgp_of(server).ws_port}"
        async with connect(url) as client:
            await client.send("ok\n" * 200)
            said = [str(frame) async for frame in client]
        assert "budget" in said[-2]
        assert "goodbye" in said[-1]


async def test_clients_that_reset_their_connection_leave_nothing_behind() -> None:
    """However early: each is forgotten, and the next is served."""
    async with serving() as server:
        for _ in range(20):
            _, writer = await asyncio.open_connection("127.0.0.1", kgp_of(server).tcp_port)
            writer.transport.abort()
        telnet = await Telnet.open(server)
        await telnet.say(b"1 ping\n")
        assert "pong" in await telnet.line()
        telnet.close()


async def test_a_client_past_its_budget_is_heard_to_the_end() -> None:
    """It waits for its answers, and gets each of them."""
    async with serving(limits=Limits(messages_per_s=500, messages_burst=5)) as server:
        telnet = await Telnet.open(server)
        await telnet.say(b"1 ping\n" * 400)
        for _ in range(400):
            assert "pong" in await telnet.line()
        telnet.close()


async def test_a_server_that_stops_says_goodbye_and_hangs_up() -> None:
    """Stock clients never hang up of their own accord."""
    async with serving() as server:
        telnet = await Telnet.open(server)
        await telnet.say(b'1 set info:name "ada"\n3 mode freeplay\n')
        assert "@3 ok" in await telnet.line()
    assert "goodbye" in await telnet.line()
    assert not await telnet.line()
    telnet.close()


async def test_a_client_that_says_goodbye_is_hung_up_on() -> None:
    """The connection ends from this side."""
    async with serving() as server:
        telnet = await Telnet.open(server)
        await telnet.say(b"1 goodbye\n")
        assert not await telnet.line()
        telnet.close()


async def test_a_reader_that_lets_too_much_pile_up_is_cut_off() -> None:
    """What waits for one connection is bounded."""
    done = asyncio.Event()

    async def flood(connection: LineConnection) -> None:
        connection.outgoing_bytes = 1000
        connection.write(["x" * 30_000_000])
        assert connection.transport.is_closing()
        connection.write(["and nothing more"])
        done.set()

    options = ConnectionOptions(max_size=1, handshake_s=PATIENCE_S)
    gate = Gate(LiveConfig(Config()))
    listening = ConnectionPort(flood, gate, None, guarded_ports, LineConnection, options)
    async with asyncio.timeout(PATIENCE_S):
        number = await listening.open("port", "127.0.0.1", 0)
        _, writer = await asyncio.open_connection("127.0.0.1", number)
        await done.wait()
        writer.close()
        await listening.close(CloseCode.SERVICE_RESTART)
