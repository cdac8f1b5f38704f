"""Run a bot on a match server: connect, play, reconnect after a drop, say goodbye.

A dropped connection costs only time: the server keeps the seat for a while, and the session's
secret takes it back. Once the server has sent a welcome, the client reconnects without end,
waiting longer each time. Before the first welcome it gives up after `patience_s`, because then
the address is most likely wrong. If the process itself is killed, the next one finds the secret
in the session file.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from pathlib import Path  # noqa: TID251  # the type; the caller names the file
from typing import Final, Literal

from websockets.exceptions import WebSocketException

from mancala.protocol import codec
from mancala.protocol.messages import Agent, Challenge, ErrorCode, Seek
from mancala.protocol.player import PlayerError

from .bot import Bot, Choose, GameResult, as_bot
from .call import check_call
from .connection import Connection
from .dialling import dial
from .errors import ConnectionFailedError, PlayerFailedError, RefusedError, raised, reason_of
from .reconnect import DEFAULT_DELAYS, is_passing
from .session_file import SessionFile, default_path
from .state import ClientState, Profile
from .stopping import pause, stopping

ANYONE: Final = Seek()
CLOSE_TIMEOUT_S: Final = 2.0
LARGEST_FRAME: Final = 4 * codec.FRAME_LIMIT


async def run(  # noqa: PLR0913  # one call holds all options of a bot
    url: str,
    player: Bot | Choose,
    *,
    name: str,
    token: str | None = None,
    games: int | None = None,
    seek: Seek | Challenge | None = ANYONE,
    accept: bool = True,
    ladder: str | None = None,
    event: str | None = None,
    challenges: int | None = None,
    agent: Agent | str | None = None,
    session_file: Path | Literal["default"] | None = "default",
    stop: asyncio.Event | None = None,
    delays: Callable[[], Iterator[float]] = DEFAULT_DELAYS,
    patience_s: float = 30.0,
    logger: logging.Logger | None = None,
) -> list[GameResult]:
    """Play on a match server until a number of games is finished.

    Args:
        url: the server's address: ``ws://…``, ``wss://…``, or ``ws+unix://PATH``.
        player: a function from a turn to a pit, or a `Bot`; a plain function runs in a thread.
        name: the bot's name on the server.
        token: the credential of a registered name.
        games: leave after this number of finished games; None to stay.
        seek: the match to ask for, repeatedly: of any bot with a `Seek`, of one with a
            `Challenge`; None to wait for challenges only. The default asks for one match of
            `games` games.
        accept: whether to accept challenges.
        ladder: the ladder to join instead of asking for matches.
        event: the event to enter instead of asking for matches; with a ladder, both. A bot that is
            stopped stays an entrant, and plays on when it is started again.
        challenges: how many matches to play at a time by accepting challenges; None for one, or any
            number without `games`.
        agent: the program behind the name, also as ``NAME/VERSION``; a ladder rates each version
            by itself.
        session_file: where to keep the session, so that a killed bot can resume its seat; None
            to keep no file.
        stop: once set, the bot leaves after its running games, or after its running match where
            it plays in a ladder or an event, which count who leaves between two games. If None,
            the first SIGTERM or SIGINT does the same, and a second one has its usual effect.
        delays: returns the waits between attempts to connect, in seconds.
        patience_s: seconds to keep trying before the first welcome.
        logger: receives warnings.

    Returns:
        The finished games, in order; with an event and no ladder, once that is over for the bot.

    Raises:
        WrongCallError: when an argument can't be used.
        ConnectionFailedError: when the server could not be reached.
        RefusedError: when the server refuses the name, the token, the match, the ladder or the
            event.
        ServerLeftError: when the server says goodbye without a time to come back.
        ServerFaultError: when the server breaks the protocol.
        PlayerFailedError: when the player raises anything but `PlayerError`.
    """
    check_call(url, player, name, games)
    logger = logger or logging.getLogger("mancala.bot")
    if seek is ANYONE and games is not None:
        seek = Seek(games=games)
    profile = Profile(
        name=name,
        token=token,
        agent=Agent(*map(str.strip, agent.split("/", 1))) if isinstance(agent, str) else agent,
        games=games,
        seek=None if ladder is not None or event is not None else seek,
        accept=accept,
        ladder=ladder,
        event=event,
        challenges=challenges,
    )
    path = default_path(url, name) if session_file == "default" else session_file
    state = ClientState(profile, _open_session_file(path, logger), logger)
    bot = as_bot(player)
    with stopping(stop) as stopped:
        client = Client(url, bot, state, delays=delays, patience_s=patience_s)
        try:
            state.restore()
            await _warm_up(bot)
            await client.run(stopped)
        finally:
            if state.file is not None:
                state.file.close()
            await bot.close()
    return state.results


async def _warm_up(bot: Bot) -> None:
    try:
        await bot.warm_up()
    except Exception as error:
        why = str(error) if isinstance(error, PlayerError) else raised(error)
        raise PlayerFailedError(f"the player could not warm up: {why}") from error


class Client:
    """Connects repeatedly until the bot is done."""

    def __init__(
        self,
        url: str,
        bot: Bot,
        state: ClientState,
        *,
        delays: Callable[[], Iterator[float]],
        patience_s: float,
    ) -> None:
        self._url = url
        self._bot = bot
        self._state = state
        self._new_delays = delays
        self._delays = delays()
        self._patience_s = patience_s
        self._disconnected_since = asyncio.get_running_loop().time()

    async def run(self, stop: asyncio.Event) -> None:
        """Play until the bot is done, then remove the session file.

        Raises:
            ClientError: as the function `run`.
        """
        while not self._state.is_done:
            wait_s = await self._attempt(stop)
            await pause(wait_s, stop)
            self._state.is_leaving = stop.is_set() or self._state.refused is not None
        self._state.remove_file()
        if self._state.refused is not None:
            raise self._state.refused

    async def _attempt(self, stop: asyncio.Event) -> float:
        try:
            return await self._connect(stop)
        except Exception as error:
            if isinstance(error, RefusedError) and error.code is ErrorCode.BAD_RESUME:
                self._state.forget_session()
                return 0.0
            if not is_passing(error):
                if isinstance(error, (WebSocketException, OSError)):
                    raise ConnectionFailedError(
                        f"{self._url}: {reason_of(error, self._url)}"
                    ) from error
                raise
            self._check_patience(error, is_leaving=stop.is_set())
            wait_s = next(self._delays)
            self._state.logger.warning(
                "not connected: %s; trying again in %.1f s", reason_of(error, self._url), wait_s
            )
            return wait_s

    async def _connect(self, stop: asyncio.Event) -> float:
        """Hold one connection; return the seconds after which the server wants us back."""
        async with dial(
            self._url,
            compression=None,
            ping_interval=None,
            close_timeout=CLOSE_TIMEOUT_S,
            max_size=LARGEST_FRAME,
        ) as socket:
            connection = Connection(socket, self._state, self._bot)
            try:
                await connection.run(stop)
            finally:
                if connection.is_welcome:
                    self._delays = self._new_delays()
                    self._disconnected_since = asyncio.get_running_loop().time()
        return connection.back_after_s or 0.0

    def _check_patience(self, error: Exception, *, is_leaving: bool) -> None:
        disconnected_s = asyncio.get_running_loop().time() - self._disconnected_since
        grace_s = self._state.grace_s
        if grace_s is None and disconnected_s > self._patience_s:
            raise ConnectionFailedError(f"{self._url}: {reason_of(error, self._url)}") from error
        if is_leaving and grace_s is not None and disconnected_s > grace_s:
            self._state.forget_session()


def _open_session_file(path: Path | None, logger: logging.Logger) -> SessionFile | None:
    if path is None:
        return None
    try:
        return SessionFile(path)
    except OSError as error:
        logger.warning("no session file, so a killed bot could not resume: %s", error)
        return None
