"""A TCP connection that carries lines.

The stock clients make two small writes per move and wait for the acknowledgement of the first;
acknowledging without delay (``TCP_QUICKACK``, which the kernel resets after each read) makes their
games eight times as fast.
"""

from __future__ import annotations

import contextlib
import socket  # noqa: TID251  # for the names of options
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Final

from mancala.protocol.kgp.lines import LineBuffer

from ..limits import costs as prices
from ..metered import MeteredConnection

QUICKACK: Final = getattr(socket, "TCP_QUICKACK", None)


def _all_of(data: bytes) -> bytes:
    """Skip nothing."""
    return data


class LineConnection(MeteredConnection[str]):
    """Passes on lines, and sends some.

    Attributes:
        skip_late: returns what was read without what need not be heard any more.
    """

    PRICE = prices.CONNECTION
    _kept: deque[str]

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401  # as any connection's
        super().__init__(*args, **options)
        self.skip_late: Callable[[bytes], bytes] = _all_of
        self._buffer = LineBuffer()
        self._kept = deque()
        self._is_within_line = False

    @property
    def is_last(self) -> bool:
        """Whether the line being passed on is surely the end of what was read."""
        return not (self._kept or self._is_within_line)

    def write(self, lines: Iterable[str]) -> None:
        """Send lines."""
        if not (self._is_closing or self.transport.is_closing()):
            self.transport.write("".join(lines).encode())
            self._bound_unsent()

    def close(self, code: int = 0, reason: str = "") -> None:  # noqa: ARG002  # lines have no codes
        """Send what is buffered and half-close; keep reading, so that the peer sees no reset."""
        if not (self._is_closing or self.transport.is_closing()):
            with contextlib.suppress(OSError):  # the peer has reset the connection already
                self._end_stream()
            self._expect_close()

    def _begin(self) -> None:
        self._acknowledge()
        self._on_open(self)

    def _take_in(self, data: bytes) -> None:
        self._acknowledge()
        self.meter.charge_answer(data.count(b"\n") * prices.LINE_END, self.loop.time())
        self._is_within_line = not data.endswith(b"\n")
        self._kept += self._buffer.feed(self.skip_late(data))
        self._parse_kept()
        if not (self._kept or self._is_refused):
            self._settle()

    def _next_piece(self) -> str:
        return self._kept.popleft() if self._kept else ""

    def _parse(self, piece: str) -> None:
        if self._hear is not None:
            self._hear(piece)
            self._settle()

    def _acknowledge(self) -> None:
        """Ask the kernel to acknowledge the next segment without delay."""
        sock = self.transport.get_extra_info("socket")
        if QUICKACK is not None and sock is not None:
            with contextlib.suppress(OSError):
                sock.setsockopt(socket.IPPROTO_TCP, QUICKACK, 1)
