"""The house: the organiser's own players and reviewers, run as ordinary clients.

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
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import typer

from scripts.processes.supervisor import ChildError, mancala
from scripts.processes.temporary import temporary_folder

if TYPE_CHECKING:
    from server.app import Server
    from server.config.settings import Config

GAMES: Final = 500
"""Games after which a house bot or reviewer is replaced by a new process."""
NICE: Final = 19


class HouseBot(NamedTuple):
    """A bot that the organiser runs.

    Attributes:
        ladder: the ladder it plays in.
        name: its name on the server.
        player: its player SPEC.
    """

    ladder: str
    name: str
    player: str


def house_of(config: Config) -> list[HouseBot]:
    """Return the house bots of all ladders."""
    return [
        HouseBot(ladder.name, name, player)
        for ladder in config.ladder
        for name, player in ladder.house.items()
    ]


def reviewers_of(config: Config) -> list[str]:
    """Return the names of the house reviewers."""
    return [f"house-reviewer-{number}" for number in range(1, config.reviewers.house + 1)]


@contextlib.asynccontextmanager
async def house(server: Server) -> AsyncIterator[None]:
    """Run the house bots and reviewers of a server during the block."""
    with temporary_folder("house") as folder:
        async with asyncio.TaskGroup() as tasks:
            keepers = [
                *(
                    tasks.create_task(_keep_bot(server, bot, folder), name=f"house bot {bot.name}")
                    for bot in house_of(server.config)
                ),
                *(
                    tasks.create_task(_keep_reviewer(server, name, folder), name=name)
                    for name in reviewers_of(server.config)
                ),
            ]
            if server.config.play.levels:
                keepers.append(tasks.create_task(_keep_levels(server, folder), name="levels"))
            yield
            for keeper in keepers:
                keeper.cancel()


async def _keep_bot(server: Server, bot: HouseBot, folder: Path) -> None:
    from server.system import utc

    token = await server.store.issue_token(bot.name, utc())
    arguments = _arguments(_address(server), bot, server.config.play.challenges)
    await _run_again(bot.name, arguments, {"MANCALA_TOKEN": token}, folder)


async def _keep_levels(server: Server, folder: Path) -> None:
    from server.config.settings import LEVEL_NAMES
    from server.system import utc

    tokens = [await server.store.issue_token(name, utc()) for name in LEVEL_NAMES]
    arguments = (
        *("levels", _address(server), "--challenges", str(server.config.play.challenges)),
        *("--parent", str(os.getpid())),
    )
    await _run_again("levels", arguments, {"MANCALA_TOKENS": " ".join(tokens)}, folder)


async def _keep_reviewer(server: Server, name: str, folder: Path) -> None:
    from server.system import utc

    token = await server.store.issue_token(name, utc(), is_reviewer=True)
    seconds = str(server.config.reviewers.seconds)
    arguments = (
        *("reviewer", _address(server), "--name", name, "--time", seconds, "--nice", str(NICE)),
        *("--games", str(GAMES), "--json", "--parent", str(os.getpid())),
    )
    await _run_again(name, arguments, {"MANCALA_TOKEN": token}, folder)


async def _run_again(
    name: str, arguments: tuple[str, ...], tokens: dict[str, str], folder: Path
) -> None:
    """Run a command, and again each time that it has ended."""
    from random import SystemRandom

    from bot.client.reconnect import backoff

    env = {**os.environ, **tokens, "XDG_STATE_HOME": str(folder)}
    for delay_s in backoff(SystemRandom().random, first_s=1.0, longest_s=60.0):
        async with mancala(name, *arguments, folder=folder, env=env) as child:
            async for _report in child.lines():
                pass
            try:
                await child.succeed()
            except ChildError as error:
                typer.echo(f"house: {error}", err=True)
        await asyncio.sleep(delay_s)


def _address(server: Server) -> str:
    """Return the address to connect to; a TLS certificate is valid only for the public one."""
    config = server.config
    return config.public_url or server.url if config.tls.cert is not None else server.url


def _arguments(url: str, bot: HouseBot, challenges: int) -> tuple[str, ...]:
    return (
        *("bot", url, "--name", bot.name, "--player", bot.player, "--ladder", bot.ladder),
        *("--challenges", str(challenges)),
        *("--games", str(GAMES), "--json", "--parent", str(os.getpid())),
    )
