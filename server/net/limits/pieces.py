"""Rests between the reads of a request that comes in many pieces.

A read costs some 20 µs, whether it brings one byte or all that has arrived since the last one. So a
peer that sends one byte a packet could keep a core busy. The first reads of a request are prompt; a
connection rests after each further one, and the next read brings all that arrived meanwhile.
"""

from __future__ import annotations

import asyncio
from typing import Final, Protocol

PROMPT_READS: Final = 4
"""Reads of a request without a rest after them; its head comes with one, or two if it is long."""
REST_S: Final = 0.25
"""How long a connection is not read after each further read, in seconds."""


class Reading(Protocol):
    """What can be told to read no more for a while, as a transport."""

    def pause_reading(self) -> None:
        """Stop reading."""

    def resume_reading(self) -> None:
        """Go on reading."""


class PieceRests:
    """The rests of one connection."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        transport: asyncio.BaseTransport,
        reading: Reading,
    ) -> None:
        """Begin a request.

        Args:
            loop: the event loop.
            transport: the connection; one that is closing reads no more.
            reading: what is paused: the transport, or who keeps count of its pauses.
        """
        self._loop = loop
        self._transport = transport
        self._reading = reading
        self._reads = 0
        self._resting: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Begin the next request."""
        self._reads = 0

    def read_piece(self) -> None:
        """Note a read that completed no request; rest after it if there were many."""
        self._reads += 1
        if self._reads > PROMPT_READS and self._resting is None:
            self._reading.pause_reading()
            self._resting = self._loop.call_later(REST_S, self._end_rest)

    def cancel(self) -> None:
        """Note that the connection is lost."""
        if self._resting is not None:
            self._resting.cancel()

    def _end_rest(self) -> None:
        self._resting = None
        if not self._transport.is_closing():
            self._reading.resume_reading()
