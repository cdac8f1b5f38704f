"""Connect a player to a Kalah Game Protocol server."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from mancala.protocol.player import START_UP_S

from ...console import output as console
from ...console.compiling import compile_engine_for
from ...console.options import JsonOption
from ...console.playing import StartUpOption
from ...console.seat import AuthorityOption, played

if TYPE_CHECKING:
    from mancala.bot.client.bot import Bot
    from mancala.protocol.kgp.client import Introduction, KgpResult


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("kgp")(_command)


def _command(
    url: Annotated[
        str,
        typer.Argument(
            metavar="URL", help="The server's address: tcp://host[:port], ws:// or wss://."
        ),
    ],
    *,
    player: Annotated[
        str, typer.Option(help="The player, as a SPEC; 'mancala players' lists them.")
    ] = "engine",
    name: Annotated[str | None, typer.Option(help="Name on the server.")] = None,
    authors: Annotated[str, typer.Option(help="Authors, as sent to the server.")] = "",
    token: Annotated[
        str | None, typer.Option(envvar="MANCALA_TOKEN", help="Token, if the server uses tokens.")
    ] = None,
    _authority: AuthorityOption = None,
    games: Annotated[int | None, typer.Option(min=1, help="Leave after N games.")] = None,
    movetime: Annotated[
        float,
        typer.Option(min=0.001, max=86400, help="Seconds per move where the server sets no limit."),
    ] = 5.0,
    start_up: StartUpOption = START_UP_S,
    seed: Annotated[int | None, typer.Option(help="Seed of the player's random choices.")] = None,
    json: JsonOption = False,
) -> None:
    """Connect a player to a Kalah Game Protocol server.

    It plays until the server closes the connection or --games games are finished.
    """
    from mancala.bot.players.registry import make_bot
    from mancala.protocol.kgp.client import Introduction

    kind = player.partition(":")[0]
    name = name or f"{kind}-{secrets.token_hex(3)}"
    me = Introduction(name=name, authors=authors, description=player, token=token)
    with console.bad_input():
        bot = make_bot(player, seed=seed, start_up_s=start_up)
    compile_engine_for(player)
    results = played(_play(url, bot, me, games, movetime))
    console.show(_report(name, results), map(_line, results), json=json)


async def _play(
    url: str, bot: Bot, me: Introduction, games: int | None, movetime: float
) -> list[KgpResult]:
    from mancala.bot.client.reconnect import stopping
    from mancala.bot.kgp.client import run

    with stopping(None) as stop:
        return await run(url, bot, me, games=games, think_s=movetime, stop=stop)


def _report(name: str, results: Sequence[KgpResult]) -> dict[str, object]:
    verdicts = [str(result.verdict) for result in results]
    return {
        "name": name,
        "games": len(results),
        "wins": verdicts.count("won"),
        "draws": verdicts.count("drawn"),
        "losses": verdicts.count("lost"),
        "results": [result._asdict() for result in results],
    }


def _line(result: KgpResult) -> str:
    mine, theirs = result.stores
    against = f" against {result.opponent}" if result.opponent else ""
    return f"game {result.game or '?'}{against}: {result.verdict} {mine} to {theirs}"
