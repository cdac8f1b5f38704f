"""A websocket that the gate counts, and that hands its messages over as they are read.

``websockets`` puts what it reads into a queue and wakes the task that waits in ``recv()``. That is
a future, a wake-up and a turn of the event loop for each message, and costs as much as to referee
a move. Once somebody listens, a message is handed over in the call that read it from the socket.
Nothing can pile up then, so there is nothing to hold back; how much is read in one go is bounded,
so that nobody has the loop for long.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

from websockets.asyncio.server import ServerConnection
from websockets.frames import DATA_OPCODES, Frame, Opcode

from server.net.gate import Gate, Visit

READ_BYTES: Final = 16 * 1024
"""Some hundred messages, or one of the largest; a read takes fresh memory of this size, and
asyncio's own quarter of a megabyte costs more in page faults than a message does in all."""


class Connection(ServerConnection):
    """A connection that the gate knows of from beginning to end.

    Attributes:
        gate: counts it.
        visit: what the gate said.
    """

    gate: Gate
    visit: Visit

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401  # websockets makes it
        super().__init__(*args, **options)
        self._hear: Callable[[bytes], None] | None = None
        self._begun = bytearray()
        self._is_over = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count it; cut it off when there are too many even to be told."""
        super().connection_made(transport)
        # Not documented, and harmless where there is no such attribute.
        transport.max_size = READ_BYTES  # type: ignore[attr-defined]
        self.visit = self.gate.enter(str(transport.get_extra_info("peername")[0]))
        if not self.visit.is_heard:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Count it no more, and hand nothing over."""
        self.gate.leave(self.visit)
        self._hear = None
        self._is_over.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read; what can't be read ends the conversation, though its sender may yet stay."""
        super().data_received(data)
        if self.protocol.parser_exc is not None:
            self._is_over.set()

    async def listen(self, hear: Callable[[bytes], None]) -> None:
        """Hand over each message, text or not, until the connection is gone or not to be read.

        Args:
            hear: takes a message; called as soon as it is read.
        """
        while len(self.recv_messages.frames):
            hear(await self.recv(decode=False))
        self._hear = hear
        await self._is_over.wait()

    def process_event(self, event: Any) -> None:  # noqa: ANN401  # a request first, then frames
        """Hand a message over, or leave the event to ``websockets``."""
        if self._hear is None or not isinstance(event, Frame) or event.opcode not in DATA_OPCODES:
            super().process_event(event)
        elif event.fin and event.opcode is not Opcode.CONT:
            self._hear(bytes(event.data))
        else:
            self._begun += event.data  # of bounded size, however many fragments there are
            if event.fin:
                message, self._begun = bytes(self._begun), bytearray()
                self._hear(message)


def counted_by(gate: Gate) -> type[Connection]:
    """Make the class of connections that a gate counts; websockets makes them itself."""
    return type("CountedConnection", (Connection,), {"gate": gate})
