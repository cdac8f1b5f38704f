"""Ask a match server what there is: its ladders, the bots that are connected, the running games."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from mancala.bot.client.errors import (
    ConnectionFailedError,
    RefusedError,
    ServerFaultError,
    ServerLeftError,
    reason_of,
)
from mancala.protocol import codec
from mancala.protocol import messages as wire

PATIENCE_S: Final = 30.0
CLOSE_TIMEOUT_S: Final = 2.0


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


async def _listed(
    url: str, what: wire.Listable, name: str, token: str | None
) -> list[wire.Listing]:
    hello = wire.Hello(wire.VERSION, name, token=token)
    try:
        async with (
            asyncio.timeout(PATIENCE_S),
            connect(url, compression=None, close_timeout=CLOSE_TIMEOUT_S) as socket,
        ):
            return await _ask(socket, hello, what)
    except (WebSocketException, OSError) as error:
        raise ConnectionFailedError(f"{url}: {reason_of(error, url)}") from error


async def _ask(
    socket: ClientConnection, hello: wire.Hello, what: wire.Listable
) -> list[wire.Listing]:
    await _send(socket, hello)
    pages: list[wire.Listing] = []
    while True:
        match await _receive(socket):
            case wire.Welcome():
                await _send(socket, wire.List(what))
            case wire.Listing(next=following) as page:
                pages.append(page)
                if following is None:
                    with suppress(ConnectionClosed):
                        await _send(socket, wire.Goodbye())
                    return pages
                await _send(socket, wire.List(what, following))
            case wire.Error(code=wire.ErrorCode.UNKNOWN_TYPE):
                raise ServerFaultError("the server is too old to have lists")
            case wire.Error(code=code, message=message):
                raise RefusedError(code, message)
            case wire.Goodbye(reason=reason):
                raise ServerLeftError(reason)


async def _send(socket: ClientConnection, message: wire.Message) -> None:
    await socket.send(codec.encode(message), text=True)


async def _receive(socket: ClientConnection) -> wire.ServerMessage:
    try:
        return codec.decode_server(await socket.recv())
    except codec.DecodeError as error:
        raise ServerFaultError(f"the server broke the protocol: {error}") from error
