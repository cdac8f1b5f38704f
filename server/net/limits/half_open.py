"""Connections that have yet to bring a whole request, the oldest first.

Places are lent: where all are taken, the connection that has been silent for longest yields its
place to a newcomer. So a peer that opens connections and says nothing keeps no other out. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable


class HalfOpen:
    """The half-open connections of a port, by the address and port of the peer."""

    def __init__(self) -> None:
        self._closers: dict[tuple[str, Hashable], Callable[[], object]] = {}

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._closers)

    def add(self, address: str, port: Hashable, close: Callable[[], object]) -> None:
        """Add a connection as the youngest one, or note a better way to close it.

        Args:
            address: the peer's address.
            port: the peer's port.
            close: closes the connection.
        """
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
