"""The game server's end of its publisher's process, which it starts and keeps running.

The process gets rows of the outbox from here and reports which the broker has, so the store has one
writer. A broker can hold up that process, or make it grow, and no game notices.
"""

from __future__ import annotations

from asyncio import StreamReader, StreamWriter
from collections.abc import Callable
from typing import Final

from mancala.protocol import codec

from ..config.settings import Config
from ..health.local_lines import next_message
from ..health.log import Log
from ..health.supervisor import STOP_S, ChildProgram, Supervisor
from ..store import BrokenStoreError
from .address import Address
from .link import (
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
    from_publisher,
    line,
)
from .publishing import PUBLISH_TIMEOUT_S, Outbox

MODULE: Final = "mancala.server.publish"
FINISH_S: Final = PUBLISH_TIMEOUT_S + STOP_S
"""Time for the process to publish what is left, and to end."""
MOST_UNREAD: Final = 1024 * 1024
"""Live moves are dropped while the process has not read this many bytes."""


class PublisherChild:
    """Publishes the outbox in a process of its own.

    Attributes:
        is_connected: whether the broker is connected.
    """

    def __init__(
        self,
        config: Config,
        url: str,
        outbox: Outbox,
        log: Log,
        uniform: Callable[[float, float], float],
    ) -> None:
        """Prepare it.

        Args:
            config: the server's settings.
            url: the broker.
            outbox: what to send.
            log: receives when the process ends unasked.
            uniform: returns a random number between two others.

        Raises:
            ConfigError: when the broker's URL or certificate authority can't be used.
        """
        Address.parse(url, config.broker).context()
        self._config = config
        self._url = url
        self._log = log
        self._outbox = outbox
        self._writer: StreamWriter | None = None
        self._is_woken = False
        self.is_connected = False
        program = ChildProgram(
            name="publisher", module=MODULE, handover=self._handover, converse=self._converse
        )
        self._supervisor = Supervisor(program, log, uniform)

    def wake(self) -> None:
        """Signal that the outbox has new rows, unless the process knows."""
        if not self._is_woken:
            self._is_woken = True
            self._send(Wake())

    def publish_live(self, topic: str, payload: str) -> None:
        """Send a live payload at most once; drop it while the broker is away or slow."""
        writer = self._writer
        if not self.is_connected or writer is None:
            return
        if writer.transport.get_write_buffer_size() < MOST_UNREAD:
            self._send(Live(topic, payload))

    def stop(self) -> None:
        """End :meth:`run` once the outbox is empty."""
        self._supervisor.retire()
        self._send(Stop())

    async def run(self) -> None:
        """Publish until stopped."""
        await self._supervisor.run()

    def _handover(self, link: int) -> bytes:
        config = self._config
        return codec.to_json(
            PublisherHandover(
                *(self._url, config.broker, config.name, config.topics.prefix, link),
                log_level=config.log_level,
            )
        )

    async def _converse(self, reader: StreamReader, writer: StreamWriter) -> None:
        self._writer = writer
        self._is_woken = False
        try:
            while message := await next_message(
                reader, from_publisher, self._log, sender="publisher"
            ):
                await self._receive(message)
        except BrokenStoreError:  # it stops the server by itself
            pass
        finally:
            self._writer = None
            self.is_connected = False

    async def _receive(self, message: FromPublisher) -> None:
        match message:
            case Fetch(number, limit):
                self._is_woken = False
                self._send(Rows(number, tuple(await self._outbox.unpublished(limit))))
            case Mark(number, seqs, at):
                await self._outbox.mark_published(seqs, at)
                self._send(Marked(number))
            case Connected(is_connected):
                self.is_connected = is_connected

    def _send(self, message: ToPublisher) -> None:
        if self._writer is not None:
            self._writer.write(line(message))
