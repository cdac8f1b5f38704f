"""What carries the lines of the Kalah Game Protocol: TCP, or a websocket with one line a frame."""

from __future__ import annotations

import asyncio
import contextlib
import socket  # noqa: TID251  # for the names of options
from collections.abc import Iterable
from typing import Final, Protocol

from ..arrivals.arrival import Arrival, acknowledged_s, arrival
from ..connection import CLOSE_TIMEOUT_S

QUICKACK: Final = getattr(socket, "TCP_QUICKACK", None)


class Wire(Protocol):
    """A connection that carries lines, and whose send buffer is bounded."""

    @property
    def address(self) -> str:
        """The peer's address."""

    @property
    def acknowledged_s(self) -> float | None:
        """The round trip of acknowledgements in seconds; None if it isn't known."""

    @property
    def is_lost(self) -> bool:
        """Whether nothing comes any more."""

    def arrival(self, now: float, *, is_last: bool) -> Arrival:
        """Return when a line arrived that was read a moment ago, and may be the last of a read."""

    def write(self, lines: Iterable[str]) -> None:
        """Send lines without waiting."""

    def close(self) -> None:
        """Send what is buffered and close."""

    def abort(self) -> None:
        """Drop the connection."""


class TcpWire:
    """A TCP connection; a trusted proxy may have named the address that it comes from."""

    def __init__(self, writer: asyncio.StreamWriter, address: str, outgoing_bytes: int) -> None:
        self.address = address
        self._writer = writer
        self._outgoing_bytes = outgoing_bytes
        self._socket = writer.get_extra_info("socket")
        self._is_closing = False
        self.acknowledge()

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
        """The round trip of acknowledgements in seconds; None if it isn't the client's."""
        is_forwarded = self._writer.get_extra_info("peername")[0] != self.address
        return None if is_forwarded else acknowledged_s(self._writer.transport)

    def arrival(self, now: float, *, is_last: bool) -> Arrival:
        """Return when a line arrived that was read a moment ago."""
        return arrival(self._writer.transport, now, is_last=is_last)

    def write(self, lines: Iterable[str]) -> None:
        """Send lines without waiting."""
        if self._is_closing or self._writer.is_closing():
            return
        self._writer.write("".join(lines).encode())
        if self._writer.transport.get_write_buffer_size() > self._outgoing_bytes:
            self.abort()

    def close(self) -> None:
        """Send what is buffered and half-close; keep reading, so that the peer sees no reset."""
        if self._is_closing or self._writer.is_closing():
            return
        self._is_closing = True
        if self._writer.can_write_eof():
            with contextlib.suppress(OSError):  # the peer has reset the connection already
                self._writer.write_eof()
            asyncio.get_running_loop().call_later(CLOSE_TIMEOUT_S, self.abort)
        else:
            self._writer.close()

    def abort(self) -> None:
        """Drop the connection."""
        self._writer.transport.abort()
