"""The house: the organiser's own players and reviewers, run as ordinary clients.

They connect over a unix socket in a folder of this user. That proves what they are: they need no
token, no certificate and no public address, and the name alone takes a seat back, also after a
restart of the server. They play on while it drains, and end after it.

Each bot of a ladder is a ``mancala bot`` process with a reserved name, and takes challenges beside
its ladder, up to a bound. A reviewer is a ``mancala reviewer`` process of the lowest priority, so
that it takes only the time that games leave. One that ends is started again. Each ends after some
hundred games, so that a leak cannot grow. They end with the server, even when it is killed. The
levels for people who play in the browser share one process.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from mancala.bot.client.reconnect import unix_url

from .supervisor import ChildError, mancala
from .temporary import temporary_folder

if TYPE_CHECKING:
    from mancala.server.app.server import Server
    from mancala.server.config.settings import Config
    from mancala.server.health.log import Log

GAMES: Final = 500
"""Games after which a house bot or reviewer is replaced by a new process."""
NICE: Final = 19
STOP_S: Final = 0.5
"""Time for each to end, once the server has dismissed it and nothing can be lost any more."""
SOCKET: Final = "house"
UNKNOWN: Final = "ladder.house: the check of its players ended"


def check_house(config: Config) -> None:
    """Check the player of each house bot, and what levels and reviewers need."""
    from mancala.bot.players.registry import PLAYERS, check_spec
    from mancala.server.config.settings import ConfigError

    for key, is_wanted in (
        ("play.levels", config.play.levels),
        ("reviewers.house", config.reviewers.house > 0),
    ):
        if is_wanted and (missing := PLAYERS["engine"].missing):
            raise ConfigError(f"{key}: the player 'engine' is not installed: {missing}")
    for place, ladder in enumerate(config.ladder):
        for name, player in ladder.house.items():
            try:
                check_spec(player)
            except ValueError as error:
                raise ConfigError(f"ladder[{place}].house.{name}: {error}") from None


def check_house_apart(config: Config) -> None:
    """Check as `check_house` in a child, so that the compiler is not loaded into this process."""
    from mancala.server.config.settings import ConfigError

    if not any(ladder.house for ladder in config.ladder):
        check_house(config)
        return
    context = get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_report, args=(config, there), name="house check")
    child.start()
    there.close()
    try:
        problem = here.recv()
    except EOFError:
        problem = UNKNOWN
    child.join()
    if problem is not None:
        raise ConfigError(problem)


def _report(config: Config, there: Connection) -> None:
    from mancala.server.config.settings import ConfigError

    try:
        check_house(config)
    except ConfigError as error:
        there.send(str(error))
    else:
        there.send(None)


class HouseBot(NamedTuple):
    """A bot that the organiser runs in a ladder, by its name and SPEC."""

    ladder: str
    name: str
    player: str


def house_of(config: Config) -> list[HouseBot]:
    return [
        HouseBot(ladder.name, name, player)
        for ladder in config.ladder
        for name, player in ladder.house.items()
    ]


@contextlib.asynccontextmanager
async def house(server: Server, *, log: Log) -> AsyncIterator[None]:
    """Run the house bots and reviewers of a server during the block; log those that fail."""
    programs = list(_programs(server.config))
    if not programs:
        yield
        return
    with temporary_folder("house") as folder:
        await server.open_to_own(str(folder / SOCKET))
        url = unix_url(str(folder / SOCKET))
        env = environment(server.config, folder)
        async with asyncio.TaskGroup() as tasks:
            keepers = [
                tasks.create_task(_run_again(program, url, folder, env, log), name=program.name)
                for program in programs
            ]
            yield
            for keeper in keepers:
                keeper.cancel()


class _Program(NamedTuple):
    """A command that the server runs: its name in the log, the command, and the options."""

    name: str
    command: str
    options: tuple[str, ...]


def _programs(config: Config) -> Iterator[_Program]:
    challenges = ("--challenges", str(config.play.challenges))
    for_a_while = ("--games", str(GAMES), "--json")
    for bot in house_of(config):
        seat = ("--name", bot.name, "--player", bot.player, "--ladder", bot.ladder)
        yield _Program(bot.name, "bot", (*seat, *challenges, *for_a_while))
    effort = ("--time", str(config.reviewers.seconds), "--nice", str(NICE))
    for name in config.reviewer_names:
        yield _Program(name, "reviewer", ("--name", name, *effort, *for_a_while))
    if config.play.levels:
        yield _Program("levels", "levels", challenges)


def environment(config: Config, folder: Path) -> dict[str, str]:
    """Return the environment of the house's programs: no token, and the server's authority."""
    env = {**os.environ, "XDG_STATE_HOME": str(folder)}
    env.pop("MANCALA_TOKEN", None)
    if config.tls.ca is not None:
        env["SSL_CERT_FILE"] = str(Path(config.tls.ca).absolute())
    return env


async def _run_again(
    program: _Program, url: str, folder: Path, env: dict[str, str], log: Log
) -> None:
    from random import SystemRandom

    from mancala.bot.client.reconnect import backoff

    arguments = (program.command, url, *program.options)
    for delay_s in backoff(SystemRandom().random, first_s=1.0, longest_s=60.0):
        async with mancala(
            program.name, *arguments, folder=folder, env=env, patience_s=STOP_S
        ) as child:
            async for _report in child.lines():
                pass
            try:
                await child.succeed()
            except ChildError as error:
                log.warning("house program ended", program=program.name, error=str(error))
        await asyncio.sleep(delay_s)
