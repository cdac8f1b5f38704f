"""The publisher's own process, started by the game server: it needs the outbox and nothing else."""

from __future__ import annotations

import asyncio
import os  # noqa: TID251  # the root of the publisher's process
import random  # noqa: TID251  # the root of the publisher's process
import socket  # noqa: TID251  # the root of the publisher's process
import sys
from asyncio import StreamReader, StreamWriter
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import count
from typing import Final

from mancala.protocol import codec
from mancala.protocol.results import Topics

from ..health.backoff import backoff
from ..health.local_lines import next_message
from ..health.log import Log, StructuredLog
from ..health.pulse import beat
from ..model.outbox import OutboxRow
from ..model.timestamps import rfc3339
from .address import Address
from .link import (
    LONGEST_LINE,
    Connected,
    Fetch,
    FromPublisher,
    Live,
    Mark,
    Marked,
    PublisherHandover,
    Rows,
    Stop,
    ToPublisher,
    Wake,
    line,
    to_publisher,
)
from .publisher import Publisher, new_client
from .publishing import finish

NICENESS: Final = 5
"""Games come first, then results, then the page."""


class ServerGoneError(Exception):
    """The game server has closed the connection."""


class RemoteOutbox:
    """The outbox of the game server at the other end of a connection.

    Attributes:
        stopping: set when the game server ends.
    """

    def __init__(self, reader: StreamReader, writer: StreamWriter, log: Log) -> None:
        """Use a connection; log what can't be read of it."""
        self._reader = reader
        self._writer = writer
        self._log = log
        self._numbers = count(1)
        self._open: dict[int, asyncio.Future[Rows | Marked]] = {}
        self.stopping = asyncio.Event()

    async def run(self, publisher: Publisher) -> None:
        """Pass on what the game server says, until it closes the connection.

        Raises:
            ServerGoneError: then.
        """
        while message := await next_message(
            self._reader, to_publisher, self._log, sender="game server"
        ):
            self._receive(message, publisher)
        raise ServerGoneError

    def report(self, is_connected: bool) -> None:  # noqa: FBT001  # as the publisher calls it
        """Report whether the broker is connected."""
        self._send(Connected(is_connected))

    async def unpublished(self, limit: int) -> list[OutboxRow]:
        """Return the next rows, at most ``limit``."""
        number = next(self._numbers)
        answer = await self._ask(number, Fetch(number, limit))
        return list(answer.rows) if isinstance(answer, Rows) else []

    async def mark_published(self, seqs: Sequence[int], at: str) -> None:
        """Mark rows that the broker has acknowledged."""
        number = next(self._numbers)
        await self._ask(number, Mark(number, tuple(seqs), at))

    def _receive(self, message: ToPublisher, publisher: Publisher) -> None:
        match message:
            case Wake():
                publisher.wake()
            case Live(topic, payload):
                publisher.publish_live(topic, payload)
            case Stop():
                self.stopping.set()
            case Rows() | Marked():
                waiting = self._open.get(message.number)
                if waiting is not None and not waiting.done():
                    waiting.set_result(message)

    async def _ask(self, number: int, question: FromPublisher) -> Rows | Marked:
        self._open[number] = asyncio.get_running_loop().create_future()
        self._send(question)
        try:
            return await self._open[number]
        finally:
            del self._open[number]

    def _send(self, message: FromPublisher) -> None:
        self._writer.write(line(message))


def run_as_child() -> None:
    """Publish for the game server that started this process, until it stops or is gone."""
    os.setpgid(0, 0)  # Ctrl-C goes to the game server, which ends it
    os.nice(NICENESS)
    handover = codec.from_json(sys.stdin.buffer.read(), PublisherHandover)
    try:
        asyncio.run(_publish(handover))
    except* (ServerGoneError, BrokenPipeError):
        pass


async def _publish(handover: PublisherHandover) -> None:
    link = socket.socket(fileno=handover.link)
    reader, writer = await asyncio.open_connection(sock=link, limit=LONGEST_LINE)  # noqa: TID251  # the root of the publisher's process
    log = StructuredLog(sys.stderr, handover.log_level)
    outbox = RemoteOutbox(reader, writer, log)
    publisher = Publisher(
        Address.parse(handover.url, handover.mqtt),
        outbox,
        server=handover.server,
        topics=Topics(handover.prefix),
        utc=lambda: rfc3339(datetime.now(UTC)),  # noqa: TID251  # the root of the publisher's process
        log=log,
        client=new_client,
        delays=partial(backoff, random.SystemRandom().uniform),
        on_connection=outbox.report,
    )
    async with asyncio.TaskGroup() as tasks:
        beating = tasks.create_task(beat(), name="pulse")
        listening = tasks.create_task(outbox.run(publisher), name="link")
        publishing = tasks.create_task(publisher.run(), name="publisher")
        await outbox.stopping.wait()
        await finish(publisher, publishing)
        writer.close()
        listening.cancel()
        beating.cancel()
