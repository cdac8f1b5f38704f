"""Whether payloads arrive at a broker that says nothing about it.

Under MQTT 3.1.1 a broker acknowledges what it refuses, too. So the first payload of each kind on a
connection is read back, if the broker lets its publisher read. Where nothing comes back, it is
either not allowed to read or not allowed to write. It cannot tell which, and says so.

A topic may hold what a stranger retained there, which may be larger than the client takes. The
connection ends with it, and on the next ones nothing is read back.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from ..health.backoff import wait_at_most
from .client import PublishingClient

LONGEST: Final = 32 * 1024
"""The longest payload that is read back, in bytes; the client takes packets of twice that."""
PATIENCE_S: Final = 2.0
"""How long a payload may take to come back."""


class ReadBack:
    """The kinds of payloads, and whether each came back.

    Attributes:
        kinds: by what stands before and behind the id in their topics.
        is_off: whether nothing is read back any more.
    """

    def __init__(self, prefix: str) -> None:
        self.kinds: dict[tuple[str, str], bool] = {}
        self.is_off = False
        self._prefix = f"{prefix}/"
        self._awaited: tuple[str, bytes] | None = None
        self._has_come = asyncio.Event()

    @property
    def is_verified(self) -> bool:
        """Whether each kind that was published came back."""
        return bool(self.kinds) and all(self.kinds.values())

    def is_due(self, topic: str, payload: str) -> bool:
        """Return whether a payload is the first of its kind."""
        is_first = self._kind(topic) not in self.kinds
        return is_first and not self.is_off and len(payload) <= LONGEST

    @asynccontextmanager
    async def reading(
        self, client: PublishingClient, topic: str, payload: str, *, is_read: bool
    ) -> AsyncIterator[None]:
        """Read back what the block publishes, if it is to be; note whether it came."""
        if not is_read:
            yield
            return
        self._awaited = topic, payload.encode()
        self._has_come.clear()
        await client.subscribe(topic, qos=1)
        yield
        await wait_at_most(PATIENCE_S, self._has_come)
        self.kinds[self._kind(topic)] = self._has_come.is_set()
        await client.unsubscribe(topic)

    def hear(self, topic: str, payload: object) -> None:
        if (topic, payload) == self._awaited:
            self._has_come.set()

    def _kind(self, topic: str) -> tuple[str, str]:
        levels = topic.removeprefix(self._prefix).split("/")
        return levels[0], levels[-1]
