"""A bot on a match server: connect, play, come back after a drop, say goodbye.

A dropped connection costs nothing but time: the server keeps the seat for a while, and the
session's secret takes it back. The client tries again for ever once it was welcome, waiting
longer each time; before its first welcome it gives up after `patience_s`, since the address is
then most likely wrong. Where the process itself is killed, the next one finds the secret in a
file (`memory.py`).
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Literal

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from bot.client.bot import Bot, Choose, GameResult, as_bot
from bot.client.connection import Conversation
from bot.client.errors import ConnectionFailedError, PlayerFailedError, RefusedError
from bot.client.reconnect import backoff, is_passing
from bot.client.session_file import Memory, default_path
from bot.client.state import Career, Profile
from protocol import codec
from protocol.messages import Agent, ErrorCode, Seek

ANYONE: Final = Seek()
CLOSE_TIMEOUT_S: Final = 2.0
LARGEST_FRAME: Final = 4 * codec.FRAME_LIMIT
STOP_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


async def run(  # noqa: PLR0913  # one call says all there is to say of a bot
    url: str,
    player: Bot | Choose,
    *,
    name: str,
    token: str | None = None,
    games: int | None = None,
    seek: Seek | None = ANYONE,
    accept: bool = True,
    ladder: str | None = None,
    agent: Agent | None = None,
    session_file: Path | Literal["default"] | None = "default",
    stop: asyncio.Event | None = None,
    delays: Callable[[], Iterator[float]] = backoff,
    patience_s: float = 30.0,
    logger: logging.Logger | None = None,
) -> list[GameResult]:
    """Play on a match server until so many games are finished.

    Args:
        url: where it listens, ``ws://`` or ``wss://``.
        player: an async function from a turn to a pit, or a `Bot`.
        name: the bot's name there.
        token: the credential of a registered name.
        games: finished games after which to leave; None for never.
        seek: the match to ask for, again and again; None to wait for challenges only. As it
            stands by default, it asks for one match of as many games as are wanted.
        accept: whether to accept challenges.
        ladder: the ladder to join, instead of asking for matches.
        agent: the program behind the name.
        session_file: where the session is kept, so that a killed bot finds back to its seat;
            None to keep it nowhere.
        stop: once set, the bot leaves after its running games; without one, SIGTERM and SIGINT
            do that, and a second one has its usual effect.
        delays: makes the waits between attempts to connect, in seconds.
        patience_s: how long to try before the first welcome.
        logger: told of what goes wrong on the way.

    Returns:
        The finished games, in order.

    Raises:
        ConnectionFailedError: when the server could not be reached.
        RefusedError: when it refuses the name, the token, the match or the ladder asked for.
        ServerLeftError: when it says goodbye for good.
        ServerFaultError: when it breaks the protocol.
        PlayerFailedError: when the player raises anything but `PlayerError`.
    """
    logger = logger or logging.getLogger("mancala.bot")
    if seek is ANYONE and games is not None:
        seek = Seek(games=games)
    profile = Profile(
        name=name,
        token=token,
        agent=agent,
        games=games,
        seek=None if ladder is not None else seek,
        accept=accept,
        ladder=ladder,
    )
    path = default_path(url, name) if session_file == "default" else session_file
    career = Career(profile, _open_memory(path, logger), logger)
    bot = as_bot(player)
    with _stopping(stop) as stopped:
        client = Client(url, bot, career, delays=delays, patience_s=patience_s)
        try:
            career.recall()
            await _warm_up(bot)
            await client.run(stopped)
        finally:
            if career.memory is not None:
                career.memory.close()
            await bot.close()
    return career.results


async def _warm_up(bot: Bot) -> None:
    try:
        await bot.warm_up()
    except Exception as error:
        raise PlayerFailedError(f"the player could not warm up: {error}") from error


class Client:
    """Connects, again and again, until the career is over."""

    def __init__(
        self,
        url: str,
        bot: Bot,
        career: Career,
        *,
        delays: Callable[[], Iterator[float]],
        patience_s: float,
    ) -> None:
        self._url = url
        self._bot = bot
        self._career = career
        self._new_delays = delays
        self._delays = delays()
        self._patience_s = patience_s
        self._alone_since = asyncio.get_running_loop().time()

    async def run(self, stop: asyncio.Event) -> None:
        """Play until the career is over; its file is then gone.

        Raises:
            ClientError: as the function `run`.
        """
        while not self._career.is_done:
            wait_s = await self._attempt(stop)
            await _pause(wait_s, stop)
            self._career.is_leaving = stop.is_set()
        self._career.retire()

    async def _attempt(self, stop: asyncio.Event) -> float:
        try:
            return await self._connect(stop)
        except Exception as error:
            if isinstance(error, RefusedError) and error.code is ErrorCode.BAD_RESUME:
                self._career.forget_session()
                return 0.0
            if not is_passing(error):
                if isinstance(error, (WebSocketException, OSError)):
                    raise ConnectionFailedError(f"{self._url}: {error}") from error
                raise
            self._give_up_in_time(error, is_leaving=stop.is_set())
            wait_s = next(self._delays)
            self._career.logger.warning("no connection: %s; again in %.1f s", error, wait_s)
            return wait_s

    async def _connect(self, stop: asyncio.Event) -> float:
        """Connect once and talk to the end; tell how soon the server wants us back."""
        async with connect(
            self._url,
            compression=None,
            ping_interval=None,
            close_timeout=CLOSE_TIMEOUT_S,
            max_size=LARGEST_FRAME,
        ) as socket:
            conversation = Conversation(socket, self._career, self._bot)
            try:
                await conversation.run(stop)
            finally:
                if conversation.is_welcome:
                    self._delays = self._new_delays()
                    self._alone_since = asyncio.get_running_loop().time()
        return conversation.back_after_s or 0.0

    def _give_up_in_time(self, error: Exception, *, is_leaving: bool) -> None:
        alone_s = asyncio.get_running_loop().time() - self._alone_since
        grace_s = self._career.grace_s
        if grace_s is None and alone_s > self._patience_s:
            raise ConnectionFailedError(f"{self._url}: {error}") from error
        if is_leaving and grace_s is not None and alone_s > grace_s:
            self._career.forget_session()


async def _pause(wait_s: float, stop: asyncio.Event) -> None:
    """Wait; when the stop comes, no longer than that."""
    if stop.is_set():
        await asyncio.sleep(wait_s)
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(wait_s):
            await stop.wait()


def _open_memory(path: Path | None, logger: logging.Logger) -> Memory | None:
    if path is None:
        return None
    try:
        return Memory(path)
    except OSError as error:
        logger.warning("the session will not outlive this process: %s", error)
        return None


@contextmanager
def _stopping(stop: asyncio.Event | None) -> Iterator[asyncio.Event]:
    """Give the stop that was handed in, or one that SIGTERM and SIGINT set."""
    if stop is not None:
        yield stop
        return
    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    def heed() -> None:
        stop.set()
        restore()

    def restore() -> None:
        while handled:
            loop.remove_signal_handler(handled.pop())

    handled = [number for number in STOP_SIGNALS if _handle(loop, number, heed)]
    try:
        yield stop
    finally:
        restore()


def _handle(loop: asyncio.AbstractEventLoop, number: int, heed: Callable[[], None]) -> bool:
    """Handle a signal where that can be done: on Unix, in the main thread."""
    try:
        loop.add_signal_handler(number, heed)
    except (NotImplementedError, RuntimeError, ValueError):
        return False
    return True
