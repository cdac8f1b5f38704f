"""Ask a match server what there is: ladders, connected bots, running games, a bot's next match."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mancala.protocol import messages as wire

from .conversation import conversation

PATIENCE_S: Final = 30.0
TOO_OLD: Final = "the server is too old to answer that"

Answer = wire.Listing | wire.Scheduled
Following = Callable[[Answer], wire.Message | None]
"""Returns what to ask after an answer; None after the last one."""


async def list_ladders(url: str, *, name: str, token: str | None = None) -> list[wire.ListedLadder]:
    """Return the ladders of a server, with their terms.

    Args:
        url: the server's address, ``ws://…`` or ``wss://…``.
        name: a name to log in with that no connected bot has.
        token: the credential of that name, if it is reserved.

    Raises:
        ConnectionFailedError: when the server could not be reached, or did not answer in 30 s.
        RefusedError: when the server refuses the name or the token.
        ServerLeftError: when the server says goodbye.
        ServerFaultError: when the server breaks the protocol, or is too old to have lists.
    """
    pages = await _listed(url, wire.Listable.LADDERS, name, token)
    return [ladder for page in pages for ladder in page.ladders]


async def list_bots(url: str, *, name: str, token: str | None = None) -> list[wire.ListedBot]:
    """Return the bots and spectators that are connected to a server.

    The arguments and errors are those of :func:`list_ladders`; the asker is not in the list.
    """
    pages = await _listed(url, wire.Listable.BOTS, name, token)
    return [bot for page in pages for bot in page.bots if bot.name != name]


async def list_games(url: str, *, name: str, token: str | None = None) -> list[wire.ListedGame]:
    """Return the games that run on a server.

    The arguments and errors are those of :func:`list_ladders`.
    """
    pages = await _listed(url, wire.Listable.GAMES, name, token)
    return [game for page in pages for game in page.games]


async def next_matches(
    url: str, bot: str, *, name: str, token: str | None = None
) -> tuple[wire.NextMatch, ...]:
    """Return what a bot plays next on a server, and what it waits for.

    ``bot`` is the bot; the other arguments and the errors are those of :func:`list_ladders`.
    """
    hello = wire.Hello(wire.VERSION, name, token=token)
    (answer,) = await _answers(url, hello, wire.Schedule(bot), lambda _answer: None)
    return answer.matches if isinstance(answer, wire.Scheduled) else ()


async def _listed(
    url: str, what: wire.Listable, name: str, token: str | None
) -> list[wire.Listing]:
    def following(page: Answer) -> wire.List | None:
        if not isinstance(page, wire.Listing) or page.next is None:
            return None
        return wire.List(what, page.next)

    hello = wire.Hello(wire.VERSION, name, token=token)
    pages = await _answers(url, hello, wire.List(what), following)
    return [page for page in pages if isinstance(page, wire.Listing)]


async def _answers(
    url: str, hello: wire.Hello, question: wire.Message, following: Following
) -> list[Answer]:
    answers: list[Answer] = []
    async with conversation(url, hello, patience_s=PATIENCE_S, too_old=TOO_OLD) as talk:
        while True:
            match await talk.receive():
                case wire.Welcome():
                    await talk.send(question)
                case wire.Listing() | wire.Scheduled() as answer:
                    answers.append(answer)
                    if (further := following(answer)) is None:
                        await talk.leave()
                        return answers
                    await talk.send(further)
