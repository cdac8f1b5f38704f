"""``mancala list``: what there is on a match server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from mancala.protocol.text import quantity

from ...console import output as console
from ...console.options import JsonOption
from ...console.seat import (
    AuthorityOption,
    NameOption,
    TokenOption,
    UrlArgument,
    check_server,
    name_or_new,
)

if TYPE_CHECKING:
    from mancala.bot.client.errors import ClientError
    from mancala.protocol.messages import ListedBot, ListedGame, ListedLadder


class What(StrEnum):
    LADDERS = "ladders"
    BOTS = "bots"
    GAMES = "games"


def command(
    url: UrlArgument,
    what: Annotated[What, typer.Argument(help="The list.")] = What.LADDERS,
    *,
    name: NameOption = None,
    token: TokenOption = None,
    _authority: AuthorityOption = None,
    json: JsonOption = False,
) -> None:
    """List the ladders of a match server, the connected bots, or the running games.

    A server that takes no guests wants --name and --token, of a bot that is not connected.
    """
    from mancala.bot.client.errors import ClientError

    check_server(url)
    if token is not None and name is None:
        console.fail("a token belongs to a name: --name NAME --token TOKEN")
    name = name_or_new(name, "list")
    try:
        found = asyncio.run(_found(url, what, name, token))
    except ClientError as error:
        console.fail(_explained(error, token), code=console.FAILED)
    if json:
        from msgspec import to_builtins

        console.emit({what: to_builtins(found)})
        return
    for entry in found:
        console.say(_line(entry))


def _explained(error: ClientError, token: str | None) -> str:
    """Return what went wrong, and what to do where a token is missing."""
    from mancala.bot.client.errors import RefusedError
    from mancala.protocol.messages import ErrorCode

    is_missing = isinstance(error, RefusedError) and error.code is ErrorCode.BAD_TOKEN
    hint = "; log in with --name NAME --token TOKEN, which 'mancala token new NAME' prints"
    return f"{error}{hint if is_missing and token is None else ''}"


async def _found(
    url: str, what: What, name: str, token: str | None
) -> Sequence[ListedLadder | ListedBot | ListedGame]:
    from mancala.bot.client import requests

    match what:
        case What.LADDERS:
            return await requests.list_ladders(url, name=name, token=token)
        case What.BOTS:
            return await requests.list_bots(url, name=name, token=token)
        case What.GAMES:
            return await requests.list_games(url, name=name, token=token)


def _line(entry: ListedLadder | ListedBot | ListedGame) -> str:
    from mancala.protocol.messages import ListedBot, ListedLadder

    if isinstance(entry, ListedLadder):
        guests = "guests may join" if entry.guests else "needs a token"
        terms = (
            f"{quantity(entry.games, 'game')} a match",
            f"{quantity(entry.players, 'bot')} connected",
            guests,
        )
        return "\t".join((entry.ladder, str(entry.rules), *terms))
    if isinstance(entry, ListedBot):
        doing = (f"plays {quantity(entry.playing, 'match')}", ", ".join(entry.ladders))
        return "\t".join((entry.name, *doing, "takes challenges" if entry.challenges else ""))
    players = f"{entry.names[0]} against {entry.names[1]}"
    return "\t".join((entry.game, players, entry.ladder or "", str(entry.rules)))
