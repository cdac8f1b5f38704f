"""Connections in memory: a stream that is late, is lost, or falls silent."""

import asyncio
import random
from collections.abc import Awaitable, Callable

import pytest

from tests.server.net.doors import OpenDoor
from tests.simulate.full_stack.host import SimulatedHost
from tests.simulate.full_stack.loop import FullStackLoop
from tests.simulate.full_stack.network import Network, SharedLink
from tests.simulate.full_stack.packet_tap import DeafTap
from tests.simulate.loop import run
from tests.simulate.trace import Trace

SERVER = "192.0.2.1"
PORT = 8765


class Town:
    """A server, a client, and the links between them."""

    def __init__(self, loop: FullStackLoop) -> None:
        self.links: list[SharedLink] = []
        scenario = Trace(random.Random(1), loop.time)
        loop.network = self.network = Network(loop, scenario, self)
        self.server = SimulatedHost("server", SERVER)
        self.client = SimulatedHost("ann", "192.0.2.9", delay_s=0.1)

    def dialled(self, host: SimulatedHost) -> None:
        """Ignore an attempt to connect."""

    def tap(self, link: SharedLink, host: SimulatedHost) -> tuple[DeafTap, DeafTap]:
        del host
        self.links.append(link)
        return DeafTap(), DeafTap()

    async def listen(
        self, serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
    ) -> None:
        (place,) = await self.network.open_ports("port", SERVER, PORT, OpenDoor())

        def protocol(_address: str) -> asyncio.StreamReaderProtocol:
            return asyncio.StreamReaderProtocol(asyncio.StreamReader(), serve)

        async def open_port() -> None:
            place.serve(protocol, None, 10.0)

        await self.server.start(open_port(), "open")


def in_town(scenario: Callable[[Town], Awaitable[None]]) -> None:
    async def main(loop: FullStackLoop) -> None:
        town = Town(loop)
        try:
            await scenario(town)
        finally:
            town.server.kill()
            town.client.kill()

    run(main, FullStackLoop)


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(100):
        writer.write(data)
    writer.close()


def test_what_is_sent_arrives_late_and_in_order_in_both_directions() -> None:
    """However it is cut into pieces on its way."""
    heard = bytearray()
    sent = bytes(range(256)) * 20

    async def talk() -> None:
        reader, writer = await asyncio.open_connection(SERVER, PORT)
        for place in range(0, len(sent), 64):
            writer.write(sent[place : place + 64])
        writer.write_eof()
        heard.extend(await reader.read())
        writer.close()

    async def scenario(town: Town) -> None:
        await town.listen(echo)
        await town.client.start(talk(), "talk")

    in_town(scenario)
    assert bytes(heard) == sent


def test_a_reader_that_pauses_holds_the_writer_back() -> None:
    """Nothing is lost, and the writer waits until there is room."""
    total = 400_000
    times: list[float] = []

    async def sink(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(30)
        assert len(await reader.readexactly(total)) == total
        writer.close()

    async def talk() -> None:
        _reader, writer = await asyncio.open_connection(SERVER, PORT)
        for _ in range(4):
            writer.write(bytes(total // 4))
            await writer.drain()
        times.append(asyncio.get_running_loop().time())
        writer.close()

    async def scenario(town: Town) -> None:
        await town.listen(sink)
        times.append(asyncio.get_running_loop().time())
        await town.client.start(talk(), "talk")
        await asyncio.sleep(60)

    in_town(scenario)
    assert times[1] - times[0] > 29


def test_a_process_that_dies_resets_its_connections() -> None:
    """The other end learns it from the kernel; a new connection is refused."""
    errors: list[type[Exception]] = []

    async def talk() -> None:
        reader, _writer = await asyncio.open_connection(SERVER, PORT)
        for attempt in (reader.read(1), asyncio.open_connection(SERVER, PORT)):
            try:
                await attempt
            except ConnectionError as error:
                errors.append(type(error))

    async def scenario(town: Town) -> None:
        await town.listen(echo)
        talking = town.client.start(talk(), "talk")
        await asyncio.sleep(5)
        town.server.kill()
        town.network.close_all()
        await talking

    in_town(scenario)
    assert errors == [ConnectionResetError, ConnectionRefusedError]


def test_a_silent_connection_tells_neither_end() -> None:
    """Only a timeout of its own helps a program."""

    async def talk(town: Town) -> None:
        reader, writer = await asyncio.open_connection(SERVER, PORT)
        town.links[0].lose(None, None)
        writer.write(b"hello")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(reader.read(1), 3600)
        writer.close()

    async def scenario(town: Town) -> None:
        await town.listen(echo)
        await town.client.start(talk(town), "talk")

    in_town(scenario)
