"""Submit an event that was played without a server, so that the server shows it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, WebSocketException

from mancala.bot.client.dialling import dial
from mancala.bot.client.errors import (
    ConnectionFailedError,
    RefusedError,
    ServerFaultError,
    ServerLeftError,
    reason_of,
)
from mancala.protocol import codec
from mancala.protocol import messages as wire
from mancala.protocol.submission import parts_of

PATIENCE_S: Final = 60.0
CLOSE_TIMEOUT_S: Final = 2.0


async def submit_event(
    url: str, document: str, *, submission: str, name: str, token: str | None
) -> str:
    """Submit an event, in the place of what was submitted under its id before.

    Args:
        url: the server's address, ``ws://…`` or ``wss://…``.
        document: the event, as `mancala.protocol.submission.document_of` makes it.
        submission: its id.
        name: the name of the token.
        token: a credential of that name with the right to submit.

    Returns:
        Its name on the server's page: ``/elsewhere/KEY``.

    Raises:
        ConnectionFailedError: when the server could not be reached, or did not answer in 60 s.
        RefusedError: when the server refuses the token or the document.
        ServerLeftError: when the server says goodbye.
        ServerFaultError: when the server breaks the protocol, or is too old to take events.
    """
    hello = wire.Hello(wire.VERSION, name, token=token)
    try:
        async with (
            asyncio.timeout(PATIENCE_S),
            dial(url, compression=None, close_timeout=CLOSE_TIMEOUT_S) as socket,
        ):
            await _send(socket, hello)
            return await _submitted(socket, submission, document)
    except (WebSocketException, OSError) as error:
        raise ConnectionFailedError(f"{url}: {reason_of(error, url)}") from error


async def _submitted(socket: ClientConnection, submission: str, document: str) -> str:
    while True:
        match await _receive(socket):
            case wire.Welcome():
                await _send_parts(socket, submission, document)
            case wire.Submitted(key=key):
                with suppress(ConnectionClosed):
                    await _send(socket, wire.Goodbye())
                return key
            case wire.Error(code=wire.ErrorCode.UNKNOWN_TYPE):
                raise ServerFaultError("the server is too old to take events")
            case wire.Error(code=code, message=message):
                raise RefusedError(code, message)
            case wire.Goodbye(reason=reason):
                raise ServerLeftError(reason)


async def _send_parts(socket: ClientConnection, submission: str, document: str) -> None:
    *others, last = parts_of(document)
    for part in others:
        await _send(socket, wire.Submit(submission, part, more=True))
    await _send(socket, wire.Submit(submission, last))


async def _send(socket: ClientConnection, message: wire.Message) -> None:
    await socket.send(codec.encode(message), text=True)


async def _receive(socket: ClientConnection) -> wire.ServerMessage:
    try:
        return codec.decode_server(await socket.recv())
    except codec.DecodeError as error:
        raise ServerFaultError(f"the server broke the protocol: {error}") from error
