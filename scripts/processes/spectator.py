"""A spectator over the websocket: watches the games it is told of and hands on what it hears."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from websockets.asyncio.client import ClientConnection, connect

from protocol import codec
from protocol.messages import VERSION, Hello, Message, ServerMessage, Watch, Welcome
from protocol.session import Role, Session


class Spectator:
    """One connection of somebody who only looks on."""

    def __init__(self, socket: ClientConnection, hear: Callable[[ServerMessage], None]) -> None:
        """Take a socket of :func:`dial`, and whom to tell what is heard."""
        self._socket = socket
        self._session = Session(Role.CLIENT)
        self._hear = hear
        self._welcome = asyncio.Event()

    async def watch(self, game: str) -> None:
        """Ask to be shown a game."""
        await self._welcome.wait()
        await self._say(Watch(game=game))

    async def run(self, name: str) -> None:
        """Greet the server and listen until the connection closes.

        Raises:
            DecodeError: when the server says what is no message.
            RemoteProtocolError: when it says something out of place.
        """
        await self._say(Hello(protocol=VERSION, name=name))
        async for frame in self._socket:
            message = codec.decode_server(frame)
            self._session.receive(message)
            if isinstance(message, Welcome):
                self._welcome.set()
            self._hear(message)

    async def _say(self, message: Message) -> None:
        self._session.send(message)
        await self._socket.send(codec.encode(message).decode())


def dial(url: str) -> connect:
    """Give the connection to enter: a spectator reads much and sends next to nothing."""
    return connect(url, compression=None, max_size=4 * codec.FRAME_LIMIT)
