"""Ports are opened, or the one that is taken is named."""

import socket
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from mancala.server.app.server import Server
from mancala.server.config.settings import Config, Kgp
from mancala.server.net.listening import PortError
from tests.server.peers import settings


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


def on(config: Config, setting: str, port: int) -> Config:
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
        f"{setting}: cannot listen on 127.0.0.1:{taken}: address already in use; "
        "0 takes a free port"
    )
    assert server.mqtt_url is None
