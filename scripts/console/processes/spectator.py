"""A spectator over the websocket: watches a ladder and passes on the server's messages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from websockets.asyncio.client import ClientConnection, connect

from mancala.protocol import codec
from mancala.protocol.messages import VERSION, Hello, Message, ServerMessage, Watch, Welcome
from mancala.protocol.session import Role, Session


class Spectator:
    """One connection that only watches."""

    def __init__(
        self, socket: ClientConnection, on_message: Callable[[ServerMessage], None]
    ) -> None:
        """Use a socket from :func:`dial`; ``on_message`` is called with each message."""
        self._socket = socket
        self._session = Session(Role.CLIENT)
        self._on_message = on_message
        self._welcome = asyncio.Event()

    async def watch(self, ladder: str) -> None:
        """Ask the server to send every game of a ladder that begins from now on."""
        await self._welcome.wait()
        await self._send(Watch(ladder=ladder))

    async def run(self, name: str) -> None:
        """Log in as ``name`` and receive until the connection closes."""
        await self._send(Hello(protocol=VERSION, name=name))
        async for frame in self._socket:
            message = codec.decode_server(frame)
            self._session.receive(message)
            if isinstance(message, Welcome):
                self._welcome.set()
            self._on_message(message)

    async def _send(self, message: Message) -> None:
        self._session.send(message)
        await self._socket.send(codec.encode(message).decode())


def dial(url: str) -> connect:
    """Return a connection to enter with ``async with``, without compression."""
    return connect(url, compression=None, max_size=4 * codec.FRAME_LIMIT)
