"""The publisher's own process, started by the game server: it needs the outbox and nothing else."""

import asyncio
import os  # noqa: TID251  # the root of the publisher's process
import random  # noqa: TID251  # the root of the publisher's process
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from typing import Final

from mancala.protocol import codec
from mancala.protocol.results import Topics

from ..health.backoff import backoff
from ..health.child_process import Parent, parent_of
from ..health.link import LinkLostError, LocalLink
from ..model.journal import OutboxRow, RowRefused
from ..model.tenure import Tenure
from ..model.timestamps import rfc3339
from .address import Address
from .client import PublishingClient
from .publisher import Publisher
from .publishing import STOP, TOLD, NewClient, PublisherHandover, finish

NICENESS: Final = 5
"""Games come first; the page, whose readers wait, is at 3."""
LONGEST_LINE: Final = 256 * 1024 * 1024
"""Ample for a chunk of rows that all hold standings of 20,000 bots."""


class RemoteOutbox:
    """The outbox of the game server at the other end of a link."""

    def __init__(self, link: LocalLink, tenure: Tenure | None) -> None:
        self.tenure = tenure
        self._link = link

    async def unpublished(self, limit: int) -> list[OutboxRow]:
        return codec.from_json(await self._link.ask("unpublished", (limit,)), list[OutboxRow])

    async def mark_published(self, seqs: Sequence[int], at: str) -> None:
        await self._link.ask("mark_published", (seqs, at))

    async def put_aside(self, refused: Sequence[RowRefused], at: str) -> None:
        await self._link.ask("put_aside", (refused, at))

    async def put_aside_after(self, seq: int, limit: int) -> list[OutboxRow]:
        found = await self._link.ask("put_aside_after", (seq, limit))
        return codec.from_json(found, list[OutboxRow])


def run_as_child() -> None:
    """Publish for the game server that started this process, until it stops or is gone."""
    os.nice(NICENESS)
    try:
        asyncio.run(_publish())
    except* LinkLostError:
        pass


async def _publish() -> None:
    async with parent_of(PublisherHandover, TOLD, LONGEST_LINE) as (handover, parent):
        await publish_for(
            handover,
            parent,
            utc=lambda: rfc3339(datetime.now(UTC)),  # noqa: TID251  # the root of the publisher's process
            uniform=random.SystemRandom().uniform,
        )


async def publish_for(
    handover: PublisherHandover,
    parent: Parent,
    *,
    utc: Callable[[], str],
    uniform: Callable[[float, float], float],
    client: NewClient = PublishingClient,
) -> None:
    """Publish what a game server has, until it stops; raise `LinkLostError` when it is gone."""
    link, log, *_ = parent
    publisher = Publisher(
        Address.parse(handover.url, handover.mqtt),
        RemoteOutbox(link, handover.tenure),
        server=handover.server,
        topics=Topics(handover.prefix),
        utc=utc,
        log=log,
        client=client,
        delays=partial(backoff, uniform),
        on_connection=partial(link.tell, "away"),
        on_delivery=partial(link.tell, "delivery"),
    )
    stopping = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        publishing = tasks.create_task(publisher.run(), name="publisher")
        listening = tasks.create_task(_listen(link, publisher, stopping), name="link")
        await stopping.wait()
        await finish(publisher, publishing)
        listening.cancel()


async def _listen(link: LocalLink, publisher: Publisher, stopping: asyncio.Event) -> None:
    """Pass on what the game server says, until it closes the connection."""
    with closing(link):  # what the publisher still asks when this ends has no answer
        async for said in link:
            if said.topic == STOP:
                stopping.set()
            else:
                getattr(publisher, said.topic)(*said.body)
    raise LinkLostError


if __name__ == "__main__":
    run_as_child()
