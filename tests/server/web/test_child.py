"""What the web process is given."""

import asyncio
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest

from mancala.protocol import codec
from mancala.server.config.settings import Config, Mqtt
from mancala.server.health.log import NullLog
from mancala.server.net.listening import listening_socket
from mancala.server.web.child import web_child, web_settings


def test_the_web_process_is_given_no_secrets_of_others() -> None:
    """It had the tokens of fronts and the password of the broker among its settings."""
    config = Config(
        name="arena",
        http_port=8080,
        front_tokens={"paris": "a-secret-of-a-front"},
        status_token="a-secret-of-the-organiser",  # noqa: S106  # a sample
        mqtt=Mqtt(url="mqtt://ann:a-secret-in-a-url@broker", password="a-secret"),  # noqa: S106
        gateways={"clock": {"key": "a-secret-of-a-plug-in"}},
    )
    assert b"secret" not in codec.to_json(web_settings(config))
    assert web_settings(config).http_port == 8080


async def test_the_pages_port_is_open_before_its_process_serves() -> None:
    """It is the game server's own: another server that is given it says so, and begins after it."""

    async def start(*_: object, **__: object) -> Any:  # noqa: ANN401  # a process that never comes
        await asyncio.Event().wait()

    model: Any = SimpleNamespace(config=Config(http_port=0))
    parts = NullLog(), min, start, listening_socket, float
    async with web_child(model, *parts) as child:
        place = urlsplit(child.url)
        with pytest.raises(OSError, match="http_port"):
            await listening_socket("127.0.0.1", place.port or 0, "http_port")
    (await listening_socket("127.0.0.1", place.port or 0, "http_port")).close()
    assert place.scheme == "http"
