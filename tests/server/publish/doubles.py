"""What a publisher has here instead of a store and a broker: outboxes, and connections."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, Self

from mancala.protocol.results import Topics
from mancala.server.app.system import utc
from mancala.server.health.log import NullLog
from mancala.server.model.journal import OutboxRow, RowRefused
from mancala.server.model.tenure import Tenure
from mancala.server.publish.address import Address
from mancala.server.publish.publisher import Publisher
from mancala.server.publish.publishing import Outbox
from tests.patience import PATIENCE_S


@dataclass
class KeptOutbox:
    """An outbox in memory, with what was put aside.

    Attributes:
        waiting: what is to be published, by number.
        aside: what was put aside, by number.
        published: the numbers of what the broker has, in the order of the marks.
        refusals: how often each row was refused.
        changed: set by each change.
    """

    waiting: dict[int, OutboxRow] = field(default_factory=dict)
    aside: dict[int, OutboxRow] = field(default_factory=dict)
    published: list[int] = field(default_factory=list)
    refusals: dict[int, int] = field(default_factory=dict)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    tenure: Tenure | None = None

    async def unpublished(self, limit: int) -> list[OutboxRow]:
        return list(self.waiting.values())[:limit]

    async def mark_published(self, seqs: Sequence[int], _at: str) -> None:
        for seq in seqs:
            self.published.append(seq)
            self.waiting.pop(seq, None)
            self.aside.pop(seq, None)
        self.changed.set()

    async def put_aside(self, refused: Sequence[RowRefused], _at: str) -> None:
        for seq, why in refused:
            row = self.waiting.pop(seq, None) or self.aside[seq]
            self.aside[seq] = row._replace(refused=why)
            self.refusals[seq] = self.refusals.get(seq, 0) + 1
        self.changed.set()

    async def put_aside_after(self, seq: int, limit: int) -> list[OutboxRow]:
        return [row for _, row in sorted(self.aside.items()) if row.seq > seq][:limit]

    async def until(self, published: int, aside: int = 0) -> None:
        """Wait until N rows are published, and M put aside."""
        async with asyncio.timeout(PATIENCE_S):
            while (len(self.published), len(self.aside)) != (published, aside):
                self.changed.clear()
                await self.changed.wait()

    async def until_refused(self, times: int) -> None:
        """Wait until rows were put aside so often in all."""
        async with asyncio.timeout(PATIENCE_S):
            while sum(self.refusals.values()) != times:
                self.changed.clear()
                await self.changed.wait()


class QuietConnection:
    """A connection to a broker that acknowledges what is published, and says nothing."""

    has_reasons = True
    is_refused = False
    is_overwhelmed = False
    window = 100
    cause = staticmethod(str)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Disconnect."""

    def deliver(self, *_: Any, **_options: Any) -> asyncio.Future[Any]:  # noqa: ANN401  # a topic, what is said, and how
        answer = asyncio.get_running_loop().create_future()
        answer.set_result(None)
        return answer

    @property
    async def messages(self) -> AsyncIterator[None]:
        await asyncio.Event().wait()
        yield


def publisher_of(
    outbox: Outbox,
    client: Callable[..., Any],
    prefix: str = "mancala",
    **options: Any,  # noqa: ANN401  # of a publisher, and a port
) -> Publisher:
    """Return a publisher to a broker at a ``port`` of this machine; other options are usual."""
    address = Address("127.0.0.1", options.pop("port", 1883), tls=False, user=None, password=None)
    usual: dict[str, Any] = {
        "utc": utc,
        "log": NullLog(),
        "delays": lambda: repeat(0.0),
        "server": "test",
    }
    return Publisher(address, outbox, topics=Topics(prefix), client=client, **(usual | options))
