"""Scarce places, lent in turns, and turns of those who wait behind one key; pure.

A place is lent for as long as no other is waiting for one. While others wait, a lease has an end:
those that were held longest yield first, one for each that waits. A free place goes to the one
whose holders have fewest places, then to the one that was lent none for longest, then to the one
that has waited longest. So a stranger who takes all places at a time has them for the length of a
lease, and then waits his turn. Where the queue is bounded, :meth:`Leases.displaced_by`
says what leaves it for a newcomer whose turn is before.

Callers pass the time in, in seconds, and ask :meth:`Leases.next_end` when to look again.
"""

from math import inf
from typing import Final, NamedTuple

REMEMBERED_LEASES: Final = 10.0
"""How long it is known to whom a place was lent, in lengths of a lease."""


class Lease(NamedTuple):
    """A place that is lent, or wanted.

    Attributes:
        holders: whose it is, such as an address and then a name; each has its fair share.
    """

    holders: tuple[str, ...]
    since: float


class Leases:
    """The places of one kind, each lent for ``lease_s`` at least."""

    def __init__(self, *, places: int, lease_s: float) -> None:
        self.places = places
        self.lease_s = lease_s
        self._lent: dict[str, Lease] = {}
        self._waiting: dict[str, Lease] = {}
        self._served: dict[str, float] = {}

    @property
    def lent(self) -> tuple[str, ...]:
        """What holds a place, in the order of lending."""
        return tuple(self._lent)

    @property
    def waiting(self) -> tuple[str, ...]:
        """What waits for a place, in the order of asking."""
        return tuple(self._waiting)

    def lend(self, item: str, holders: tuple[str, ...], since: float) -> None:
        """Note that an item holds a place, which it did not ask for here."""
        self._waiting.pop(item, None)
        self._lent.setdefault(item, Lease(holders, since))

    def ask(self, item: str, holders: tuple[str, ...], now: float) -> None:
        """Queue an item for a place; :meth:`grant` lends it."""
        if item not in self._lent:
            wanted = Lease(holders, now)
            self._waiting[item] = min(self._waiting.get(item, wanted), wanted, key=self._turn)

    def displaced_by(self, holders: tuple[str, ...]) -> str | None:
        """Return the last of those that wait if a newcomer's turn is before it; None if it is not.

        One that has had no place yet is never displaced.
        """
        last = max(self._waiting, key=self._turn_of, default=None)
        if last is None or self._share(self._waiting[last].holders) <= self._share(holders):
            return None
        return last

    def end(self, item: str) -> None:
        """Note that an item no longer holds a place, or wants one."""
        self._lent.pop(item, None)
        self._waiting.pop(item, None)

    def grant(self, now: float) -> list[str]:
        """Lend the free places to those whose turn it is; return them."""
        known_since = now - REMEMBERED_LEASES * self.lease_s
        self._served = {each: at for each, at in self._served.items() if at >= known_since}
        granted = []
        while self._waiting and len(self._lent) < self.places:
            item = min(self._waiting, key=self._turn_of)
            holders = self._waiting.pop(item).holders
            self._lent[item] = Lease(holders, now)
            self._served |= dict.fromkeys(holders, now)
            granted.append(item)
        return granted

    def overdue(self, now: float, *, leases: float = 1.0) -> list[str]:
        """Return what has to give its place back, one for each that waits, longest held first."""
        ended = [item for item, lease in self._lent.items() if now >= self._end(lease, leases)]
        ended.sort(key=lambda item: self._lent[item].since)
        return ended[: len(self._waiting)]

    def next_end(self, now: float, *, leases: float = 1.0) -> float:
        """Return when the next lease ends that others wait for; infinity for never."""
        if not self._waiting:
            return inf
        ends = (self._end(lease, leases) for lease in self._lent.values())
        return min((end for end in ends if end > now), default=inf)

    def _end(self, lease: Lease, leases: float) -> float:
        return lease.since + leases * self.lease_s

    def _turn_of(self, item: str) -> tuple[list[tuple[int, float]], float]:
        return self._turn(self._waiting[item])

    def _turn(self, wanted: Lease) -> tuple[list[tuple[int, float]], float]:
        """Return the order in which those that wait are served."""
        return self._share(wanted.holders), wanted.since

    def _share(self, holders: tuple[str, ...]) -> list[tuple[int, float]]:
        return [self._had(holder) for holder in holders]

    def _had(self, holder: str) -> tuple[int, float]:
        held = sum(holder in lease.holders for lease in self._lent.values())
        return held, self._served.get(holder, -inf)


class Turns:
    """Turns that follow one another at a distance, none of them far away."""

    def __init__(self, *, apart_s: float, longest_s: float) -> None:
        """Create it, with no turn given; turns of one key are ``apart_s`` apart."""
        self._apart_s = apart_s
        self._longest_s = longest_s
        self._next: dict[str, float] = {}
        self._given: dict[str, float] = {}

    def turn(self, key: str, name: str, now: float) -> float:
        """Return when it is a name's turn; it keeps that turn until :meth:`release`."""
        if name not in self._given:
            self._next = {each: at for each, at in self._next.items() if at > now}
            at = min(self._next.get(key, now), now + self._longest_s)
            self._next[key] = at + self._apart_s
            self._given[name] = at
        return self._given[name]

    def release(self, name: str) -> None:
        self._given.pop(name, None)
