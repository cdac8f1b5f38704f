"""A broker is tried as a server uses it."""

from __future__ import annotations

import asyncio

import pytest

from mancala.server.publish.address import Address
from mancala.server.publish.trial import not_read_back

LEVEL = 8
"""The place of the protocol's level in a packet that connects: 4 is MQTT 3.1.1."""


async def test_each_version_is_tried() -> None:
    """A broker of MQTT 5 alone was called bad, although a server publishes there."""
    levels = []

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        levels.append((await reader.readexactly(LEVEL + 1))[LEVEL])
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as broker:
        port = broker.sockets[0].getsockname()[1]
        address = Address("127.0.0.1", port, tls=False, user=None, password=None)
        with pytest.raises(OSError, match=r"no connection: .*; are scheme and port of mqtt\.url "):
            await not_read_back(address, ["games"])
    assert levels == [5, 4]
