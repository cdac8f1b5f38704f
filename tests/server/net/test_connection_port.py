"""A port closes in a bounded time, whatever its peers do, and refuses a flood unheard."""

import asyncio

import pytest
from websockets import CloseCode

from mancala.server.config.settings import LiveConfig
from mancala.server.net.connection import Connection
from mancala.server.net.connection_port import ConnectionPort
from mancala.server.net.handshake import ConnectionOptions
from mancala.server.net.limits import costs as prices
from mancala.server.net.limits.gate import Gate
from mancala.server.net.listening import guarded_ports
from tests.patience import PATIENCE_S, connect
from tests.server.fakes import limited
from tests.server.net.test_listener import reset

HOST = "127.0.0.1"
FOREVER_S = 100 * PATIENCE_S


def port(limits: LiveConfig) -> ConnectionPort[Connection]:
    """Return a port that is not open yet; its connections last until they are closed."""

    async def serve_one(connection: Connection) -> None:
        await connection.listen(lambda _message: None)

    return ConnectionPort(
        serve_one,
        Gate(limits),
        None,
        guarded_ports,
        Connection,
        ConnectionOptions(max_size=1024, handshake_s=FOREVER_S),
    )


async def test_peers_that_never_answer_do_not_hold_up_the_end() -> None:
    """One is silent in its handshake, one does not read the close; both are cut off."""
    listening = port(limited())
    number = await listening.open("port", HOST, 0)
    mute_reader, mute = await asyncio.open_connection(HOST, number)  # accepted before the next one
    async with connect(f"ws://{HOST}:{number}", close_timeout=0) as deaf:
        deaf.transport.pause_reading()
        async with asyncio.timeout(PATIENCE_S):
            await listening.close(CloseCode.SERVICE_RESTART)
            assert await mute_reader.read() == b""
        deaf.transport.abort()
    mute.close()


async def test_a_flood_of_connections_is_reset_before_any_handshake() -> None:
    """What the address can't pay for within the longest wait is refused; others wait."""
    rate = 0.001
    listening = port(limited(exempt=(), address_burst=1, address_per_s=rate))
    number = await listening.open("port", HOST, 0)
    assert prices.HANDSHAKE / rate > prices.LONGEST_WAIT_S
    async with asyncio.timeout(PATIENCE_S):
        reader, writer = await asyncio.open_connection(HOST, number)
        with pytest.raises(ConnectionResetError):
            await reset(number)
        assert not reader.at_eof()
        await listening.close(CloseCode.SERVICE_RESTART)
    writer.close()


async def test_a_port_listens_on_every_address_of_its_host() -> None:
    """All of this machine: the same number for each."""
    listening = port(limited())
    number = await listening.open("port", "", 0)
    async with connect(f"ws://{HOST}:{number}"):
        pass
    await listening.close(CloseCode.SERVICE_RESTART)
