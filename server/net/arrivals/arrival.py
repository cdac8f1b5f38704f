"""What the kernel knows of a connection: when a message arrived, and the round trip.

When a message arrived is not when the event loop came round to reading it. The kernel notes when
the newest data of a TCP connection arrived (``tcpi_last_data_recv`` of ``TCP_INFO``, to a tick of 1
to 10 ms). If a read ends with the message, and nothing is left unread, then the newest data is the
end of the message, and its arrival is known. Otherwise the newest data came after it, so that only
the latest possible arrival is known. The same holds where TLS has taken a part of the next record
from the socket. Where there is no ``TCP_INFO``, all that is known is that the message arrived
before it was read.

Where the server was stalled, a watcher has noted meanwhile how much each connection had received
and when (:mod:`mancala.server.net.arrivals.segments`). So an answer counts that came in time,
whatever came after it.

The round trip is that of acknowledgements, which a peer's kernel sends without the program. The
time of the last one says whether the peer's machine is there, though its program answers no ping.
``tcpi_min_rtt`` is the smallest of the last minutes; the smoothed round trip would include up to
40 ms for which a kernel may hold an acknowledgement back.
"""

from __future__ import annotations

import array
import asyncio
import fcntl
import socket  # noqa: TID251  # for the names of options
import struct
import termios
from contextlib import suppress
from math import inf
from typing import Any, Final, NamedTuple

from ...model.timers import Stall
from .segments import TCP_INFO, SegmentLog

HAS_INFO: Final = hasattr(socket, "TCP_INFO")
SO_COOKIE: Final = 57
"""``asm-generic/socket.h``."""
TICK_S: Final = 0.01
"""How far the kernel's ages are rounded, at most."""
UNKNOWN_RTT: Final = 0xFFFFFFFF
"""All bits are set before the first measurement."""


class Arrival(NamedTuple):
    """Within which bounds a message arrived, in seconds on the event loop's clock.

    Attributes:
        stall: one that had just ended when another process read the message.
    """

    earliest: float
    latest: float
    stall: Stall | None = None

    @classmethod
    def at(cls, instant: float) -> Arrival:
        """Return an arrival that is known."""
        return cls(instant, instant)


class TcpInfo(NamedTuple):
    """What the kernel knows of a connection; it has no round trip before the first."""

    data_age_s: float
    min_rtt_s: float | None
    received: int = 0
    receipt_age_s: float = 0.0

    @classmethod
    def of(cls, transport: asyncio.BaseTransport) -> TcpInfo | None:
        """Return the kernel's figures; None if it has none, as on other systems than Linux."""
        sock = transport.get_extra_info("socket")
        if sock is None or not HAS_INFO:
            return None
        try:
            info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO.size)
        except OSError:  # it is closed, or no TCP socket
            return None
        if len(info) < TCP_INFO.size:
            return None
        age_ms, receipt_ms, received, rtt_us = TCP_INFO.unpack(info)
        rtt_s = None if rtt_us == UNKNOWN_RTT else rtt_us / 1e6
        return cls(age_ms / 1000, rtt_s, received, receipt_ms / 1000)


class Stream(NamedTuple):
    """A connection in the watcher's notes: the number of its socket, and where its bytes begin."""

    cookie: int
    begin: int

    @classmethod
    def of(cls, transport: asyncio.BaseTransport) -> Stream | None:
        """Return it for a connection of which nothing was read yet; None where TLS hides bytes."""
        sock = transport.get_extra_info("socket")
        if sock is None or transport.get_extra_info("ssl_object") is not None:
            return None
        unread = _unread_bytes(sock)  # before the count: what comes between makes it larger
        info = TcpInfo.of(transport)
        if info is None or unread is None:
            return None
        with suppress(OSError):
            (cookie,) = struct.unpack("Q", sock.getsockopt(socket.SOL_SOCKET, SO_COOKIE, 8))
            return cls(cookie, info.received - unread)
        return None


def acknowledged_s(transport: asyncio.BaseTransport) -> float | None:
    """Return the smallest round trip of acknowledgements in seconds; None if it isn't known."""
    info = TcpInfo.of(transport)
    return None if info is None else info.min_rtt_s


def has_acknowledged(transport: asyncio.BaseTransport, within_s: float) -> bool:
    """Return whether the peer's kernel acknowledged anything in the last seconds, as is known."""
    info = TcpInfo.of(transport)
    return info is not None and info.receipt_age_s < within_s + TICK_S


def arrival(transport: asyncio.BaseTransport, now: float, *, is_last: bool) -> Arrival:
    """Return when a message arrived that was read a moment ago; the read may have ended with it."""
    info = TcpInfo.of(transport)
    if info is None:
        return Arrival(-inf, now)
    latest = now - info.data_age_s
    is_newest = is_last and not has_unread(transport)
    return Arrival(latest if is_newest else -inf, latest)


def noted_arrival(
    found: Arrival, segments: SegmentLog, stream: Stream | None, read_bytes: int
) -> Arrival:
    """Return an arrival with the bounds that the watcher has noted in a stall."""
    if found.earliest == found.latest or stream is None:
        return found
    earliest, latest = segments.bounds(stream.cookie, stream.begin + read_bytes)
    latest = min(latest, found.latest)
    return Arrival(min(max(earliest, found.earliest), latest), latest)


def has_unread(transport: asyncio.BaseTransport) -> bool:
    """Return whether bytes are left in the socket, or in the buffer of TLS."""
    sock = transport.get_extra_info("socket")
    if sock is None:
        return False
    return _unread_bytes(sock) != 0 or _has_part_of_record(transport)


def _unread_bytes(sock: Any) -> int | None:  # noqa: ANN401  # event loops have types of their own
    unread = array.array("i", [0])
    try:
        fcntl.ioctl(sock.fileno(), termios.FIONREAD, unread)
    except OSError:
        return None
    return unread[0]


def _has_part_of_record(transport: Any) -> bool:  # noqa: ANN401  # its attributes are not documented
    if transport.get_extra_info("ssl_object") is None:
        return False
    incoming = getattr(getattr(transport, "_ssl_protocol", None), "_incoming", None)
    return incoming is None or bool(incoming.pending)
