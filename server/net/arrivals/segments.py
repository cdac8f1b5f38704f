"""When the bytes of connections arrived while the server was stalled: what its watcher has noted.

The kernel keeps one instant for a connection, that of its newest data. A message that arrived in
time can't be told from a late one any more as soon as a ping has come after it, even with receive
timestamps, because the kernel joins segments that wait to be read and keeps the last one's. So a
process of its own (:mod:`mancala.server.net.arrivals.segment_watcher`) looks while the server is
stalled, and notes for each connection how many bytes it has received, and when the newest of them
came. It writes to memory that both share, so the server reads it without waiting, also in the first
instant after the stall.

The server writes the time there, a *beat*, as often as its loop runs, and the ports to look at. A
note is a fact whatever became of others: one that is missing or overwritten only leaves the bounds
wider.
"""

import struct
from collections import deque
from collections.abc import Iterable
from math import inf
from mmap import mmap
from typing import Final, NamedTuple

TCP_INFO: Final = struct.Struct("=52xII68xQ12xI")
"""``tcpi_last_data_recv``, ``tcpi_last_ack_recv`` (ms), ``tcpi_bytes_received`` and
``tcpi_min_rtt`` (µs) in ``struct tcp_info`` of ``linux/tcp.h``."""
PORTS: Final = 8
HEADER: Final = struct.Struct("=dQ")
"""The beat, and how many notes were written."""
PORT: Final = struct.Struct("=H")
NOTE: Final = struct.Struct("=QQd")
NOTES: Final = 32 * 1024
"""A thousand connections can each receive thirty segments in one stall."""
FIRST_NOTE: Final = HEADER.size + PORTS * PORT.size
MEMORY_BYTES: Final = FIRST_NOTE + NOTES * NOTE.size
KEPT: Final = 64
"""Notes kept of one connection."""
MOST_CONNECTIONS: Final = 16 * 1024

Memory = mmap | bytearray


class Received(NamedTuple):
    """The bytes that a connection has received; ``at`` is when the newest came (monotonic clock).

    No other socket has the same ``cookie``.
    """

    cookie: int
    total: int
    at: float


class SegmentRecorder:
    """The watcher's end, which writes to shared memory."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._written = HEADER.unpack_from(memory)[1]
        self._known: dict[int, int] = {}

    @property
    def beat(self) -> float:
        return float(HEADER.unpack_from(self._memory)[0])

    @property
    def ports(self) -> tuple[int, ...]:
        found = (PORT.unpack_from(self._memory, place)[0] for place in _PLACES)
        return tuple(filter(None, found))

    def note(self, connections: Iterable[Received]) -> None:
        for found in connections:
            if self._known.get(found.cookie) != found.total:
                self._known[found.cookie] = found.total
                place = FIRST_NOTE + self._written % NOTES * NOTE.size
                NOTE.pack_into(self._memory, place, *found)
                self._written += 1
        struct.pack_into("=Q", self._memory, 8, self._written)

    def forget(self) -> None:
        """Note all connections again in the next stall."""
        self._known.clear()


class SegmentLog:
    """The server's end, which reads shared memory; without a watcher it knows nothing."""

    def __init__(self, memory: Memory | None = None) -> None:
        self._memory = memory
        self._read = 0
        self._notes: dict[int, deque[Received]] = {}

    def beat(self, now: float) -> None:
        if self._memory is not None:
            struct.pack_into("=d", self._memory, 0, now)

    def watch(self, port: int) -> None:
        if self._memory is None:
            return
        for place in _PLACES:
            if PORT.unpack_from(self._memory, place)[0] in {0, port}:
                PORT.pack_into(self._memory, place, port)
                return

    def bounds(self, cookie: int, position: int) -> tuple[float, float]:
        """Return the bounds of the instant at which the byte before a position arrived."""
        self._refresh()
        earliest = -inf
        for note in self._notes.get(cookie, ()):
            if note.total == position:
                return note.at, note.at
            if note.total > position:
                return earliest, note.at
            earliest = note.at
        return earliest, inf

    def _refresh(self) -> None:
        if self._memory is None:
            return
        written = HEADER.unpack_from(self._memory)[1]
        for number in range(max(self._read, written - NOTES), written):
            place = FIRST_NOTE + number % NOTES * NOTE.size
            note = Received(*NOTE.unpack_from(self._memory, place))
            if len(self._notes) >= MOST_CONNECTIONS and note.cookie not in self._notes:
                del self._notes[next(iter(self._notes))]
            self._notes.setdefault(note.cookie, deque(maxlen=KEPT)).append(note)
        self._read = written


_PLACES: Final = tuple(HEADER.size + number * PORT.size for number in range(PORTS))
NO_SEGMENTS: Final = SegmentLog()
"""Of a server without a watcher."""
