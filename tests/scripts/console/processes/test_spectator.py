"""A spectator, against a scripted server."""

import asyncio

import pytest
from websockets.asyncio.server import ServerConnection, serve

from mancala.bot.client.reconnect import dial
from mancala.protocol import codec
from mancala.protocol.messages import Hello, Limits, ServerMessage, Watch, Welcome
from mancala.protocol.session import RemoteProtocolError
from mancala.scripts.console.processes.subscriber import Spectator
from tests.scripts.demo.test_view import game_start, moved

WELCOME = Welcome("mancala.v1", "test", "secret", resumed=False, limits=Limits(16384, 10, 30.0))


async def test_a_spectator_hears_the_games_it_asks_for() -> None:
    """It greets, waits for its welcome, asks, and hands on what it hears in order."""
    heard: list[ServerMessage] = []

    async def far_side(socket: ServerConnection) -> None:
        assert isinstance(codec.decode_client(await socket.recv()), Hello)
        await socket.send(codec.encode(WELCOME).decode())
        assert codec.decode_client(await socket.recv()) == Watch(ladder="main")
        for message in (game_start(), moved(2)):
            await socket.send(codec.encode(message).decode())

    async with serve(far_side, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with dial(f"ws://127.0.0.1:{port}") as socket, asyncio.TaskGroup() as group:
            spectator = Spectator(socket, heard.append)
            group.create_task(spectator.run("audience"))
            await spectator.watch("main")
    assert heard == [WELCOME, game_start(), moved(2)]


async def test_a_server_that_talks_out_of_place_is_not_believed() -> None:
    """A move of a game that was never shown is the server's fault, and named as such."""

    async def far_side(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.send(codec.encode(moved(2)).decode())

    async with serve(far_side, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with dial(f"ws://127.0.0.1:{port}") as socket:
            with pytest.raises(RemoteProtocolError):
                await Spectator(socket, lambda _message: None).run("audience")
