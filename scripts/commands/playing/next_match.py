"""``mancala next``: when a bot plays next on a match server, and what it waits for."""

from typing import Annotated

import typer

from mancala.protocol.messages import NextMatch

from ...console import output as console
from ...console.options import JsonOption
from ...console.seat import SeatOptions, UrlArgument, expect_name, played


def command(
    url: UrlArgument,
    bot: Annotated[str, typer.Argument(help="The bot's name.")],
    *,
    seat: SeatOptions,
    json: JsonOption = False,
) -> None:
    """Say when a bot plays next on a match server: its matches, and what it waits for."""
    from msgspec import to_builtins

    from mancala.bot.client.requests import next_matches

    name = seat.name_at(url, "next")
    expect_name(bot)
    found = played(next_matches(url, bot, name=name, token=seat.token))
    text = "\n".join(map(sentence, found)) or f"{bot} waits for no match here"
    console.show({"bot": bot, "matches": to_builtins(found)}, text, json=json)


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
