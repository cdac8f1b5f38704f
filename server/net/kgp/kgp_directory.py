"""Who a KGP client is: names handed to guests, and sessions found by name and token."""

from __future__ import annotations

from collections import OrderedDict
from random import Random  # noqa: TID251  # the type; the generator is handed in
from typing import Final

from ..seat import SeatRegistry

LONGEST_STEM: Final = 43
REMEMBERED_SESSIONS: Final = 1024


class ClientIdentity:
    """One client's identity: the name given to a guest, or the session of a token."""

    def __init__(
        self,
        registry: SeatRegistry,
        guests: set[str],
        sessions: OrderedDict[tuple[str, str], str],
        rng: Random,
    ) -> None:
        """Look up one client.

        Args:
            registry: knows the names in use.
            guests: the names given to guests who are here, shared by all connections.
            sessions: session secrets by name and token, shared by all connections.
            rng: tells guests of one name apart.
        """
        self._registry = registry
        self._guests = guests
        self._sessions = sessions
        self._rng = rng
        self._given: str | None = None

    def name_guest(self, wanted: str) -> str:
        """Return a free name, and reserve it until the registry knows it."""
        name = wanted
        while self._registry.is_taken(name) or name in self._guests:
            name = f"{wanted[:LONGEST_STEM]}-{self._rng.randbytes(2).hex()}"
        self._guests.add(name)
        self._given = name
        return name

    def session_of(self, name: str, token: str) -> str | None:
        """Return the session of a client whose seat is kept; None when there is none."""
        return self._sessions.get((name, token)) if self._registry.is_taken(name) else None

    def remember(self, name: str, token: str, session: str) -> None:
        """Remember a session; beyond the limit, forget the oldest."""
        self._sessions[name, token] = session
        self._sessions.move_to_end((name, token))
        if len(self._sessions) > REMEMBERED_SESSIONS:
            self._sessions.popitem(last=False)

    def release(self) -> None:
        """Release the guest's name."""
        if self._given is not None:
            self._guests.discard(self._given)
