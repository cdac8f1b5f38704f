"""A server on a free port, and websocket clients that say what a test wants."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import pytest
from msgspec.structs import replace
from websockets import ConnectionClosed
from websockets.asyncio.client import ClientConnection

from mancala.protocol import codec
from mancala.protocol import messages as wire
from mancala.protocol.clock import TimeControl
from mancala.server.app.server import Server
from mancala.server.config.settings import Config, Mqtt
from mancala.server.control.operator import Operator, RefusedError
from mancala.server.control.wire import Request
from mancala.server.net.kgp.kgp_gateway import KgpGateway
from mancala.server.net.seat import SocketSeat
from tests.patience import PATIENCE_S, WALK_S, connect
from tests.server.store.databases import place_of

M = TypeVar("M", bound=wire.Message)


def settings(folder: Path, **changes: Any) -> Config:  # noqa: ANN401  # whatever a setting is
    config = Config(
        name="test",
        port=0,
        store=place_of(folder),
        clock=TimeControl(move_ms=round(1000 * PATIENCE_S)),
        drain_s=0.0,
        mqtt=Mqtt(private_broker=False),
    )
    return replace(config, **changes)


async def order(
    server: Server,
    action: str,
    /,
    *,
    dry_run: bool = False,
    why: str = "",
    **arguments: Any,  # noqa: ANN401  # whatever an action takes
) -> dict[str, Any]:
    request = Request(action, arguments, dry_run, why)
    found = await Operator(server.target).carry_out(request, "root")
    return codec.from_json(codec.to_json(found), dict[str, Any])


class Arena:
    """A running server and its peers; the peers hang up when all is over."""

    def __init__(self, url: str, server: Server | None = None) -> None:
        self.url = url
        self._server = server
        self.peers: list[Peer] = []

    @property
    def server(self) -> Server:
        assert self._server is not None
        return self._server

    async def order(self, action: str, /, **given: Any) -> dict[str, Any]:  # noqa: ANN401  # see above
        return await order(self.server, action, **given)

    async def refused(
        self,
        said: str,
        action: str,
        /,
        kind: type[RefusedError] = RefusedError,
        **given: Any,  # noqa: ANN401  # as above
    ) -> None:
        with pytest.raises(kind, match=said):
            await self.order(action, **given)

    async def connect(self) -> Peer:
        peer = Peer(await connect(self.url, compression=None))
        self.peers.append(peer)
        return peer

    async def greet(
        self, name: str, *, resume: str | None = None, token: str | None = None
    ) -> Peer:
        peer = await self.connect()
        await peer.hello(name, resume=resume, token=token)
        await peer.hear(wire.Welcome)
        return peer

    async def pair(
        self,
        *names: str,
        games: int = 1,
        clock: TimeControl | None = None,
        tokens: Mapping[str, str] = MappingProxyType({}),
    ) -> list[Peer]:
        """Start a match between two bots; the first is to move."""
        pair = [await self.greet(name, token=tokens.get(name)) for name in names]
        for peer in pair:
            await peer.say(wire.Seek(clock=clock, games=games))
            await peer.hear(wire.Seeking)
        return pair

    async def match(self, *names: str, games: int = 1) -> wire.MatchOver:
        return await played_out(*await self.pair(*names, games=games))


async def played_out(*peers: Peer) -> wire.MatchOver:
    return (await asyncio.gather(*(peer.play_until(wire.MatchOver) for peer in peers)))[0]


def _server(config: Config) -> Server:
    return Server(config, processes=config.fronts > 0)


@asynccontextmanager
async def arena(folder: Path, **changes: Any) -> AsyncIterator[Arena]:  # noqa: ANN401  # whatever a setting is
    peers: list[Peer] = []
    try:
        async with asyncio.timeout(WALK_S), _server(settings(folder, **changes)) as server:
            running = Arena(server.url, server)
            peers = running.peers
            yield running
    finally:
        for peer in peers:
            await peer.hang_up()


class Peer:
    """A client."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.heard: list[wire.Message] = []

    async def hang_up(self) -> None:
        """Drop the connection, as a killed process does."""
        self._socket.transport.abort()
        await self._socket.wait_closed()

    def break_the_protocol_and_stay(self) -> None:
        """Send a frame of a kind there is none of, and neither read on nor hang up."""
        self._socket.transport.pause_reading()
        self._socket.transport.write(b"\x83\x80\0\0\0\0")

    @property
    def secret(self) -> str:
        return self.last(wire.Welcome).session

    def last(self, kind: type[M]) -> M:
        return [message for message in self.heard if isinstance(message, kind)][-1]

    async def say(self, *messages: wire.Message) -> None:
        for message in messages:
            await self.send(codec.encode(message))

    async def hello(
        self, name: str, *, token: str | None = None, resume: str | None = None
    ) -> None:
        await self.say(wire.Hello(wire.VERSION, name, token=token, resume=resume))

    async def send(self, frame: bytes, *, text: bool = True) -> None:
        await self._socket.send(frame, text=text)

    def write(self, data: bytes) -> None:
        self._socket.transport.write(data)

    async def send_in_pieces(self, pieces: Sequence[str]) -> None:
        """Send one message as several frames."""
        await self._socket.send(pieces)

    async def ping(self) -> None:
        """Send a ping frame, and don't wait for its pong."""
        await self._socket.ping()

    async def hear(self, kind: type[M]) -> M:
        """Listen until the server says something of that kind."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                message = codec.decode_server(await self._socket.recv())
                self.heard.append(message)
                if isinstance(message, kind):
                    return message

    async def hear_close(self) -> int | None:
        """Listen until the connection is closed; gives the code."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    self.heard.append(codec.decode_server(await self._socket.recv()))
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd is not None else None

    async def play_until(self, kind: type[M]) -> M:
        """Answer every question with the last legal pit, until that kind is heard."""
        while True:
            message = await self.hear(wire.Message)
            if isinstance(message, wire.Turn):
                await self.say(wire.Move(message.game, message.ply, message.legal[-1]))
            if isinstance(message, kind):
                return message


@asynccontextmanager
async def wire_peer(url: str, name: str, *, resume: str | None = None) -> AsyncIterator[Peer]:
    """Provide a client that is welcome, for as long as the block lasts."""
    peer = Peer(await connect(url, compression=None))
    try:
        await peer.hello(name, resume=resume)
        await peer.hear(wire.Welcome)
        yield peer
    finally:
        await peer.hang_up()


def seat_of(server: Server, name: str) -> SocketSeat:
    player = server._sessions.directory.find(name)
    assert player is not None
    assert isinstance(player.seat, SocketSeat)
    return player.seat


def kgp_of(server: Server) -> KgpGateway:
    gateway = server.gateways["kgp"]
    assert isinstance(gateway, KgpGateway)
    return gateway
