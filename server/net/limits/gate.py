"""Limits on connections, in all and per address, and the budgets that they work on.

Pure: callers report connections and pass the time in. A connection over the limit gets an error
message as long as few such messages are under way; in a flood it is refused without one. Sockets
count from the moment when they are accepted, so those that never finish a handshake are limited,
too.
:mod:`mancala.server.net.limits.costs` says what an admitted connection pays for.
"""

from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from mancala.protocol.text import quantity

from ...config.settings import Limits, LiveConfig
from .client_address import Networks
from .costs import EXEMPT_USERS, LONGEST_WAIT_S, AddressBudgets, Meter, TokenBucket

OWN: Final = "own"
"""Instead of an address: a program that the server runs, which no crowd may keep out."""
REFUSALS_UNDER_WAY: Final = 32
"""Refused connections that may be sent a reason at a time; each costs a handshake."""


class Visit(NamedTuple):
    """The gate's record of a connection: why it was refused, and whether it is sent the reason."""

    address: str
    refusal: str | None
    is_heard: bool


class Gate:
    """Counts connections, in all and per address, and keeps the addresses' budgets."""

    _exempt_users = EXEMPT_USERS

    def __init__(self, config: LiveConfig) -> None:
        """Open the gate; new limits hold for connections that come, and once :meth:`reload` ran."""
        self._config = config
        self._sockets: Counter[str] = Counter()
        self._open = 0
        self._budgets = AddressBudgets(self._rate)
        self._shown = AddressBudgets(self._rate)
        self._inside: Counter[str] = Counter()
        self._total = 0
        self._refusals = 0

    @property
    def _limits(self) -> Limits:
        return self._config.now.limits

    @property
    def _most(self) -> int:
        return self._limits.connections

    @property
    def _most_of_one(self) -> int:
        return self._limits.connections_per_address

    def _rate(self) -> tuple[float, float]:
        return self._limits.address_per_s, self._limits.address_burst

    def reload(self) -> None:
        """Have the budgets of the networks remembered go by the limits now in force."""
        self._budgets.renew()
        self._shown.renew()

    def meter(self, address: str, now: float) -> Meter:
        limits = self._limits
        return Meter(
            per_s=limits.messages_per_s,
            burst=limits.messages_burst,
            flood_s=limits.flood_s,
            address=self.address_budget(address, now),
            address_shown=self._shown_budget(address, now),
            now=now,
        )

    def address_budget(self, address: str, now: float) -> TokenBucket:
        """Return the budget that all connections of an address share.

        Those of a trusted proxy share none: its clients pay, once it has named them.
        """
        if self.trusts(address):
            return self._own_budget(now)
        users = self._exempt_users if self.is_exempt(address) else 1
        return self._budgets.of(address, now, users=users)

    def _shown_budget(self, address: str, now: float) -> TokenBucket:
        """Return what all spectators at an address may be shown; no more at an exempt one."""
        return self._own_budget(now) if self.trusts(address) else self._shown.of(address, now)

    def _own_budget(self, now: float) -> TokenBucket:
        per_s, burst = self._rate()
        return TokenBucket(per_s=per_s, capacity=burst, now=now)

    def admits(self, address: str, price: float, now: float) -> bool:
        """Return whether to accept a connection at all; count it and charge its address if so.

        Refused are those that would have to wait too long until their address has paid for them,
        those over a limit while enough others are being told the reason, and those of an address
        with too many open sockets. :meth:`closed` must follow when one is accepted.
        """
        budget = self.address_budget(address, now)
        is_crowded = self._refusals >= REFUSALS_UNDER_WAY and self._refusal(address) is not None
        if is_crowded or self._is_crammed(address) or budget.wait_s(now) > LONGEST_WAIT_S:
            return False
        budget.take(price, now)
        self._sockets[address] += 1
        self._open += 1
        return True

    def closed(self, address: str) -> None:
        self._open -= 1
        _uncount(self._sockets, address)

    def enter(self, address: str) -> Visit:
        """Admit or refuse a connection; :meth:`leave` must follow in either case."""
        refusal = self._refusal(address)
        if refusal is None:
            self._inside[address] += 1
            self._total += 1
            return Visit(address, None, is_heard=True)
        self._refusals += 1
        return Visit(address, refusal, is_heard=self._refusals <= REFUSALS_UNDER_WAY)

    def readdress(self, visit: Visit, client: str, price: float, now: float) -> Visit:
        """Count a proxy's connection for the client that it has named, and charge its address."""
        self.leave(visit)
        self.address_budget(client, now).take(price, now)
        return self.enter(client)

    def leave(self, visit: Visit) -> None:
        """Remove a connection that has closed."""
        if visit.refusal is not None:
            self._refusals -= 1
            return
        self._total -= 1
        _uncount(self._inside, visit.address)

    def _is_crammed(self, address: str) -> bool:
        """Return whether as many sockets are open as all limits allow, with or without a visit."""
        if self._open >= self._most + REFUSALS_UNDER_WAY:
            return True
        most = self._most_of_one + REFUSALS_UNDER_WAY
        return self._sockets[address] >= most and not self.is_exempt(address)

    def _refusal(self, address: str) -> str | None:
        if address == OWN:
            return None
        if self._total >= self._most:
            return f"the server is full: {quantity(self._most, 'connection')}"
        most = self._most_of_one
        if self._inside[address] < most or self.is_exempt(address):
            return None
        return f"{quantity(most, 'connection')} from one address is the limit"

    def is_overfull(self) -> bool:
        return self._open > self._most

    def is_overfull_for(self, address: str) -> bool:
        return self._sockets[address] > self._most_of_one and not self.is_exempt(address)

    def is_exempt(self, address: str) -> bool:
        is_listed = address in _networks(self._limits.exempt)
        return address == OWN or is_listed or self.trusts(address)

    def trusts(self, address: str) -> bool:
        return address in _networks(self._limits.proxies)


class HttpGate(Gate):
    """The gate for HTTP clients, which has limits of its own."""

    _exempt_users = 1

    @property
    def _most(self) -> int:
        return self._limits.http_connections

    @property
    def _most_of_one(self) -> int:
        return self._limits.http_connections_per_address

    def _rate(self) -> tuple[float, float]:
        return self._limits.http_per_s, self._limits.http_burst


class Door:
    """The gate, as the guard of a port whose connections and handshakes cost ``price`` asks it."""

    def __init__(self, gate: Gate, price: float, now: Callable[[], float]) -> None:
        self._gate = gate
        self._price = price
        self._now = now
        self.closed, self.trusts = gate.closed, gate.trusts

    def admits(self, address: str) -> bool:
        """Return whether to accept a connection; charge its address if so."""
        return self._gate.admits(address, self._price, self._now())


def _uncount(counts: Counter[str], address: str) -> None:
    counts[address] -= 1
    if not counts[address]:
        del counts[address]


@lru_cache
def _networks(listed: tuple[str, ...]) -> Networks:
    return Networks(listed)
