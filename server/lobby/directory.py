"""Who is known: participants by name and by session, and the connection of each."""

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from ..match.participant import Participant
from ..net.seat import Seat

NO_SESSION_HASH: Final = ""
"""Of a bot whose session is over, while a match of it still is under way."""
RETURNS_PER_S: Final = 125.0
"""Bots that come back in a second where all were cut off: half of what a port accepts, since they
wait and try again."""


class OrderedNames:
    """Names in their order, to be read from any place on."""

    def __init__(self) -> None:
        self._names: list[str] = []

    def add(self, name: str) -> None:
        """Add a name that is not there."""
        insort(self._names, name)

    def remove(self, name: str) -> None:
        """Remove a name that is there."""
        del self._names[bisect_left(self._names, name)]

    def after(self, text: str) -> Iterator[str]:
        """Yield the names that follow a text."""
        return islice(self._names, bisect_right(self._names, text), None)


class Directory:
    """Finds participants and connections, and when each was opened (RFC 3339); decides nothing."""

    def __init__(self) -> None:
        self.by_name: dict[str, Participant] = {}
        self._written: defaultdict[str, set[str]] = defaultdict(set)
        self._names = OrderedNames()
        self.seats: dict[Seat, str] = {}
        self._by_secret: dict[str, Participant] = {}
        self.owners: dict[Seat, Participant] = {}

    # Participants

    @property
    def present(self) -> list[Participant]:
        return [player for player in self.by_name.values() if player.is_present]

    @property
    def return_s(self) -> float:
        """How long all participants take to come back if all were cut off, in seconds."""
        return len(self.by_name) / RETURNS_PER_S

    @property
    def session_hashes(self) -> frozenset[str]:
        return frozenset(self._by_secret)

    def present_after(self, after: str) -> Iterator[str]:
        """Yield the names of connected participants that follow a text, in their order."""
        return (name for name in self._names.after(after) if self.by_name[name].is_present)

    def present_of(self, names: Iterable[str]) -> list[Participant]:
        """Return those of some participants that are connected."""
        found = map(self.by_name.get, names)
        return [player for player in found if player is not None and player.is_present]

    def find(self, name: str) -> Participant | None:
        return self.by_name.get(name)

    def find_here(self, name: str) -> Participant | None:
        """Return the participant of that name, if it is connected and was welcomed."""
        player = self.by_name.get(name)
        return player if player is not None and player.is_welcome else None

    def with_session(self, secret_hash: str) -> Participant | None:
        return self._by_secret.get(secret_hash)

    def is_taken(self, name: str) -> bool:
        """Return whether the name is in use; a seat that is kept without games doesn't count."""
        player = self.by_name.get(name)
        return player is not None and bool(
            player.matches or (player.is_present and not player.has_left)
        )

    def is_alike_taken(self, name: str) -> bool:
        """Return whether a name is in use that differs in capitals at most."""
        return any(map(self.is_taken, self._written.get(name.lower(), ())))

    def add(self, player: Participant) -> None:
        """Register a participant by its name and by its session, if it has one."""
        if player.name not in self.by_name:
            self._names.add(player.name)
            self._written[player.name.lower()].add(player.name)
        self.by_name[player.name] = player
        if player.secret_hash != NO_SESSION_HASH:
            self._by_secret[player.secret_hash] = player

    def remove(self, player: Participant) -> bool:
        """Remove a participant; return whether its session was registered."""
        if self.by_name.get(player.name) is player:
            del self.by_name[player.name]
            self._names.remove(player.name)
            self._written[player.name.lower()].discard(player.name)
            if not self._written[player.name.lower()]:
                del self._written[player.name.lower()]
        return self._by_secret.pop(player.secret_hash, None) is not None

    def change_session(self, player: Participant, secret_hash: str) -> None:
        """Register a participant under another secret's hash instead of its present one."""
        self._by_secret.pop(player.secret_hash, None)
        player.secret_hash = secret_hash
        if secret_hash != NO_SESSION_HASH:
            self._by_secret[secret_hash] = player

    # Connections

    def close(self, seat: Seat) -> Participant | None:
        """Remove a connection; return whose it was."""
        self.seats.pop(seat, None)
        return self.owners.pop(seat, None)

    def attach(self, player: Participant, seat: Seat) -> None:
        player.seat, player.address = seat, seat.address
        self.owners[seat] = player

    def detach(self, player: Participant) -> Seat | None:
        """Take a participant's connection from it and return it, still open."""
        former, player.seat = player.seat, None
        if former is not None:
            del self.owners[former]
        return former
