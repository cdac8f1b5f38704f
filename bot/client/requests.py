"""Ask a match server for lists and for a bot's next match, and submit events to it."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, TypeVar

from websockets.exceptions import WebSocketException

from mancala.protocol import messages as wire
from mancala.protocol.submission import parts_of

from .errors import (
    ConnectionFailedError,
    RefusedError,
    ServerFaultError,
    ServerLeftError,
    reason_of,
)
from .link import ClientLink
from .reconnect import dial, expect_address

PATIENCE_S: Final = 30.0
SUBMIT_PATIENCE_S: Final = 60.0

NO_LISTS: Final = "the server is too old to answer that"
NO_EVENTS: Final = "the server is too old to take events"

A = TypeVar("A", bound=wire.ServerMessage)


async def list_ladders(url: str, *, name: str, token: str | None = None) -> list[wire.ListedLadder]:
    """Return the ladders of a server, with their terms.

    Args:
        url: the server's address, ``ws://…`` or ``wss://…``.
        name: a name to log in with that no connected bot has.
        token: the credential of that name, if it is reserved.

    Raises:
        WrongCallError: when the address can't be one.
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
    async with _conversation(url, name, token, PATIENCE_S, NO_LISTS) as talk:
        return (await talk.ask(wire.Scheduled, wire.Schedule(bot))).matches


async def submit_event(
    url: str, document: str, *, submission: str, name: str, token: str | None
) -> str:
    """Submit an event that was played without a server; one of the same id before is replaced.

    Args:
        url: the server's address, ``ws://…`` or ``wss://…``.
        document: the event, as `mancala.protocol.submission.document_of` makes it.
        submission: its id.
        name: the name of the token.
        token: a credential of that name with the right to submit.

    Returns:
        Its name on the server's page: ``/elsewhere/KEY``.

    Raises:
        ClientError: as by :func:`list_ladders`, only that it waits for 60 s.
    """
    *others, last = parts_of(document)
    parts = [*(wire.Submit(submission, part, more=True) for part in others)]
    async with _conversation(url, name, token, SUBMIT_PATIENCE_S, NO_EVENTS) as talk:
        return (await talk.ask(wire.Submitted, *parts, wire.Submit(submission, last))).key


async def _listed(
    url: str, what: wire.Listable, name: str, token: str | None
) -> list[wire.Listing]:
    async with _conversation(url, name, token, PATIENCE_S, NO_LISTS) as talk:
        pages = [await talk.ask(wire.Listing, wire.List(what))]
        while pages[-1].next is not None:
            pages.append(await talk.ask(wire.Listing, wire.List(what, pages[-1].next)))
    return pages


class _Conversation:
    """A connection on which the server answers, and neither side plays."""

    def __init__(self, link: ClientLink, too_old: str) -> None:
        self._link = link
        self._messages = link.messages()
        self._too_old = too_old

    async def ask(self, kind: type[A], *questions: wire.Message) -> A:
        self._link.send(*questions)
        async for message in self._messages:
            if isinstance(message, kind):
                return message
            if isinstance(message, wire.Error):
                if message.code is wire.ErrorCode.UNKNOWN_TYPE:
                    raise ServerFaultError(self._too_old)
                raise RefusedError(message.code, message.message)
        raise ServerLeftError("")


@asynccontextmanager
async def _conversation(
    url: str, name: str, token: str | None, patience_s: float, too_old: str
) -> AsyncIterator[_Conversation]:
    """Log in for a conversation that may take ``patience_s``, and leave at its end."""
    expect_address(url)
    try:
        async with asyncio.timeout(patience_s), dial(url) as socket:
            link = ClientLink(socket, logging.getLogger("mancala.bot"))
            talk = _Conversation(link, too_old)
            await talk.ask(wire.Welcome, wire.Hello(wire.VERSION, name, token=token))
            yield talk
            link.send(wire.Goodbye())
    except (WebSocketException, OSError) as error:
        raise ConnectionFailedError(f"{url}: {reason_of(error, url)}") from error
