"""A match server as a process, the bots around it, and peers that are anything but polite."""

import os
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TypeVar

from websockets import ConnectionClosed
from websockets.asyncio.client import ClientConnection, connect

from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import VERSION, GameStart, Hello, Message, Seek, Turn, Welcome
from mancala.protocol.rules import KALAH
from mancala.scripts.console.processes.supervisor import Child, mancala
from mancala.scripts.console.processes.temporary import ServedArena

M = TypeVar("M", bound=Message)


@dataclass(frozen=True)
class Hosted:
    """A running server."""

    child: Child
    arena: ServedArena
    folder: Path

    @property
    def url(self) -> str:
        return self.arena.url

    def bot(self, name: str, *options: str) -> AbstractAsyncContextManager[Child]:
        return start(name, "bot", self.url, "--name", name, *options, folder=self.folder)


def start(name: str, *arguments: str, folder: Path) -> AbstractAsyncContextManager[Child]:
    return mancala(
        name, *arguments, folder=folder, env={**os.environ, "XDG_STATE_HOME": str(folder)}
    )


@asynccontextmanager
async def hosted(folder: Path, settings: str = "") -> AsyncIterator[Hosted]:
    config = folder / "arena.toml"
    config.write_text(f'name = "test"\nport = 0\nstore = "{folder}/arena.sqlite3"\n{settings}')
    async with start("server", "serve", "--config", str(config), "--json", folder=folder) as child:
        arena = codec.from_json(await child.line(), ServedArena)
        try:
            yield Hosted(child, arena, folder)
        except BaseException as error:
            error.add_note(f"The server said:\n{(folder / 'server.log').read_text()}")
            raise


class HungUpError(Exception):
    """The server closed the connection."""


class WirePeer:
    """A websocket client that sends what a test tells it to."""

    def __init__(self, url: str, name: str, *, resume: str | None = None) -> None:
        """Take the server's address, the name to go by, and the secret of a former session."""
        self._url = url
        self._name = name
        self._resume = resume
        self.session = ""

    async def __aenter__(self) -> Self:
        self._socket: ClientConnection = await connect(self._url, compression=None)
        await self.say(Hello(protocol=VERSION, name=self._name, resume=self._resume))
        self.session = (await self.hear(Welcome)).session
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self._socket.close()

    async def say(self, message: Message) -> None:
        await self._socket.send(codec.encode(message).decode())

    async def shout(self, frame: str | bytes) -> None:
        await self._socket.send(frame)

    async def hear(self, kind: type[M]) -> M:
        """Wait for a sentence of a kind, passing over the others."""
        with suppress(ConnectionClosed):
            async for frame in self._socket:
                message = codec.decode_server(frame)
                if isinstance(message, kind):
                    return message
        raise HungUpError(f"the server hung up before it said {kind.__name__}")

    async def play(
        self, opponent: str, *, move_ms: int, games: int = 1
    ) -> tuple[GameStart, Turn | None]:
        clock = TimeControl(move_ms=move_ms)
        await self.say(Seek(KALAH, clock, opponent=opponent, games=games))
        began = await self.hear(GameStart)
        return began, await self.hear(Turn) if began.seat == 0 else None
