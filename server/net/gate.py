"""How many may be connected, in all and from one address; and how fast one may talk.

Pure: the shells tell of comings and goings, and of the time. Who is one too many is still told so,
as long as few are being told at once; a flood is cut off unheard.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from ipaddress import ip_address, ip_network
from typing import Final, NamedTuple

from server.config.settings import Limits

TOLD_AT_ONCE: Final = 32
"""So many who can't come in are told why at one time; each costs a handshake."""
ANSWERS_A_QUESTION: Final = 32
"""What a question allows on top: its answer, and provisional ones before."""


class Visit(NamedTuple):
    """A connection, as the gate sees it.

    Attributes:
        address: where it comes from.
        refusal: why it can't come in; None when it is in.
        is_heard: whether it is worth telling.
    """

    address: str
    refusal: str | None
    is_heard: bool


class Gate:
    """Counts connections."""

    def __init__(self, *, connections: int, per_address: int, exempt: Iterable[str] = ()) -> None:
        """Open the gate.

        Args:
            connections: most at once.
            per_address: most at once from one address.
            exempt: networks whose addresses may have more.
        """
        self._inside: Counter[str] = Counter()
        self._total = 0
        self._told = 0
        self._connections = connections
        self._per_address = per_address
        self._exempt = tuple(map(ip_network, exempt))

    def adopt(self, other: Gate) -> None:
        """Take the limits of another gate, for those who come from now on."""
        self._connections = other._connections
        self._per_address = other._per_address
        self._exempt = other._exempt

    def enter(self, address: str) -> Visit:
        """Let a connection in, or tell why not; either way :meth:`leave` follows."""
        refusal = self._refusal(address)
        if refusal is None:
            self._inside[address] += 1
            self._total += 1
            return Visit(address, None, is_heard=True)
        self._told += 1
        return Visit(address, refusal, is_heard=self._told <= TOLD_AT_ONCE)

    def leave(self, visit: Visit) -> None:
        """Note that a connection is gone."""
        if visit.refusal is not None:
            self._told -= 1
            return
        self._total -= 1
        self._inside[visit.address] -= 1
        if not self._inside[visit.address]:
            del self._inside[visit.address]

    def _refusal(self, address: str) -> str | None:
        if self._total >= self._connections:
            return f"the server is full: {self._connections} connections"
        if self._inside[address] < self._per_address or self._is_exempt(address):
            return None
        return f"{self._per_address} connections from one address are enough"

    def _is_exempt(self, address: str) -> bool:
        try:
            place = ip_address(address.partition("%")[0])
        except ValueError:
            return False
        return any(place in network for network in self._exempt)


def gate_of(limits: Limits) -> Gate:
    """Open a gate for bots and spectators."""
    return Gate(
        connections=limits.connections,
        per_address=limits.connections_per_address,
        exempt=limits.exempt,
    )


def http_gate_of(limits: Limits) -> Gate:
    """Open a gate for browsers and programs that look in."""
    return Gate(
        connections=limits.http_connections,
        per_address=limits.connections_per_address,
        exempt=limits.exempt,
    )


class Allowance:
    """What one connection may still say: a bucket that fills steadily, up to its brim."""

    __slots__ = ("_at", "_brim", "_left", "_per_s")

    def __init__(self, *, per_s: float, brim: float, now: float) -> None:
        """Fill it.

        Args:
            per_s: messages a second that it gains.
            brim: most that it holds, and holds now.
            now: the instant, in seconds.
        """
        self._per_s = per_s
        self._brim = brim
        self._left = brim
        self._at = now

    def spend(self, now: float) -> bool:
        """Take one message; tells whether that was allowed."""
        self._left = min(self._brim, self._left + (now - self._at) * self._per_s)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def grant(self, messages: int) -> None:
        """Allow some more; what goes over the brim is lost."""
        self._left = min(self._brim, self._left + messages)
