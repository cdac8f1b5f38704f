"""A websocket that the gate counts, and that passes each message on as it is read.

``websockets`` puts what it reads into a queue and wakes the task that waits in ``recv()``. That is
a future, a wake-up and an iteration of the event loop for each message, and costs as much as
refereeing a move. Here :meth:`Connection.listen` registers a callback, which gets each message in
the call that read it from the socket. No queue builds up, so no back-pressure is needed; a bounded
read size keeps one connection from holding the loop for long.
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
    """A connection that the gate counts from beginning to end.

    Attributes:
        gate: counts the connection.
        visit: the gate's answer.
    """

    gate: Gate
    visit: Visit

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401  # websockets makes it
        super().__init__(*args, **options)
        self._hear: Callable[[bytes], None] | None = None
        self._begun = bytearray()
        self._is_over = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection; abort it when too many refusals are being sent already."""
        super().connection_made(transport)
        # Not documented, and harmless where there is no such attribute.
        transport.max_size = READ_BYTES  # type: ignore[attr-defined]
        self.visit = self.gate.enter(str(transport.get_extra_info("peername")[0]))
        if not self.visit.is_heard:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Leave the gate, and stop passing messages on."""
        self.gate.leave(self.visit)
        self._hear = None
        self._is_over.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read; unreadable data ends :meth:`listen`, even while the peer stays connected."""
        super().data_received(data)
        if self.protocol.parser_exc is not None:
            self._is_over.set()

    async def listen(self, hear: Callable[[bytes], None]) -> None:
        """Pass on each message, text or binary, until the connection is lost or unreadable.

        Args:
            hear: called with each message as soon as it is read.
        """
        while len(self.recv_messages.frames):
            hear(await self.recv(decode=False))
        self._hear = hear
        await self._is_over.wait()

    def process_event(self, event: Any) -> None:  # noqa: ANN401  # a request first, then frames
        """Pass a message on, or leave the event to ``websockets``."""
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
    """Return a connection class bound to the gate, for ``websockets`` to instantiate."""
    return type("CountedConnection", (Connection,), {"gate": gate})
