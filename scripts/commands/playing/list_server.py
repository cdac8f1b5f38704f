"""``mancala list``: what there is on a match server."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from mancala.protocol.text import quantity

from ...console import output as console
from ...console.options import JsonOption
from ...console.seat import SeatOptions, UrlArgument

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
    seat: SeatOptions,
    json: JsonOption = False,
) -> None:
    """List the ladders of a match server, the connected bots, or the running games.

    A server that takes no guests wants --name and --token, of a bot that is not connected.
    """
    from mancala.bot.client import requests
    from mancala.bot.client.errors import ClientError

    name = seat.name_at(url, "list")
    if seat.token is not None and seat.name is None:
        console.fail("a token belongs to a name: --name NAME --token TOKEN")
    ask = getattr(requests, f"list_{what}")
    try:
        found = asyncio.run(ask(url, name=name, token=seat.token))
    except ClientError as error:
        console.fail(_explained(error, seat.token), code=console.FAILED)
    console.show({what: found}, map(_line, found), json=json)


def _explained(error: ClientError, token: str | None) -> str:
    """Return what went wrong, and what to do where a token is missing."""
    from mancala.bot.client.errors import RefusedError
    from mancala.protocol.messages import ErrorCode

    is_missing = isinstance(error, RefusedError) and error.code is ErrorCode.BAD_TOKEN
    hint = "; log in with --name NAME --token TOKEN, which 'mancala token new NAME' prints"
    return f"{error}{hint if is_missing and token is None else ''}"


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
