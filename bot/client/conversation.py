"""A short conversation with a server: log in, ask or bring something, and leave."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, WebSocketException

from mancala.protocol import codec
from mancala.protocol import messages as wire

from .dialling import dial
from .errors import (
    ConnectionFailedError,
    RefusedError,
    ServerFaultError,
    ServerLeftError,
    reason_of,
)

CLOSE_TIMEOUT_S: Final = 2.0


class Exchange:
    """A connection on which the server answers, and neither side plays."""

    def __init__(self, socket: ClientConnection, too_old: str) -> None:
        """Speak over a connection.

        Args:
            socket: the connection.
            too_old: what a server says by not knowing a message.
        """
        self._socket = socket
        self._too_old = too_old

    async def send(self, message: wire.Message) -> None:
        """Send a message."""
        await self._socket.send(codec.encode(message), text=True)

    async def receive(self) -> wire.ServerMessage:
        """Return the next message, unless it ends the conversation.

        Raises:
            RefusedError: when it is an error.
            ServerLeftError: when it is a goodbye.
            ServerFaultError: when it breaks the protocol, or the server is too old.
        """
        try:
            message = codec.decode_server(await self._socket.recv())
        except codec.DecodeError as error:
            raise ServerFaultError(f"the server broke the protocol: {error}") from error
        match message:
            case wire.Error(code=wire.ErrorCode.UNKNOWN_TYPE):
                raise ServerFaultError(self._too_old)
            case wire.Error(code=code, message=text):
                raise RefusedError(code, text)
            case wire.Goodbye(reason=reason):
                raise ServerLeftError(reason)
        return message

    async def leave(self) -> None:
        """Say goodbye, if the server has not gone."""
        with suppress(ConnectionClosed):
            await self.send(wire.Goodbye())


@asynccontextmanager
async def conversation(
    url: str, hello: wire.Hello, *, patience_s: float, too_old: str
) -> AsyncIterator[Exchange]:
    """Connect and log in; what goes wrong with the connection is a `ConnectionFailedError`.

    Args:
        url: the server's address.
        hello: the first message.
        patience_s: how long the whole conversation may take, in seconds.
        too_old: what is said of a server that does not know a message.
    """
    try:
        async with (
            asyncio.timeout(patience_s),
            dial(url, compression=None, close_timeout=CLOSE_TIMEOUT_S) as socket,
        ):
            talk = Exchange(socket, too_old)
            await talk.send(hello)
            yield talk
    except (WebSocketException, OSError) as error:
        raise ConnectionFailedError(f"{url}: {reason_of(error, url)}") from error
