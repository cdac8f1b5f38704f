"""House bots: the organiser's own players in the ladders, run as ordinary bots.

Each is a ``mancala bot`` process with a reserved name. One that ends is started again. Each ends
after some hundred games, so that a leak in a player cannot grow. They end with the server, even
when it is killed.
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
"""Games after which a house bot is replaced by a new process."""


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


@contextlib.asynccontextmanager
async def house(server: Server) -> AsyncIterator[None]:
    """Run the house bots of a server during the block."""
    with temporary_folder("house") as folder:
        async with asyncio.TaskGroup() as tasks:
            keepers = [
                tasks.create_task(_keep(server, bot, folder), name=f"house bot {bot.name}")
                for bot in house_of(server.config)
            ]
            yield
            for keeper in keepers:
                keeper.cancel()


async def _keep(server: Server, bot: HouseBot, folder: Path) -> None:
    from bot.client.reconnect import backoff
    from server.model.timestamps import utc

    token = await server.store.issue_token(bot.name, utc())
    env = {**os.environ, "MANCALA_TOKEN": token, "XDG_STATE_HOME": str(folder)}
    for delay_s in backoff(first_s=1.0, longest_s=60.0):
        async with mancala(
            bot.name, *_arguments(_address(server), bot), folder=folder, env=env
        ) as child:
            async for _report in child.lines():
                pass
            try:
                await child.succeed()
            except ChildError as error:
                typer.echo(f"house bot {error}", err=True)
        await asyncio.sleep(delay_s)


def _address(server: Server) -> str:
    """Return the address to connect to; a TLS certificate is valid only for the public one."""
    config = server.config
    return config.public_url or server.url if config.tls.cert is not None else server.url


def _arguments(url: str, bot: HouseBot) -> tuple[str, ...]:
    return (
        *("bot", url, "--name", bot.name, "--player", bot.player, "--ladder", bot.ladder),
        *("--games", str(GAMES), "--json", "--parent", str(os.getpid())),
    )
