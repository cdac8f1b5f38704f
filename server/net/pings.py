"""Pings under way on one connection, and the round trips of those that are answered.

Pure: callers pass the time in, in seconds. A pong answers its ping and all before it (RFC 6455,
section 5.5.3). The payload is a number: a peer that foresees it can only make its own round trip
look shorter.
"""

from __future__ import annotations

import struct
from typing import Final

NUMBER: Final = struct.Struct("!I")


class Pings:
    """The pings that are not answered yet, in the order of their sending."""

    def __init__(self) -> None:
        self._sent: dict[bytes, float] = {}
        self._count = 0

    @property
    def is_overdue(self) -> bool:
        """Whether the last ping is unanswered, and is not the first: a bot may begin slowly."""
        return self._count > 1 and NUMBER.pack(self._count) in self._sent

    def new(self, now: float) -> bytes:
        """Return the payload of a ping that is sent now."""
        self._count += 1
        payload = NUMBER.pack(self._count)
        self._sent[payload] = now
        return payload

    def answered(self, payload: bytes, now: float) -> float | None:
        """Return the round trip of the ping that a pong answers, in seconds; None for no ping."""
        sent = self._sent.get(payload)
        if sent is None:
            return None
        while next(iter(self._sent)) != payload:
            del self._sent[next(iter(self._sent))]
        del self._sent[payload]
        return now - sent
