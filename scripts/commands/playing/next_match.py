"""``mancala next``: when a bot plays next on a match server, and what it waits for."""

import asyncio
from typing import Annotated

import typer

from mancala.protocol.messages import NextMatch

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


def command(
    url: UrlArgument,
    bot: Annotated[str, typer.Argument(help="The bot's name.")],
    *,
    name: NameOption = None,
    token: TokenOption = None,
    _authority: AuthorityOption = None,
    json: JsonOption = False,
) -> None:
    """Say when a bot plays next on a match server: its matches, and what it waits for."""
    from mancala.bot.client.errors import ClientError
    from mancala.bot.client.requests import next_matches

    check_server(url)
    bot, name = name_or_new(bot, "bot"), name_or_new(name, "next")
    try:
        found = asyncio.run(next_matches(url, bot, name=name, token=token))
    except ClientError as error:
        console.fail(error, code=console.FAILED)
    if json:
        from msgspec import to_builtins

        console.emit({"bot": bot, "matches": to_builtins(found)})
        return
    for each in found:
        console.say(sentence(each))
    if not found:
        console.say(f"{bot} waits for no match here")


def sentence(match: NextMatch) -> str:
    """Return a match, and what it waits for, as one line of text."""
    where = " ".join(filter(None, (match.origin, match.name)))
    facts = [
        f"round {match.round}" if match.round is not None else "",
        f"against {match.opponent}" if match.opponent is not None else "",
        f"games left: {match.games}" if match.games is not None else "",
        f"from {match.at}" if match.at is not None else "",
        f"waits for {match.waits_for}" if match.waits_for else "",
    ]
    return f"{where}: {', '.join(filter(None, facts))}"
