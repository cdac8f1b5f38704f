"""The two connections that carry KGP lines: TCP, and one line a websocket frame."""

from __future__ import annotations

import asyncio
import contextlib
import socket  # noqa: TID251  # for the names of options
from typing import Final

from ..arrivals.arrival import Arrival, acknowledged_s, arrival
from ..connection import CLOSE_TIMEOUT_S, Connection

QUICKACK: Final = getattr(socket, "TCP_QUICKACK", None)


class TcpWire:
    """A TCP connection with a bounded send buffer."""

    def __init__(self, writer: asyncio.StreamWriter, address: str, outgoing_bytes: int) -> None:
        self._writer = writer
        self._address = address
        self._outgoing_bytes = outgoing_bytes
        self._socket = writer.get_extra_info("socket")
        self._is_closing = False
        self.acknowledge()

    @property
    def address(self) -> str:
        """The peer's address."""
        return self._address

    @property
    def is_lost(self) -> bool:
        """Whether nothing comes any more."""
        return self._writer.transport.is_closing()

    def acknowledge(self) -> None:
        """Ask the kernel to acknowledge the next segment without delay."""
        if QUICKACK is not None and self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.setsockopt(socket.IPPROTO_TCP, QUICKACK, 1)

    @property
    def acknowledged_s(self) -> float | None:
        """The round trip of acknowledgements in seconds; None if it isn't known."""
        is_forwarded = self._writer.get_extra_info("peername")[0] != self._address
        return None if is_forwarded else acknowledged_s(self._writer.transport)

    def arrival(self, now: float, *, is_last: bool) -> Arrival:
        """Return when a line arrived that was read a moment ago."""
        return arrival(self._writer.transport, now, is_last=is_last)

    def write(self, lines: list[str]) -> None:
        """Send lines without waiting."""
        if self._is_closing or self._writer.is_closing():
            return
        self._writer.write("".join(lines).encode())
        if self._writer.transport.get_write_buffer_size() > self._outgoing_bytes:
            self._writer.transport.abort()

    def close(self) -> None:
        """Send what is buffered and half-close; keep reading, so that the peer sees no reset."""
        if self._is_closing or self._writer.is_closing():
            return
        self._is_closing = True
        if self._writer.can_write_eof():
            with contextlib.suppress(OSError):  # the peer has reset the connection already
                self._writer.write_eof()
            loop = asyncio.get_running_loop()
            loop.call_later(CLOSE_TIMEOUT_S, self._writer.transport.abort)
        else:
            self._writer.close()

    def abort(self) -> None:
        """Abort the connection."""
        self._writer.transport.abort()


class WebsocketWire:
    """A websocket with one line per frame and a bounded send buffer."""

    def __init__(self, connection: Connection, outgoing_bytes: int) -> None:
        self._connection = connection
        self._outgoing_bytes = outgoing_bytes

    @property
    def address(self) -> str:
        """The peer's address."""
        return self._connection.address

    @property
    def acknowledged_s(self) -> float | None:
        """The round trip of acknowledgements in seconds; None if it isn't known."""
        return self._connection.acknowledged_s

    def arrival(self, now: float, *, is_last: bool) -> Arrival:
        """Return when a line arrived that was read a moment ago."""
        return self._connection.arrival(now, is_last=is_last)

    @property
    def is_lost(self) -> bool:
        """Whether nothing comes any more."""
        return self._connection.is_lost

    def write(self, lines: list[str]) -> None:
        """Send lines without waiting."""
        if not self._connection.is_open:
            return
        for line in lines:
            self._connection.send(line.encode())
        self._connection.flush(self._outgoing_bytes)

    def close(self) -> None:
        """Send what is buffered and close."""
        self._connection.close()

    def abort(self) -> None:
        """Abort the connection."""
        self._connection.abort()
