"""A bot on a Kalah Game Protocol server that says what the test tells it to."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import cast

import pytest
from websockets.asyncio.server import ServerConnection, serve

from mancala.bot.client.bot import Bot, Choose, Game, GameResult, Turn
from mancala.bot.client.errors import (
    ConnectionFailedError,
    PlayerFailedError,
    RefusedError,
    ServerFaultError,
    WrongCallError,
)
from mancala.bot.kgp import client
from mancala.bot.kgp.client import run
from mancala.protocol.kgp.client import GameVerdict, Introduction, KgpResult
from mancala.protocol.kgp.lines import Command, parse
from mancala.protocol.messages import Info
from mancala.protocol.player import Choice, PlayerError
from tests.patience import PATIENCE_S

ME = Introduction(name="ada")
START = "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>"
LATER = "<6,1,2,4,4,0,5,5,5,4,4,4,0,5,5>"

Script = Callable[["FarSide"], Awaitable[None]]


class FarSide:
    """The server's end."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def say(self, *lines: str) -> None:
        self._writer.write("".join(f"{line}\r\n" for line in lines).encode())
        await self._writer.drain()

    async def hear(self) -> Command:
        return parse((await self._reader.readline()).decode())

    async def hear_final(self) -> list[Command]:
        """Read up to the yield; without comments."""
        heard = [await self.hear()]
        while heard[-1].name != "yield":
            heard.append(await self.hear())
        return [command for command in heard if command.name != "set"]

    async def greet(self) -> None:
        await self.say("0 kgp 1 0 1")
        while (await self.hear()).name != "mode":
            pass

    async def is_left(self) -> bool:
        return (await self.hear()).name == "goodbye" and not await self._reader.read()


