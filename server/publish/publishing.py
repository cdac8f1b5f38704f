"""What the game server knows of its publisher, which runs in another process.

So this module imports no client of MQTT, which would be a seventh of what a server imports.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from ..config.settings import Mqtt
from ..health.child_process import Handover
from ..model.journal import OutboxRow

if TYPE_CHECKING:
    import aiomqtt

PUBLISH_TIMEOUT_S: Final = 0.5
"""Time for the last results at the end; the next server publishes the rest."""
NewClient = Callable[..., "aiomqtt.Client"]


class Acknowledged(NamedTuple):
    """Rows that the broker has acknowledged, and when."""

    seqs: tuple[int, ...]
    at: str


FETCH: Final = "fetch"
MARK: Final = "mark"
CONNECTED: Final = "connected"
ASKED: Final = {FETCH: int, MARK: Acknowledged, CONNECTED: bool}
"""What the publisher's process asks for: the next N rows of the outbox, and that rows are marked;
and what it tells: whether the broker is connected."""
WAKE: Final = "wake"
LIVE: Final = "live"
STOP: Final = "stop"
TOLD: Final = {WAKE: None, LIVE: tuple[str, str], STOP: None}
"""What it hears: that the outbox has new rows, a topic with a live payload, and that it is to
publish what it can in a moment, and to end."""


class PublisherHandover(Handover, frozen=True, kw_only=True):
    """What the publisher's process needs to know."""

    url: str
    mqtt: Mqtt
    server: str
    prefix: str


class Outbox(Protocol):
    """The queue of payloads to publish."""

    async def unpublished(self, limit: int) -> list[OutboxRow]:
        """Return the next rows, at most ``limit``."""

    async def mark_published(self, seqs: Sequence[int], at: str) -> None:
        """Mark rows that the broker has acknowledged."""


class Publishing(Protocol):
    """What publishes the outbox, in this process or in one of its own."""

    is_connected: bool

    def wake(self) -> None:
        """Signal that the outbox has new rows."""

    def publish_live(self, topic: str, payload: str) -> None:
        """Send a live payload at most once; drop it while the broker is away."""

    def stop(self) -> None:
        """End :meth:`run` once the outbox is empty."""

    async def run(self) -> None:
        """Publish until stopped."""


async def finish(
    publisher: Publishing, publishing: asyncio.Task[None], *, within_s: float = PUBLISH_TIMEOUT_S
) -> None:
    """Publish what is left, for a moment, and end the task that publishes."""
    publisher.stop()
    await asyncio.wait([publishing], timeout=within_s if publisher.is_connected else 0.0)
    publishing.cancel()
    await asyncio.wait([publishing])  # it marks what was acknowledged, while the store is open
