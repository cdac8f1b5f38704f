"""Ports are opened, and accept connections at a pace."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest

from server.app import Server
from server.config.settings import Config, Kgp
from server.net.listening import ACCEPTS_BURST, PortError, guarded_sockets
from tests.patience import PATIENCE_S
from tests.server.net.doors import OpenDoor
from tests.server.peers import settings


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that another program listens on."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


def on(config: Config, setting: str, port: int) -> Config:
    """Return settings with one of the ports set."""
    if setting.startswith("kgp."):
        return msgspec.structs.replace(
            config, kgp=msgspec.structs.replace(Kgp(), **{setting.removeprefix("kgp."): port})
        )
    return msgspec.structs.replace(config, **{setting: port})


@pytest.mark.parametrize("setting", ["port", "http_port", "kgp.tcp_port", "kgp.ws_port"])
async def test_a_port_in_use_is_named_with_its_setting(
    tmp_path: Path, taken: int, setting: str
) -> None:
    """The operator learns which of the ports to change, and no broker was started for it."""
    server = Server(on(settings(tmp_path), setting, taken))
    with pytest.raises(PortError) as refused:
        await server.__aenter__()
    assert str(refused.value) == (
        f"{setting}: cannot listen on 127.0.0.1:{taken}: address already in use"
    )
    assert server.mqtt_url is None


async def test_a_port_rests_when_connections_come_too_fast() -> None:
    """The kernel keeps them; the port does not look ready meanwhile, and accepts them all later."""
    (listening,) = await guarded_sockets("port", "127.0.0.1", 0, OpenDoor())
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    async with asyncio.timeout(PATIENCE_S):
        with listening, ExitStack() as stack:
            for _ in range(3 * int(ACCEPTS_BURST)):
                stack.enter_context(socket.create_connection(listening.getsockname()))
            accepted, rests = 0, 0
            loop.add_reader(listening, ready.set)
            while accepted < 3 * ACCEPTS_BURST:
                await ready.wait()
                try:
                    stack.enter_context(listening.accept()[0])
                    accepted += 1
                except BlockingIOError:
                    rests += 1
                ready.clear()
            loop.remove_reader(listening)
    assert 0 < rests <= 3 * accepted, "a port that rests must not look ready"
