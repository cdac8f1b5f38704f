"""Review finished games for a match server: take one, assess it, send it back, and so on.

A reviewer keeps nothing: the server gives the game of a lost connection to another one, and this
end comes back with a new session, waiting longer each time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from typing import Final

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, WebSocketException

from mancala.protocol import codec
from mancala.protocol import messages as wire
from mancala.protocol.review import ReviewWork
from mancala.protocol.session import RemoteProtocolError, Role, Session

from .connection import main_error
from .dialling import dial
from .errors import (
    ConnectionFailedError,
    RefusedError,
    ServerFaultError,
    ServerLeftError,
    reason_of,
)
from .reconnect import DEFAULT_DELAYS, is_passing
from .stopping import pause, stopping

CLOSE_TIMEOUT_S: Final = 2.0
LARGEST_FRAME: Final = 4 * codec.FRAME_LIMIT
WELCOME_TIMEOUT_S: Final = 30.0

Assess = Callable[[wire.ReviewWanted], Awaitable[ReviewWork]]
"""Reviews a game."""


async def review_games(  # noqa: PLR0913  # one call holds all options of a reviewer
    url: str,
    assess: Assess,
    *,
    name: str,
    token: str | None,
    version: int,
    agent: wire.Agent | None = None,
    games: int | None = None,
    stop: asyncio.Event | None = None,
    delays: Callable[[], Iterator[float]] = DEFAULT_DELAYS,
    patience_s: float = 30.0,
    reviewed: Callable[[str, ReviewWork], None] = lambda _game, _work: None,
    logger: logging.Logger | None = None,
) -> int:
    """Review games until a number of them is done.

    Args:
        url: the server's address: ``ws://…``, ``wss://…``, or ``ws+unix://PATH``.
        assess: reviews a game; it runs while the connection is served.
        name: the reviewer's name on the server.
        token: a credential of that name with the right to review; None for one that the server
            itself runs.
        version: the version of the way of reviewing.
        agent: the program behind the name.
        games: leave after this many games; None to stay.
        stop: once set, the reviewer leaves. Without an event, SIGTERM or SIGINT does the same.
        delays: returns the waits between attempts to connect, in seconds.
        patience_s: seconds to keep trying before the first welcome.
        reviewed: called with each game and the work sent.
        logger: receives warnings.

    Returns:
        How many games were reviewed.

    Raises:
        ConnectionFailedError: when the server could not be reached.
        RefusedError: when the server refuses the name, the token, or the right to review.
        ServerLeftError: when the server says goodbye without a time to come back.
        ServerFaultError: when the server breaks the protocol.
    """
    hello = wire.Hello(wire.VERSION, name, token=token, agent=agent)
    logger = logger or logging.getLogger("mancala.reviewer")
    review_run = _ReviewRun(assess, version, games, reviewed, logger)
    with stopping(stop) as stopped:
        loop = asyncio.get_running_loop()
        waits, since = delays(), loop.time()
        while not (review_run.is_done or stopped.is_set()):
            try:
                wait_s = await _connect(url, hello, review_run, stopped)
            except Exception as error:
                was_welcome = review_run.take_welcome()
                if was_welcome:
                    waits, since = delays(), loop.time()
                is_early = not review_run.was_ever_welcome and loop.time() - since > patience_s
                if not _is_passing(error, review_run) or is_early:
                    if isinstance(error, (WebSocketException, OSError)):
                        raise ConnectionFailedError(f"{url}: {reason_of(error, url)}") from error
                    raise
                wait_s = next(waits)
                logger.warning(
                    "not connected: %s; trying again in %.1f s", reason_of(error, url), wait_s
                )
            if not review_run.is_done:
                await pause(wait_s, stopped)
    return review_run.done


def _is_passing(error: Exception, review_run: _ReviewRun) -> bool:
    """Return whether to try again: also when the server still knows our dead connection."""
    is_ghost = isinstance(error, RefusedError) and error.code is wire.ErrorCode.BAD_NAME
    return is_passing(error) or (is_ghost and review_run.was_ever_welcome)


async def _connect(
    url: str, hello: wire.Hello, review_run: _ReviewRun, stop: asyncio.Event
) -> float:
    """Hold one connection; return the seconds after which to come back."""
    async with dial(
        url, compression=None, close_timeout=CLOSE_TIMEOUT_S, max_size=LARGEST_FRAME
    ) as socket:
        connection = _Connection(socket, review_run)
        try:
            async with asyncio.TaskGroup() as tasks:
                work = tasks.create_task(connection.work(), name="review")
                leave = tasks.create_task(connection.leave_at(stop), name="wait for stop")
                await connection.converse(hello)
                work.cancel()
                leave.cancel()
        except ExceptionGroup as group:
            raise main_error(group) from None
    return connection.back_after_s


class _ReviewRun:
    """What outlives a connection: how to review, and how many games are done."""

    def __init__(
        self,
        assess: Assess,
        version: int,
        games: int | None,
        reviewed: Callable[[str, ReviewWork], None],
        logger: logging.Logger,
    ) -> None:
        self.assess = assess
        self.version = version
        self.reviewed = reviewed
        self.logger = logger
        self.done = 0
        self.was_ever_welcome = False
        self._games = games
        self._is_welcome = False

    @property
    def is_done(self) -> bool:
        """Whether as many games are reviewed as were to be."""
        return self._games is not None and self.done >= self._games

    def note_welcome(self) -> None:
        """Note that the server sent its welcome."""
        self.was_ever_welcome = self._is_welcome = True

    def take_welcome(self) -> bool:
        """Return whether there was a welcome since the last call."""
        was, self._is_welcome = self._is_welcome, False
        return was


class _Connection:
    """One connection of a reviewer.

    Attributes:
        back_after_s: seconds after which the server wants us back.
    """

    def __init__(self, socket: ClientConnection, review_run: _ReviewRun) -> None:
        self.back_after_s = 0.0
        self._socket = socket
        self._review_run = review_run
        self._session = Session(Role.CLIENT)
        self._wanted: asyncio.Queue[wire.ReviewWanted] = asyncio.Queue()
        self._refused: RefusedError | None = None

    async def converse(self, hello: wire.Hello) -> None:
        """Exchange messages until one end says goodbye."""
        await self._send(hello)
        async with asyncio.timeout(WELCOME_TIMEOUT_S):
            await self._hear()
        while not self._session.has_left:
            if await self._hear():
                return

    async def work(self) -> None:
        """Review the games that come, one by one."""
        while not self._review_run.is_done:
            wanted = await self._wanted.get()
            work = await self._review_run.assess(wanted)
            for part in parts_of(wanted.game, work):
                await self._send(part)
            self._review_run.done += 1
            self._review_run.reviewed(wanted.game, work)
        await self._leave()

    async def leave_at(self, stop: asyncio.Event) -> None:
        """Send goodbye once the event is set."""
        await stop.wait()
        await self._leave()

    async def _leave(self) -> None:
        await self._send(wire.Goodbye())
        await self._socket.close()

    async def _send(self, message: wire.Message) -> None:
        if not self._session.has_left:
            self._session.send(message)
            await self._socket.send(codec.encode(message), text=True)

    async def _hear(self) -> bool:
        """Handle one message; return whether the server has said goodbye."""
        try:
            message = codec.decode_server(await self._socket.recv())
            self._session.receive(message)
        except ConnectionClosed:
            if self._session.has_left:
                return True
            raise self._refused or _lost() from None
        except codec.DecodeError as error:
            if error.code is wire.ErrorCode.UNKNOWN_TYPE:
                return False
            raise ServerFaultError(f"the server broke the protocol: {error}") from error
        except RemoteProtocolError as error:
            raise ServerFaultError(f"the server broke the protocol: {error}") from error
        return await self._handle(message)

    async def _handle(self, message: wire.ServerMessage) -> bool:
        match message:
            case wire.Welcome():
                self._review_run.note_welcome()
                await self._send(wire.OfferReviews(self._review_run.version))
            case wire.ReviewWanted():
                self._wanted.put_nowait(message)
            case wire.Error():
                self._on_error(message)
            case wire.Goodbye():
                if message.reconnect_after is None:
                    raise self._refused or ServerLeftError(message.reason)
                self.back_after_s = message.reconnect_after
                return True
        return False

    def _on_error(self, error: wire.Error) -> None:
        refused = RefusedError(error.code, error.message)
        if error.fatal:
            self._refused = refused
        elif error.code is wire.ErrorCode.FORBIDDEN:
            raise refused
        else:
            self._review_run.logger.warning(
                "game %s: %s (%s)", error.ref, error.message, error.code
            )


def _lost() -> ConnectionError:
    return ConnectionResetError("the connection was lost")


def parts_of(game: str, work: ReviewWork) -> Iterator[wire.Review]:
    """Yield the messages that bring a game's review to the server."""
    plies = tuple(work.assessments)
    starts = range(0, len(plies), wire.ASSESSMENTS) or range(1)
    for start in starts:
        end = start + wire.ASSESSMENTS
        yield wire.Review(
            game,
            plies[start:end],
            engine=work.engine,
            seconds=work.seconds,
            more=end < len(plies),
        )
