"""One connection, from hello to its end: feed the session, dispatch, answer.

What is said goes through one queue, in the order in which the session was told of it. Questions
are answered by tasks of their own (`questions.py`).

After a resume the welcome names the matches that still go on, and what ended meanwhile is told with
it. So once a ping that followed the welcome has come back, whatever game of no such match we still
know of ended and nobody told us how; until then the bot begins nothing and does not leave.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from typing import Final

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from bot.client.bot import Bot, Game
from bot.client.budget import RoundTrip
from bot.client.errors import (
    ClientError,
    RefusedError,
    ServerFaultError,
    ServerLeftError,
)
from bot.client.state import Career
from bot.client.turns import Questions, players_fault
from protocol import codec
from protocol import messages as wire
from protocol.rules import InvalidPositionError
from protocol.session import RemoteProtocolError, Role, Session

PING_EVERY_S: Final = 5.0
PING_TIMEOUT_S: Final = 20.0
WELCOME_TIMEOUT_S: Final = 10.0
CLOSE_PROTOCOL_ERROR: Final = 1002
NO_LADDER: Final = {
    wire.ErrorCode.UNKNOWN_LADDER,
    wire.ErrorCode.FORBIDDEN,
    wire.ErrorCode.QUARANTINED,
}


class Conversation:
    """One connection's life.

    Attributes:
        back_after_s: when the server said goodbye, the seconds after which it wants us back.
    """

    def __init__(self, socket: ClientConnection, career: Career, bot: Bot) -> None:
        self._greeted = asyncio.Event()
        self.back_after_s: float | None = None
        self._socket = socket
        self._career = career
        self._bot = bot
        self._session = Session(Role.CLIENT)
        self._tasks = asyncio.TaskGroup()
        self._background: list[asyncio.Task[None]] = []
        self._outbox: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._questions = Questions(self._say, self._tasks, bot, career.logger)
        self._round_trip = RoundTrip()
        self._most_games = 1
        self._is_settled = False
        self._seek: wire.Seek | wire.Seeking | None = None
        self._ladder: str | None = None
        self._refused: RefusedError | None = None

    @property
    def is_welcome(self) -> bool:
        """Whether the server has greeted us."""
        return self._greeted.is_set()

    async def run(self, stop: asyncio.Event) -> None:
        """Talk until one end says goodbye.

        Args:
            stop: once set, nothing new is begun, and goodbye follows the last running game.

        Raises:
            ConnectionClosed: when the connection was lost.
            OSError: likewise.
            ClientError: when the server refuses us or breaks the protocol, or the player fails.
        """
        self._say_hello()
        try:
            async with self._tasks:
                self._begin(self._write(), "write")
                self._begin(self._measure(), "measure the round trip")
                self._begin(self._expect_welcome(), "expect the welcome")
                self._begin(self._heed(stop), "heed the stop")
                await self._listen()
                self._end_tasks()
        except ExceptionGroup as group:
            error = gravest(group)
        else:
            return
        raise error

    def _begin(self, work: Coroutine[None, None, None], name: str) -> None:
        self._background.append(self._tasks.create_task(work, name=name))

    def _end_tasks(self) -> None:
        self._questions.close_all()
        for task in self._background:
            task.cancel()

    def _say_hello(self) -> None:
        profile = self._career.profile
        self._say(
            wire.Hello(
                protocol=wire.VERSION,
                name=profile.name,
                token=profile.token,
                agent=profile.agent,
                resume=self._career.session,
            )
        )

    def _say(self, message: wire.Message) -> None:
        if not self._session.has_left:
            self._session.send(message)
            self._outbox.put_nowait(codec.encode(message))

    def _leave(self) -> None:
        self._say(wire.Goodbye())
        self._outbox.put_nowait(None)

    async def _write(self) -> None:
        while (frame := await self._outbox.get()) is not None:
            await self._socket.send(frame, text=True)
        await self._socket.close()

    async def _measure(self) -> None:
        while True:
            async with asyncio.timeout(PING_TIMEOUT_S):
                sample_s = await (await self._socket.ping())
            self._round_trip = self._round_trip.after(sample_s)
            await asyncio.sleep(PING_EVERY_S)

    async def _expect_welcome(self) -> None:
        async with asyncio.timeout(WELCOME_TIMEOUT_S):
            await self._greeted.wait()

    async def _heed(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._career.is_leaving = True
        if self._seek is not None:
            self._say(wire.Unseek())
        awaits_snapshot = self.is_welcome and not self._is_settled
        if not (self._career.live or awaits_snapshot):
            self._leave()

    async def _listen(self) -> None:
        while self.back_after_s is None:
            try:
                frame = await self._socket.recv()
            except ConnectionClosed as closed:
                if self._session.has_left:
                    return
                raise self._refused or closed from None
            if not self._session.has_left:
                await self._hear(frame)

    async def _hear(self, frame: bytes | str) -> None:
        try:
            message = codec.decode_server(frame)
            self._session.receive(message)
            self._dispatch(message)
        except (codec.DecodeError, RemoteProtocolError, InvalidPositionError) as error:
            if isinstance(error, codec.DecodeError) and error.code is wire.ErrorCode.UNKNOWN_TYPE:
                self._career.logger.info("passed over: %s", error.received)
                return
            await self._socket.close(CLOSE_PROTOCOL_ERROR, str(error)[:100])
            raise ServerFaultError(f"the server broke the protocol: {error}") from error

    def _dispatch(self, message: wire.ServerMessage) -> None:
        match message:
            case wire.Turn():
                self._asked(message)
            case wire.Moved():
                self._questions.close(message.game, up_to=message.ply)
            case wire.GameStart() | wire.GameOver() | wire.MatchOver():
                self._follow(message)
            case wire.Welcome():
                self._welcomed(message)
            case wire.Challenged():
                self._challenged(message)
            case wire.Seeking():
                self._seek = message
            case wire.Error():
                self._scolded(message)
            case wire.Goodbye():
                self._dismissed(message)

    def _follow(self, message: wire.GameStart | wire.GameOver | wire.MatchOver) -> None:
        match message:
            case wire.GameStart():
                self._game_started(message)
            case wire.GameOver():
                self._game_over(message)
            case wire.MatchOver():
                self._career.match_over(message.match)
        self._consider()

    def _welcomed(self, welcome: wire.Welcome) -> None:
        self._greeted.set()
        self._most_games = welcome.limits.games
        self._career.welcomed(welcome)
        if welcome.resumed:
            self._begin(self._await_snapshot(), "await the snapshot")
        else:
            self._settle()

    async def _await_snapshot(self) -> None:
        await (await self._socket.ping())
        self._career.forget_what_is_over()
        self._settle()

    def _settle(self) -> None:
        self._is_settled = True
        self._consider()

    def _consider(self) -> None:
        if not self._is_settled or self._session.has_left:
            return
        if self._career.is_done:
            self._leave()
            return
        self._join_or_leave()
        if self._seek is None and (wish := self._career.wish(self._most_games)):
            self._seek = wish
            self._say(wish)

    def _join_or_leave(self) -> None:
        wanted = self._career.wants_ladder
        if wanted is not None and self._ladder is None:
            self._say(wire.Join(wanted))
        elif wanted is None and self._ladder is not None:
            self._say(wire.Leave(self._ladder))
        self._ladder = wanted

    def _game_started(self, start: wire.GameStart) -> None:
        if start.seat is None:
            return
        game = Game(
            id=start.game,
            match=start.match,
            seat=start.seat,
            rules=start.rules,
            control=start.clock,
            opponent=start.opponent.name,
            rated=start.rated,
        )
        self._seek = None
        self._career.started(game)
        with players_fault():
            self._bot.game_started(game)

    def _game_over(self, over: wire.GameOver) -> None:
        self._questions.close(over.game)
        result = self._career.finished(over)
        if result is not None:
            with players_fault():
                self._bot.game_over(result)

    def _asked(self, question: wire.Turn) -> None:
        game = self._career.live.get(question.game)
        if game is not None:
            self._questions.ask(game, question, self._round_trip)

    def _challenged(self, challenge: wire.Challenged) -> None:
        if challenge.by == self._career.profile.name:
            return
        if self._career.welcomes_challenge():
            self._say(wire.Accept(challenge.challenge))
        else:
            self._say(wire.Decline(challenge.challenge, reason="not now"))

    def _scolded(self, error: wire.Error) -> None:
        refused = RefusedError(error.code, error.message)
        if error.fatal:
            self._refused = refused
        elif isinstance(self._seek, wire.Seek) or error.code in NO_LADDER:
            raise refused
        else:
            self._career.logger.warning("the server: %s (%s)", error.message, error.code)

    def _dismissed(self, goodbye: wire.Goodbye) -> None:
        if goodbye.reconnect_after is None:
            raise self._refused or ServerLeftError(goodbye.reason)
        self.back_after_s = goodbye.reconnect_after


def gravest(group: ExceptionGroup[Exception]) -> Exception:
    """Pick what the caller should hear of: a `ClientError` if there is one."""
    leaves = list(_leaves(group))
    return next((leaf for leaf in leaves if isinstance(leaf, ClientError)), leaves[0])


def _leaves(group: ExceptionGroup[Exception]) -> Iterator[Exception]:
    for error in group.exceptions:
        if isinstance(error, ExceptionGroup):
            yield from _leaves(error)
        else:
            yield error
