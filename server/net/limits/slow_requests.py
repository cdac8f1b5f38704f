"""Requests that are slow to come: places that are lent, and rests between many pieces.

Where all places for half-open connections are taken, the one that has been silent for longest
yields its own to a newcomer. So a peer that opens connections and says nothing keeps no other out.

A read costs some 20 µs, whether it brings one byte or all that has arrived since the last one. So a
peer that sends one byte a packet could keep a core busy. The first reads of a request are prompt; a
connection rests after each further one, and the next read brings all that arrived meanwhile.
"""

import asyncio
from collections.abc import Callable, Hashable
from typing import Final, Protocol

PROMPT_READS: Final = 4
"""Reads of a request without a rest after them; its head comes with one, or two if it is long."""
REST_S: Final = 0.25
"""How long a connection is not read after each further read, in seconds."""


class HalfOpen:
    """Connections that have yet to bring a whole request, the oldest first; pure."""

    def __init__(self) -> None:
        self._closers: dict[tuple[str, Hashable], Callable[[], object]] = {}

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._closers)

    def add(self, address: str, port: Hashable, close: Callable[[], object]) -> None:
        """Add a connection as the youngest one, or note a better way to close it."""
        self._closers[address, port] = close

    def discard(self, address: str, port: Hashable) -> None:
        """Remove a connection: it has brought a request, or it is closed."""
        self._closers.pop((address, port), None)

    def close_oldest(self, address: str | None = None) -> bool:
        """Close the oldest connection, of one address or of all; return whether there was one."""
        for peer in self._closers:
            if address in (None, peer[0]):
                self._closers.pop(peer)()
                return True
        return False


class Reading(Protocol):
    """What is paused: a transport, or who keeps count of its pauses."""

    def pause_reading(self) -> None:
        """Stop reading."""

    def resume_reading(self) -> None:
        """Go on reading."""


class PieceRests:
    """The rests of one connection; one whose transport is closing reads no more."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        transport: asyncio.BaseTransport,
        reading: Reading,
    ) -> None:
        self._loop = loop
        self._transport = transport
        self._reading = reading
        self._reads = 0
        self._resting: asyncio.TimerHandle | None = None

    def begin(self) -> None:
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
