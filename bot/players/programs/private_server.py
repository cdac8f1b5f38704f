"""A server for one bot, which it starts itself.

The command starts the bot, with ``{url}`` for the server's address. The server hands the bot one
game after another: a game begins for the bot with its first turn, from the position as it is then,
and is a match of one game. What the opponent sowed in between is found from the positions
(`mancala.bot.players.history`) and announced as ``moved``. The server does not know how its games
end elsewhere; so a game that the bot's last move did not end is ended for it as ``aborted``.

A bot that ends, or says goodbye, is started again before its next game, so that a bot made for a
certain number of games may be rated. One whose connection drops may come back until its time for
the move is up.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from typing import Final

from websockets import Subprotocol
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from mancala.protocol import codec
from mancala.protocol import messages as wire
from mancala.protocol.clock import LONGEST_MS, TimeControl
from mancala.protocol.messages import Reason
from mancala.protocol.player import Budget, Choice, PlayerError
from mancala.protocol.rules import KALAH, Board, InvalidPositionError, Rules
from mancala.protocol.session import RemoteProtocolError, Role, Session

from ..history import sowings_between
from ..spec import URL
from .handed_game import OPPONENT, HandedGame, control_of
from .process import EXIT_WAIT_S, Process, start

SECRET: Final = "the-private-server-has-one-bot"  # noqa: S105  # no other program can connect to it
LIMITS: Final = wire.Limits(frame_bytes=codec.FRAME_LIMIT, games=1000, grace_s=30.0)
STDERR_LINES: Final = 1000
WISH_S: Final = 1.0
"""Seconds in which a bot that is due to ask for another match, or to leave, does so."""


class _Link:
    def __init__(self, socket: ServerConnection) -> None:
        self.socket = socket
        self.session = Session(Role.SERVER)
        self.name = ""

    async def say(self, *messages: wire.Message) -> None:
        """Send messages; a connection that is lost is noticed where it is read."""
        with suppress(ConnectionClosed):
            for message in messages:
                if self.session.has_left:
                    return
                self.session.send(message)
                await self.socket.send(codec.encode(message), text=True)


class PrivateServer:
    """A server for one bot; ``start_up_s`` are allowed from the bot's start to its `hello`."""

    def __init__(self, command: str, start_up_s: float) -> None:
        self.stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self._command = command
        self._start_up_s = start_up_s
        self._server: Server | None = None
        self._process: Process | None = None
        self._watch: asyncio.Task[None] | None = None
        self._link: _Link | None = None
        self._changed = asyncio.Condition()
        self._game: HandedGame | None = None
        self._matches_wanted: int | None = None
        self._is_leaving = False
        self._numbers = count(1)

    async def prepare(self) -> None:
        """Start the bot if it does not run, and wait until it is welcome."""
        if self._server is None:
            self._server = await serve(
                self._serve, "127.0.0.1", 0, compression=None, select_subprotocol=_first_of
            )
        if self._is_leaving and self._process is not None:
            await self._process.exit_code(EXIT_WAIT_S)
        if self._is_leaving or self._process is None or not self._process.is_running:
            await self._start(self._server)
        await self._connected(
            self._start_up_s,
            f"the bot did not connect within {self._start_up_s:g} s of its start; "
            "does it take its server's address from {url}? --start-up allows more",
        )

    async def ask(self, board: Board, budget: Budget) -> Choice:
        """Return the bot's answer to a board; raise PlayerError when there is none."""
        loop = asyncio.get_running_loop()
        until = loop.time() + min(budget.deadline_s, LONGEST_MS / 1000)
        link = await self._connected(until - loop.time(), "the bot was not connected in its turn")
        game = self._game
        if game is None:
            name, seat = f"game{next(self._numbers)}", board.player
            game = HandedGame(name, name, seat, control_of(budget), board, board, [])
            self._game = game
            await link.say(game.start(link.name))
        else:
            await link.say(*map(game.sow, sowings_between(game.board, board)))
        game.board, game.budget = board, budget
        game.answer = loop.create_future()
        game.asked = game.turn(round(1000 * max(0.001, until - loop.time())))
        await link.say(game.asked)
        try:
            async with asyncio.timeout_at(until):
                choice = await game.answer
        except TimeoutError:
            raise PlayerError("the bot gave no answer in time", reason=Reason.TIMEOUT) from None
        finally:
            game.asked = game.answer = None
        if board.may_sow(choice.pit):
            await (self._link or link).say(game.sow(choice.pit))
        return choice

    async def end_game(self) -> None:
        game, self._game = self._game, None
        link = self._link
        if game is None or link is None:
            return
        half = dict.fromkeys((link.name, OPPONENT), 0.5)
        wanted = self._matches_wanted
        self._matches_wanted = None if wanted is None else max(0, wanted - 1)
        await link.say(game.over, wire.MatchOver(game.id, half))
        if wanted == 1:
            await self._next_wish(link)

    async def _next_wish(self, link: _Link) -> None:
        """Wait until the bot, all of whose matches are played, wants more or leaves."""
        with suppress(TimeoutError):
            async with asyncio.timeout(WISH_S), self._changed:
                await self._changed.wait_for(
                    lambda: self._matches_wanted != 0 or self._link is not link
                )

    async def close(self) -> None:
        await self._end_process()
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    def kill(self) -> None:
        """End the bot without waiting."""
        if self._process is not None:
            self._process.terminate()

    # The bot's process

    async def _start(self, server: Server) -> None:
        await self._end_process()
        self._is_leaving = False
        port = server.sockets[0].getsockname()[1]
        command = self._command.replace(URL, f"ws://127.0.0.1:{port}")
        try:
            self._process = await start(command, self.stderr.append, reads_stdout=False)
        except (OSError, ValueError) as error:
            raise _absent(f"the bot can't be started: {error}") from error
        self._watch = asyncio.create_task(self._watch_end(self._process), name="watch the bot")

    async def _watch_end(self, process: Process) -> None:
        """Fail the open question when the bot has ended."""
        await process.exit_code(None)
        await self._notify()
        self._fail(await self._gone(process))

    async def _gone(self, process: Process) -> PlayerError:
        code = await process.exit_code(EXIT_WAIT_S)
        said = f"; stderr: {' | '.join(process.stderr)}" if process.stderr else ""
        return _absent(f"the bot ended with exit code {code}{said}")

    async def _end_process(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.wait([self._watch])
        process, self._process = self._process, None
        if process is not None:
            await process.end()
        if self._link is not None:
            await self._link.socket.close()
            self._link = None

    async def _connected(self, within_s: float, late: str) -> _Link:
        """Return the bot's connection, once it is welcome; raise PlayerError when it comes late."""
        try:
            async with asyncio.timeout(within_s), self._changed:
                await self._changed.wait_for(lambda: self._link is not None or self._has_ended)
        except TimeoutError:
            raise _absent(late) from None
        if self._link is not None:
            return self._link
        raise (
            _absent("the bot does not run")
            if self._process is None
            else await self._gone(self._process)
        )

    @property
    def _has_ended(self) -> bool:
        return self._process is None or not self._process.is_running

    # The wire

    async def _serve(self, socket: ServerConnection) -> None:
        link = _Link(socket)
        try:
            async for frame in socket:
                message = codec.decode_client(frame)
                link.session.receive(message)
                await self._take(link, message)
        except (codec.DecodeError, RemoteProtocolError, InvalidPositionError) as error:
            self._fail(PlayerError(f"the bot broke the protocol: {error}", reason=Reason.PROTOCOL))
            code = getattr(error, "code", wire.ErrorCode.OUT_OF_PLACE)
            code = code if isinstance(code, wire.ErrorCode) else wire.ErrorCode.INVALID
            await link.say(wire.Error(code, str(error), fatal=True), wire.Goodbye("protocol"))
            await socket.close(1008)
        except ConnectionClosed:
            pass
        finally:
            await self._forget(link)

    async def _forget(self, link: _Link) -> None:
        if self._link is link:
            self._link = None
            await self._notify()

    async def _take(self, link: _Link, message: wire.ClientMessage) -> None:
        match message:
            case wire.Hello():
                await self._welcome(link, message)
            case wire.Move():
                self._take_move(message)
            case wire.Resign():
                said = f": {message.cause}" if message.cause else ""
                self._fail(PlayerError(f"the bot resigned{said}", reason=Reason.RESIGNED))
            case wire.Goodbye():
                await self._take_leave(link)
            case wire.Seek():
                await self._note_wish(1)
                await link.say(seeking(message))
            case wire.Join():
                await self._note_wish(message.matches)
                await link.say(
                    wire.Joined(message.ladder, KALAH, TimeControl(), 1, message.matches)
                )
            case wire.Leave():
                await link.say(wire.Left(message.ladder))
            case wire.Unseek():
                pass
            case _:
                text = "a private server only hands out games"
                await link.say(wire.Error(wire.ErrorCode.FORBIDDEN, text, fatal=False))

    async def _welcome(self, link: _Link, hello: wire.Hello) -> None:
        """Welcome the bot; one that resumes its session gets its game and its question again."""
        resumed = hello.resume == SECRET
        if hello.resume is not None and not resumed:
            text = "this server knows no such session"
            await link.say(
                wire.Error(wire.ErrorCode.BAD_RESUME, text, fatal=True), wire.Goodbye("bad_resume")
            )
            await link.socket.close(1008)
            return
        if self._link is not None:
            await self._link.say(wire.Goodbye(wire.REPLACED))
            await self._link.socket.close(wire.REPLACED_CLOSE)
        link.name = hello.name
        self._matches_wanted = None
        game = self._game
        matches = (game.id,) if resumed and game is not None else ()
        await link.say(
            wire.Welcome(wire.VERSION, "private", SECRET, resumed, LIMITS, matches=matches)
        )
        if game is not None:
            await link.say(game.start(link.name))
            if game.asked is not None:
                await link.say(game.asked)
        self._link = link
        await self._notify()

    async def _notify(self) -> None:
        """Wake those that wait for the connection, the end of the bot, or its wish."""
        async with self._changed:
            self._changed.notify_all()

    async def _note_wish(self, matches: int | None) -> None:
        """Note how many matches the bot wants; None for any number."""
        self._matches_wanted = matches
        await self._notify()

    async def _take_leave(self, link: _Link) -> None:
        """Part with the bot; its process gets a moment to end, and is started for the next game."""
        self._fail(_absent("the bot said goodbye"))
        self._is_leaving = True
        await link.say(wire.Goodbye("goodbye"))
        await link.socket.close()
        await self._forget(link)
        process = self._process
        if process is not None and await process.exit_code(EXIT_WAIT_S) is None:
            process.terminate()

    def _take_move(self, move: wire.Move) -> None:
        game = self._game
        if game is None or game.asked is None or (move.game, move.ply) != (game.id, game.asked.ply):
            return  # it is late, which is never an error
        choice = Choice(move.pit, move.info)
        if move.provisional:
            if game.board.may_sow(move.pit):
                game.budget.offer(choice)
        elif game.answer is not None and not game.answer.done():
            game.answer.set_result(choice)

    def _fail(self, error: PlayerError) -> None:
        answer = self._game.answer if self._game is not None else None
        if answer is not None and not answer.done():
            answer.set_exception(error)


def _absent(detail: str) -> PlayerError:
    return PlayerError(detail, reason=Reason.DISCONNECTED)


def seeking(seek: wire.Seek) -> wire.Seeking:
    """Return the answer to a request for a match; InvalidPositionError for unknown rules."""
    rules = Rules.parse(seek.rules) if isinstance(seek.rules, str) else seek.rules or KALAH
    clock = seek.clock or TimeControl()
    return wire.Seeking(rules, clock, seek.rated, seek.games, seek.opponent)


def _first_of(_socket: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    return offered[0] if offered else None