@asynccontextmanager
async def far_side(script: Script) -> AsyncIterator[str]:
    failures: list[BaseException] = []
    done = asyncio.Event()

    async def follow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await script(FarSide(reader, writer))
        except Exception as error:  # noqa: BLE001  # handed to the test
            failures.append(error)
        finally:
            writer.close()
            done.set()

    listener = await asyncio.start_server(follow, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield f"tcp://127.0.0.1:{port}"
            await done.wait()
    finally:
        listener.close()
    assert not failures, failures


async def first(turn: Turn) -> int:
    return turn.legal[0]


async def met(
    script: Script,
    player: Bot | Choose = first,
    *,
    games: int | None = None,
    think_s: float = 5.0,
    stop: asyncio.Event | None = None,
) -> list[KgpResult]:
    async def greets(server: FarSide) -> None:
        await server.greet()
        await script(server)

    async with far_side(greets) as url:
        return await run(url, player, ME, games=games, think_s=think_s, stop=stop)


async def test_a_player_for_the_address_is_refused_as_run_refuses_it() -> None:
    """It was an AttributeError."""
    why = "^the address comes first, as a text; this is a function$"
    with pytest.raises(WrongCallError, match=why):
        await run(cast("str", first), first, ME)


class KgpListener(Bot):
    """Plays the last pit and notes what it hears of games."""

    def __init__(self) -> None:
        self.games: list[Game] = []
        self.results: list[GameResult] = []

    async def choose(self, turn: Turn) -> Choice:
        turn.offer(turn.legal[0])
        await asyncio.sleep(0)
        return Choice(turn.legal[-1], Info(depth=3, value=1.5))

    def game_started(self, game: Game) -> None:
        self.games.append(game)

    def game_over(self, result: GameResult) -> None:
        self.results.append(result)


async def test_a_bot_names_better_and_better_moves_and_then_yields() -> None:
    """Offers are moves, the answer is the last one; pits are counted from 1."""

    async def script(server: FarSide) -> None:
        await server.say('2 set game:id "g1"', f"4 state {START}")
        *moves, end = await server.hear_final()
        assert [move.arguments for move in moves] == [(1,), (6,), (6,)]
        assert end.ref == moves[0].ref == 4
        await server.say("6@4 stop", 'set arena:result "won 30 18 normal"')
        assert await server.is_left()

    bot = KgpListener()
    results = await met(script, bot, games=1)
    assert results == [KgpResult("g1", "", GameVerdict.WON, (30, 18), "normal", 1)]
    assert [game.id for game in bot.games] == ["g1"]
    assert [result.won for result in bot.results] == [True]


async def test_a_move_that_came_too_early_is_said_again_before_the_yield() -> None:
    """A server that takes the yield without a move would pick one.

    The stock one says so by an error, or drops the move, so it comes once more with the yield.
    """

    async def script(server: FarSide) -> None:
        await server.say(f"4 state {START}")
        move = await server.hear()
        await server.say(f'6@{move.id} error "No state associated with id"')
        again, last, end = [await server.hear() for _ in range(3)]
        assert [each.name for each in (move, again, last, end)] == ["move", "move", "move", "yield"]
        assert again.arguments == last.arguments == move.arguments
        assert again.ref == last.ref == end.ref == 4
        await server.say("8@4 stop", "goodbye")

    await met(script)


async def test_nothing_waits_to_be_said_on_a_connection_that_broke(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A ``yield`` that waits ends with it, also where an error ends it."""
    monkeypatch.setattr(client, "SETTLED_S", 99.5)
    loop, handles = asyncio.get_running_loop(), list[asyncio.TimerHandle]()
    call_later = loop.call_later

    def noted(delay: float, call: Callable[..., object], *arguments: object) -> asyncio.TimerHandle:
        handle = call_later(delay, call, *arguments)
        handles.extend([handle] * (delay == client.SETTLED_S))
        return handle

    monkeypatch.setattr(loop, "call_later", noted)

    async def script(server: FarSide) -> None:
        await server.say(f"4 state {START}")
        await server.hear()
        await server.say("6 kgp 2 0 0")

    with pytest.raises(ServerFaultError, match="version 2"):
        await met(script)
    assert [handle.cancelled() for handle in handles] == [True]


async def test_what_the_bot_thinks_goes_along_as_a_comment() -> None:
    """Spectators of that server see depth and value."""

    async def script(server: FarSide) -> None:
        await server.say(f"4 state {START}")
        heard = [await server.hear() for _ in range(5)]
        assert [command.name for command in heard] == ["move", "move", "set", "move", "yield"]
        assert heard[2].arguments == ("info:comment", "depth 3, value 1.5")
        await server.say("goodbye")

    await met(script, KgpListener())


async def test_a_stop_ends_the_thinking_and_nothing_is_said_after_it() -> None:
    """The question is closed, and the bot's answer is dropped."""
    is_cancelled = asyncio.Event()

    async def slow(turn: Turn) -> int:
        turn.offer(turn.legal[2])
        try:
            await asyncio.Event().wait()
        finally:
            is_cancelled.set()
        return 0

    async def script(server: FarSide) -> None:
        await server.say(f"4 state {START}")
        assert (await server.hear()).arguments == (3,)
        await server.say("6@4 stop")
        await is_cancelled.wait()
        await server.say("8 ping")
        assert (await server.hear()).name == "pong"
        await server.say("goodbye")

    await met(script, slow)


async def test_the_time_told_is_the_time_to_think() -> None:
    """A deadline in ms, seconds a move, or a bank of which one move takes a share."""
    budgets: list[float] = []

    async def note(turn: Turn) -> int:
        budgets.append(turn.budget_s)
        return turn.legal[0]

    async def script(server: FarSide) -> None:
        hints = ("set time:clock 3000", "set arena:deadline 400000", 'set time:mode "absolute"')
        for number, hint in enumerate(("set info:x 1", *hints)):
            await server.say(hint, f"{2 * number + 2} state {START}")
            await server.hear_final()
        await server.say("goodbye")

    await met(script, note, think_s=9000.0)
    untold, seconds, milliseconds, bank = budgets
    assert 8500 < untold <= 9000
    assert 2500 < seconds <= 3000
    assert 300 < milliseconds <= 400
    assert bank < 100


async def test_a_bot_without_an_answer_yields_and_plays_on() -> None:
    """The protocol knows no resigning; the server picks."""

    async def lost(_turn: Turn) -> int:
        raise PlayerError

    async def script(server: FarSide) -> None:
        for number in (4, 6):
            await server.say(f"{number} state {START}")
            (end,) = await server.hear_final()
            assert end.ref == number
        await server.say("goodbye")

    await met(script, lost)


async def test_a_bot_leaves_after_the_running_game_when_told_to_stop() -> None:
    """If the server does not say that a game ended, the next game's first position shows it."""
    stop = asyncio.Event()

    async def script(server: FarSide) -> None:
        await server.say(f"4 state {LATER}")
        await server.hear_final()
        stop.set()
        await server.say(f"6 state {START}")
        assert await server.is_left()

    results = await met(script, stop=stop)
    assert [result.verdict for result in results] == [GameVerdict.UNKNOWN]


async def test_an_idle_bot_that_is_told_to_stop_leaves_at_once() -> None:
    """Without a running game the bot leaves immediately."""
    stop = asyncio.Event()

    async def script(server: FarSide) -> None:
        stop.set()
        assert await server.is_left()

    assert await met(script, stop=stop) == []


async def test_a_lost_connection_ends_the_running_game_unknown() -> None:
    """There is no coming back in this protocol."""

    async def script(server: FarSide) -> None:
        await server.say(f"4 state {START}")
        await server.hear_final()

    results = await met(script)
    assert [result.verdict for result in results] == [GameVerdict.UNKNOWN]


async def test_who_is_turned_away_hears_why() -> None:
    """An error before the first question is the server's reason."""

    async def script(server: FarSide) -> None:
        await server.say('2 error "no such token"', "4 goodbye")

    with pytest.raises(RefusedError, match="no such token"):
        await met(script)


@pytest.mark.parametrize("greeting", ["kgp 2 0 0", "220 mail ready", ""])
async def test_a_server_of_another_protocol_is_named_as_one(greeting: str) -> None:
    """A later version, another protocol, or no greeting."""

    async def script(server: FarSide) -> None:
        await server.say(greeting)

    async with far_side(script) as url:
        with pytest.raises(ServerFaultError):
            await run(url, first, ME)


async def test_a_server_that_says_nothing_is_out_of_reach() -> None:
    """It may have been stopped in that moment; no word of the protocol was broken."""

    async def script(_server: FarSide) -> None:
        pass

    async with far_side(script) as url:
        with pytest.raises(ConnectionFailedError, match="without the greeting"):
            await run(url, first, ME)


async def test_a_player_that_breaks_ends_the_bot_with_its_name_on_it() -> None:
    """The error names the player as its cause."""

    async def broken(_turn: Turn) -> int:
        raise ZeroDivisionError

    async def script(server: FarSide) -> None:
        await server.say(f"4 state {START}")

    with pytest.raises(PlayerFailedError, match="ZeroDivisionError"):
        await met(script, broken)


@pytest.mark.parametrize(
    "url", ["tcp://127.0.0.1:1", "ws://127.0.0.1:1", "http://x", "tcp://", "?"]
)
async def test_an_address_without_a_server_is_named(url: str) -> None:
    """Refused connections and addresses that are none."""
    with pytest.raises(ConnectionFailedError):
        await run(url, first, ME)


async def test_a_websocket_carries_one_line_a_frame() -> None:
    """As the protocol's other servers expect; several lines in a frame are understood."""
    frames: list[str] = []

    async def follow(connection: ServerConnection) -> None:
        await connection.send(f"0 kgp 1 0 1\r\n4 state {START}\r\n")
        while not frames or "yield" not in frames[-1]:
            frames.append(str(await connection.recv()))
        await connection.send(b"6 goodbye\r\n")
        await connection.wait_closed()

    async with asyncio.timeout(PATIENCE_S), serve(follow, "127.0.0.1", 0) as listener:
        port = next(iter(listener.sockets)).getsockname()[1]
        await run(f"ws://127.0.0.1:{port}", first, ME)
    assert all(frame.endswith("\r\n") and frame.count("\n") == 1 for frame in frames)
    assert [parse(frame).name for frame in frames] == ["set", "mode", "move", "move", "yield"]
