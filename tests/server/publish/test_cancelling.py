"""A publisher that is cancelled ends, whatever its connection does in that moment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from itertools import repeat
from typing import Any, Self

import aiomqtt
import pytest

from mancala.protocol.results import Topics
from mancala.server.health.log import NullLog
from mancala.server.model.outbox import OutboxRow
from mancala.server.publish.address import Address
from mancala.server.publish.publisher import Publisher
from mancala.server.system import utc
from tests.patience import PATIENCE_S


class EmptyOutbox:
    """An empty one."""

    async def unpublished(self, _limit: int) -> list[OutboxRow]:
        """Return nothing."""
        return []

    async def mark_published(self, _seqs: Sequence[int], _at: str) -> None:
        """Mark nothing."""


class LostConnection:
    """A connection to a broker, which breaks with an event."""

    def __init__(self, begun: asyncio.Event, broken: asyncio.Event) -> None:
        self._begun = begun
        self._broken = broken

    async def __aenter__(self) -> Self:
        """Connect."""
        self._begun.set()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Disconnect."""

    async def publish(self, *_: object, **_options: object) -> None:
        """Publish."""

    @property
    def messages(self) -> AsyncIterator[object]:
        """Nothing, until it breaks."""
        return self._until_broken()

    async def _until_broken(self) -> AsyncIterator[object]:
        await self._broken.wait()
        raise aiomqtt.MqttError("disconnected")
        yield


@pytest.mark.parametrize("turns", range(8))
async def test_a_cancelled_publisher_ends_also_while_its_connection_breaks(turns: int) -> None:
    """It does not connect again; the server would wait for it without end."""
    begun, broken = asyncio.Event(), asyncio.Event()

    def connect(*_: object, **_options: object) -> Any:  # noqa: ANN401  # it has the methods that are used
        return LostConnection(begun, broken)

    publisher = Publisher(
        Address("test", 1883, tls=False, user=None, password=None),
        EmptyOutbox(),
        server="test",
        topics=Topics("mancala"),
        utc=utc,
        log=NullLog(),
        client=connect,
        delays=lambda: repeat(0.0),
    )
    publishing = asyncio.create_task(publisher.run())
    await begun.wait()
    broken.set()
    for _ in range(turns):
        await asyncio.sleep(0)
    publishing.cancel()
    await asyncio.wait({publishing}, timeout=PATIENCE_S)
    assert publishing.cancelled()
