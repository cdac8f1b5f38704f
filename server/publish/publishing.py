"""What the game server knows of its publisher, which runs in another process.

So this module imports no client of MQTT, which would be a seventh of what a server imports.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from ..config.settings import Mqtt
from ..health.child_process import Handover
from ..model.journal import OutboxRow, RowRefused
from ..model.schemas.status import Delivery
from ..model.tenure import Tenure

if TYPE_CHECKING:
    from .client import PublishingClient

PUBLISH_TIMEOUT_S: Final = 0.5
"""Time for the last results at the end; the next server publishes the rest."""
NewClient = Callable[..., "PublishingClient"]


ASKED: Final = {
    "unpublished": tuple[int],
    "mark_published": tuple[tuple[int, ...], str],
    "put_aside": tuple[tuple[RowRefused, ...], str],
    "put_aside_after": tuple[int, int],
    "away": str | None,
    "delivery": Delivery,
}
"""What the publisher's process asks for: a method of the `Outbox`, with its arguments; and what it
tells: why the broker is away, if it is, and how far it is known that payloads arrive."""
STOP: Final = "stop"
TOLD: Final = {
    "wake": tuple[()],
    "publish_live": tuple[str, str],
    "retry": tuple[()],
    STOP: tuple[()],
}
"""What it hears: a method of its `Publishing`, with its arguments."""


class PublisherHandover(Handover, frozen=True):
    """What the publisher's process needs to know."""

    url: str
    mqtt: Mqtt
    server: str
    prefix: str
    tenure: Tenure | None = None


class Outbox(Protocol):
    """The queue of payloads to publish."""

    @property
    def tenure(self) -> Tenure | None:
        """The tenure of its server; None where no other server takes over."""

    async def unpublished(self, limit: int) -> list[OutboxRow]:
        """Return the next rows, at most ``limit``."""

    async def mark_published(self, seqs: Sequence[int], at: str) -> None:
        """Mark rows that the broker has acknowledged."""

    async def put_aside(self, refused: Sequence[RowRefused], at: str) -> None:
        """Put rows aside that the broker did not accept."""

    async def put_aside_after(self, seq: int, limit: int) -> list[OutboxRow]:
        """Return the next rows after a number that were put aside, at most ``limit``."""


class Publishing(Protocol):
    """What publishes the outbox, in this process or in one of its own.

    ``away`` is why the broker is not connected, empty where that is not known; None where it is.
    """

    away: str | None
    delivery: Delivery | None

    def wake(self) -> None:
        """Signal that the outbox has new rows."""

    def publish_live(self, topic: str, payload: str) -> None:
        """Send a live payload at most once; drop it while the broker is away."""

    def retry(self) -> None:
        """Try the rows again that were put aside."""

    def stop(self) -> None:
        """End :meth:`run` once the outbox is empty."""

    async def run(self) -> None:
        """Publish until stopped."""


async def finish(
    publisher: Publishing, publishing: asyncio.Task[None], *, within_s: float = PUBLISH_TIMEOUT_S
) -> None:
    """Publish what is left, for a moment, and end the task that publishes."""
    publisher.stop()
    await asyncio.wait([publishing], timeout=within_s if publisher.away is None else 0.0)
    publishing.cancel()
    await asyncio.wait([publishing])  # it marks what was acknowledged, while the store is open
