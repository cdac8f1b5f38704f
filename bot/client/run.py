"""Run a bot on a match server: connect, play, reconnect after a drop, say goodbye.

A dropped connection costs only time: the server keeps the seat for a while, and the session's
secret takes it back. Once the server has sent a welcome, the client reconnects without end,
waiting longer each time. Before the first welcome it gives up after `patience_s`, because then
the address is most likely wrong. If the process itself is killed, the next one finds the secret
in the session file.
"""

import asyncio
import logging
import sys
import traceback
from pathlib import Path  # noqa: TID251  # the type; the caller names the file
from typing import Any, Final, Literal

from mancala.protocol.messages import Agent, Challenge, ErrorCode, Seek, problem_of_name
from mancala.protocol.player import PlayerError

from .bot import Bot, Choose, GameResult, as_bot, problem_of_player
from .connection import Connection
from .errors import (
    ClientError,
    PlayerFailedError,
    RefusedError,
    WrongCallError,
    drop_own_frames,
    raised,
)
from .link import LARGEST_FRAME
from .reconnect import (
    DEFAULT_DELAYS,
    Delays,
    Retries,
    dial,
    expect_address,
    is_passing,
    pause,
    stopping,
)
from .session_file import SessionFile, default_path
from .state import ClientState, Profile

AWAY_S: Final = 3.0
"""How long a bot that has to stop tries to reach a server that is away."""
ANYONE: Final = Seek()


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
    event_password: str = "",
    challenges: int | None = None,
    agent: Agent | str | None = None,
    session_file: Path | Literal["default"] | None = "default",
    stop: asyncio.Event | None = None,
    delays: Delays = DEFAULT_DELAYS,
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
        event_password: the password of the event, if it asks for one.
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
    _check(url, player, name, games)
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
        event_password=event_password,
        challenges=challenges,
    )
    path = default_path(url, name) if session_file == "default" else session_file
    state = ClientState(profile, _open_session_file(path, logger), logger)
    bot = as_bot(player)
    with stopping(stop) as stopped:
        try:
            state.restore()
            await _warm_up(bot)
            await _play(url, bot, state, Retries(url, delays, patience_s, logger), stopped)
        except ClientError as error:
            if DEBUG not in sys.argv:
                drop_own_frames(error)
            raise
        finally:
            if state.file is not None:
                state.file.close()
            await bot.close()
    return state.results


def _check(url: str, player: object, name: str, games: int | None) -> None:
    """Check the arguments of `run` before anything is connected."""
    expect_address(url)
    if (problem := problem_of_player(player) or problem_of_name(name)) is not None:
        raise WrongCallError(problem)
    if games is not None and games < 1:
        raise WrongCallError(f"games is {games}: name 1 or more, or leave it out to stay")


async def _warm_up(bot: Bot) -> None:
    try:
        await bot.warm_up()
    except Exception as error:
        why = str(error) if isinstance(error, PlayerError) else raised(error)
        raise PlayerFailedError(f"the player could not warm up: {why}") from error


async def _play(
    url: str, bot: Bot, state: ClientState, retries: Retries, stop: asyncio.Event
) -> None:
    """Connect until the bot is done, then remove the session file.

    Where it has to stop while its server is away, its file stays: the next start resumes.
    """
    state.is_leaving = stop.is_set() and state.session is None
    while not state.is_done:
        try:
            wait_s = await _connect(url, bot, state, retries, stop)
        except Exception as error:  # noqa: BLE001  # raised again unless it passes
            wait_s = _wait_after(error, state, retries, is_leaving=stop.is_set())
            if stop.is_set() and state.file is not None and retries.disconnected_s > AWAY_S:
                return
        await pause(min(wait_s, AWAY_S) if stop.is_set() else wait_s, stop)
        state.is_leaving = stop.is_set() or state.refused is not None
    state.remove_file()
    if state.refused is not None:
        raise state.refused


async def _connect(
    url: str, bot: Bot, state: ClientState, retries: Retries, stop: asyncio.Event
) -> float:
    """Hold one connection; return the seconds after which the server wants us back."""
    async with dial(url, ping_interval=None, max_size=LARGEST_FRAME) as socket:
        connection = Connection(socket, state, bot)
        try:
            await connection.run(stop)
        finally:
            retries.note_end(was_welcome=connection.link.is_welcome)
    return connection.link.back_after_s or 0.0


def _wait_after(
    error: Exception, state: ClientState, retries: Retries, *, is_leaving: bool
) -> float:
    """Return the seconds to wait after a failed attempt; forget a session that is lost."""
    if isinstance(error, RefusedError) and error.code is ErrorCode.BAD_RESUME:
        state.forget_session()
        return 0.0
    wait_s = retries.wait_after(error, passes=is_passing(error))
    if is_leaving and state.grace_s is not None and retries.disconnected_s > state.grace_s:
        state.forget_session()
    return wait_s


def _open_session_file(path: Path | None, logger: logging.Logger) -> SessionFile | None:
    if path is None:
        return None
    try:
        return SessionFile(path)
    except OSError as error:
        logger.warning("no session file, so a killed bot could not resume: %s", error)
        return None


DEBUG: Final = "--debug"
INTERRUPTED: Final = 130


def play(url: str, player: Bot | Choose, *, name: str, **options: Any) -> list[GameResult]:  # noqa: ANN401  # those of `run`
    """Play on a match server until a number of games is finished, and return them.

    It is `run` for a program that does nothing else. What stops the bot is one sentence on stderr;
    the program's argument ``--debug`` has the traceback come before it.

    Args:
        url: the server's address.
        player: a function from a turn to a pit, or a `Bot`.
        name: the bot's name on the server.
        options: the further options of `run`.

    Raises:
        SystemExit: with code 1 when the bot cannot go on.
    """
    try:
        _expect_no_loop()
        return asyncio.run(run(url, player, name=name, **options))
    except ClientError as error:
        if DEBUG in sys.argv:
            traceback.print_exc()
        sys.exit(f"{name}: {error}")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _expect_no_loop() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise WrongCallError(
        "an event loop runs here already, as in a notebook: write 'await run(…)' for 'play(…)'"
    )
