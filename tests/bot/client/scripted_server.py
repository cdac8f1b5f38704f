"""A scripted match server: each connection follows the test's next script."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from websockets import Subprotocol
from websockets.asyncio.server import ServerConnection, serve

from mancala.bot import Bot, ClientError, GameResult, Turn, run
from mancala.bot.client.bot import Choose
from mancala.protocol import codec
from mancala.protocol import messages as wire
from mancala.protocol.clock import Clock, TimeControl
from mancala.protocol.rules import Board
from tests.patience import PATIENCE_S, WALK_S

LIMITS = wire.Limits(frame_bytes=codec.FRAME_LIMIT, games=100, grace_s=5)
CONTROL = TimeControl(move_ms=2000)

T = TypeVar("T", bound=wire.Message)


class ServerEnd:
    """The server's end of one connection."""

    def __init__(self, connection: ServerConnection) -> None:
        self.connection = connection

    async def say(self, *messages: wire.Message) -> None:
        for message in messages:
            await self.connection.send(codec.encode(message), text=True)

    async def hear(self, kind: type[T], *, answers_leave: bool = True) -> T:
        async with asyncio.timeout(PATIENCE_S):
            message = codec.decode_client(await self.connection.recv())
            while isinstance(message, wire.Schedule) and kind is not wire.Schedule:
                await self.say(wire.Scheduled("me"))
                message = codec.decode_client(await self.connection.recv())
        assert isinstance(message, kind), message
        if isinstance(message, wire.Leave) and answers_leave:
            await self.say(wire.Left(message.ladder))
        return message

    async def welcome(
        self, *, session: str = "secret", resumed: bool = False, matches: tuple[str, ...] = ()
    ) -> wire.Hello:
        hello = await self.hear(wire.Hello)
        await self.say(wire.Welcome(wire.VERSION, "scripted", session, resumed, LIMITS, matches))
        return hello

    async def seat(self, wanted: type[T], *, session: str = "secret") -> T:
        await self.welcome(session=session)
        return await self.hear(wanted)

    async def begin(self, wanted: type[T], *, session: str = "secret") -> T:
        seat = await self.seat(wanted, session=session)
        await self.say(start(), ask())
        return seat

    async def finish(self) -> None:
        """End the first game and its match as won, after which the bot leaves."""
        await self.say(over(), wire.MatchOver("m1", {}))
        await self.hear(wire.Goodbye)

    async def hear_final(self) -> wire.Move:
        """Receive the answer to the question, past the provisional ones."""
        while (move := await self.hear(wire.Move)).provisional:
            pass
        return move

    async def play_one_game(
        self, game: str = "g1", match: str = "m1", *, ends_match: bool = True
    ) -> wire.Move:
        """Send one turn, end the game as won, and end the match if it is the last one."""
        await self.say(start(game, match), ask(game))
        move = await self.hear_final()
        await self.say(over(game))
        if ends_match:
            await self.say(wire.MatchOver(match, {}))
        return move

    async def play_last_game(self, game: str = "g1", match: str = "m1") -> None:
        """Play a game as above, after which the bot leaves."""
        await self.play_one_game(game, match)
        await self.hear(wire.Goodbye)

    async def until_closed(self) -> None:
        async with asyncio.timeout(PATIENCE_S):
            await self.connection.wait_closed()


Script = Callable[[ServerEnd], Awaitable[Any]]


@asynccontextmanager
async def scripted_server(*scripts: Script) -> AsyncIterator[str]:
    """Serve each new connection with the next script; yield the address.

    A script that fails makes the block fail.
    """
    numbers, failures = itertools.count(), []

    async def handle(connection: ServerConnection) -> None:
        number = next(numbers)
        try:
            assert number < len(scripts), "one connection too many"
            await scripts[number](ServerEnd(connection))
        except BaseException as failure:
            failures.append(failure)
            raise

    async with serve(
        handle, "127.0.0.1", 0, compression=None, select_subprotocol=_first_of
    ) as server:
        port = server.sockets[0].getsockname()[1]
        yield f"ws://127.0.0.1:{port}"
        assert next(numbers) == len(scripts), "the client did not come as often as expected"
    assert not failures, failures


def _first_of(_connection: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Accept what the client offers, as it may end a connection that accepts none of it."""
    return offered[0] if offered else None


def start(
    game: str = "g1",
    match: str = "m1",
    *,
    board: Board | None = None,
    control: TimeControl = CONTROL,
) -> wire.GameStart:
    board = board or Board.start()
    return wire.GameStart(
        game=game,
        match=match,
        seat=0,
        rules=board.rules,
        clock=control,
        opponent=wire.Opponent("rival"),
        state=board.state,
        moves=(),
        clocks=Clock.set_up(control).state,
        names=("me", "rival"),
    )


def ask(
    game: str = "g1", ply: int = 0, *, board: Board | None = None, deadline_ms: int = 2000
) -> wire.Turn:
    board = board or Board.start()
    clock = Clock.set_up(CONTROL).state
    return wire.Turn(game, ply, board.state, board.legal(), clock, deadline_ms)


def over(game: str = "g1", reason: wire.Reason = wire.Reason.NORMAL) -> wire.GameOver:
    return wire.GameOver(game, 0, (30, 18), reason)


def names(results: Sequence[GameResult]) -> list[str]:
    return [result.game for result in results]


async def leftmost(turn: Turn) -> int:
    return turn.legal[0]


async def play(url: str, player: Bot | Choose = leftmost, **options: Any) -> list[GameResult]:  # noqa: ANN401  # those of `run`
    """Run a bot without waits; unless told otherwise, for one game and without a file."""
    usual = {"games": 1, "session_file": None, "stop": asyncio.Event()}
    async with asyncio.timeout(WALK_S):
        return await run(
            url, player, name="me", delays=lambda: itertools.repeat(0.0), **usual | options
        )


async def played(
    *scripts: Script,
    player: Bot | Choose = leftmost,
    **options: Any,  # noqa: ANN401  # as above
) -> list[GameResult]:
    """Run a bot against scripts; what ends it is raised once these are checked."""
    results: list[GameResult] = []
    failed: ClientError | None = None
    async with scripted_server(*scripts) as url:
        try:
            results = await play(url, player, **options)
        except ClientError as error:
            failed = error
    if failed is not None:
        raise failed
    return results
