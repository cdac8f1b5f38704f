"""What a peer pays for the work that it makes the server do, on every port alike.

One unit is the work of an ordinary message: about 50 µs of the event loop. Prices are measured
relative to that; ``python -m tests.drills.flood`` shows whether they still hold.

Work that the server asked for is prepaid: a ``turn`` and a ``challenged`` grant units for their
answers, which only answers and their reading may use. So no peer can make another one pay. All
other work is charged to the connection and to its address:

* A connection has a budget of its own. One that has overdrawn it waits: it is not read until the
  budget has refilled. One that stays overdrawn for long is cut off.
* All connections of an address share a second budget. While that is overdrawn, a connection pays
  from a small reserve of its own, and waits when the reserve is empty, too. So a bot that only
  answers its turns, and seeks a match now and then, does not notice a flood from its own address.

  Those that wait for their address go on one after another, ``APART_S`` apart: if all went on at
  the moment when the budget has refilled, they would hold the event loop together.

What spectators are shown is paid from second budgets of the same size, of the connection and of the
address. One that has overdrawn either is shown less; it is read as before.

Waiting costs the server nothing: what a peer sends meanwhile stays in the kernel's buffers and
finally in the peer.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from types import MappingProxyType
from typing import Final

from mancala.protocol import messages as wire

NETWORKS: Final = 4096
"""Addresses whose networks are remembered: a budget is looked up for every turn of a game."""

HANDSHAKE: Final = 30.0
"""A websocket's handshake, with its HTTP request, task and buffers."""
TLS: Final = 20.0
"""A TLS handshake, half of which is the signature."""
CONNECTION: Final = 20.0
"""A connection without a handshake, as KGP has over TCP, with its greeting and session."""
READ: Final = 0.2
"""One read from the socket, however few bytes it brings."""
KIBIBYTE: Final = 0.2
"""1024 bytes received."""
CONTROL_FRAME: Final = 0.6
"""A ping, which is answered, or a pong that no ping asked for."""
FRAGMENT: Final = 0.4
"""A frame that is only a part of a message."""
LINE: Final = 0.35
"""A line of the Kalah Game Protocol, besides the message that it may stand for."""
LATE_LINE: Final = 0.015
"""A move for a question that is no longer open, of which a client may have written hundreds."""
LINE_END: Final = 0.005
"""A line end, which ends a line or a blank one."""
UNREADABLE: Final = 1.0
"""A frame that is no message."""

SHOWN: Final = 0.2
"""A move or an end that a spectator is shown: a frame, which is encoded once for all."""
SHOWN_START: Final = 1.5
"""A whole game that a spectator is shown."""

HTTP_REQUEST: Final = 12.0
"""An HTTP request that is answered from memory: 0.6 ms of the web process."""
HTTP_QUERY: Final = 50.0
"""A query of the store, and its result as JSON."""
HTTP_ANALYSIS: Final = 1000.0
"""A position's analysis: a second of a process of low priority, which the other pages don't wait
for. So one address gets four of them a second at most."""
HTTP_SCAN: Final = 100.0
"""A query that goes through all games."""
HTTP_FILM: Final = 0.6
"""A game as a moving picture, for each position and pit: 8 ms in all, on the largest boards 100."""
HTTP_STILL: Final = 100.0
"""A position as an SVG picture: 2 to 7 ms."""
HTTP_PNG: Final = 3000.0
"""A position as pixels, whatever the board: 50 to 80 ms where its board and holdings have been
drawn lately, else up to 300."""
HTTP_GIF: Final = 1800.0
"""A game as pixels, besides its frames: the board and the names around them, 90 ms."""
HTTP_FRAME: Final = 8.0
"""Each pit of a row in each frame of it. With both, a game of Kalah costs 210 ms, and one on the
largest boards 600; they take 100 and 200 where all holdings have been drawn lately, else 280 and
620."""

_ANSWERS: Final[Mapping[type[wire.ClientMessage], float]] = MappingProxyType(
    {wire.Move: 1.0, wire.Resign: 1.0, wire.Accept: 2.0, wire.Decline: 1.0}
)
"""What the server asked for, so that grants pay first."""
_ORDINARY: Final = 1.0
_MESSAGES: Final[Mapping[type[wire.ClientMessage], float]] = MappingProxyType(
    {
        wire.Hello: 5.0,  # a token is checked, a session journalled
        wire.Seek: 2.0,
        wire.Challenge: 4.0,  # sent to both, and perhaps answered and reported
        wire.Join: 2.0,
        wire.Leave: 2.0,
        wire.Enter: 3.0,  # an entry and a line of the log are journalled
        wire.Withdraw: 3.0,
        wire.Watch: 1.5,  # a snapshot
        wire.List: 8.0,  # a page is found among all names, and encoded
        wire.Schedule: 8.0,  # each ladder and event is looked through
        wire.OfferReviews: 5.0,  # a right is checked, games are looked for
        wire.Review: 6.0,  # sixteen plies with their lines are checked
        wire.Submit: 4.0,  # 3,500 characters, which are read once more at the end, and stored
        wire.Goodbye: 0.5,
    }
)

ANSWERS_A_TURN: Final = 32.0
"""Units granted with each ``turn``: the answer, and provisional moves before it."""
ANSWERS_A_CHALLENGE: Final = 3.0
"""Units granted with each ``challenged``: its acceptance, or its refusal, and the reading."""
LINES_A_TURN: Final = 128.0
"""The same for a KGP client, which streams moves as fast as it finds them."""
MOST_GRANTED: Final = 400.0
"""Grants that a connection may hold; a bot that plays sixty games needs about as many."""
RESERVE: Final = 20.0
"""Units that a connection keeps for the time when its address has overdrawn its budget: enough
to greet, seek and renew a few watches."""
RESERVE_PER_S: Final = 0.5
CAUGHT_UP_S: Final = 1.0
"""A connection has caught up once it could pay what it earns in this time."""
APART_S: Final = 0.001
"""The work of two connections of an address begins at least this far apart, if they had to wait."""
LONGEST_WAIT_S: Final = 8.0
"""A new connection that would have to wait longer is refused."""
TOO_MUCH: Final = "more messages than the budget allows, for too long"
"""The reason sent to a peer that is cut off."""
EXEMPT_USERS: Final = 4
"""An exempt network, such as that of a reverse proxy, has the budget of several addresses: 1,000
bots that return at the same time through a proxy are greeted within ten seconds."""
REMEMBERED_ADDRESSES: Final = 1024
LOOPBACK: Final = "loopback"
SITE_BITS: Final = 64
"""Length of the network that one user of IPv6 gets."""
IPV6_LAYERS: Final = (48, 56, 64)
IPV4_LAYERS: Final = (24, 32)


def reading(size: int) -> float:
    """Return what one read of some bytes costs."""
    return READ + size / 1024 * KIBIBYTE


class TokenBucket:
    """A budget that refills with time, and may be overdrawn."""

    __slots__ = ("_at", "_left", "_next_turn", "capacity", "per_s")

    def __init__(self, *, per_s: float, capacity: float, now: float) -> None:
        """Fill the bucket to its capacity; ``per_s`` units a second are added."""
        self.per_s = per_s
        self.capacity = capacity
        self._left = capacity
        self._at = now
        self._next_turn = now

    def left(self, now: float) -> float:
        """Return the units left; less than zero when overdrawn."""
        self._left = min(self.capacity, self._left + (now - self._at) * self.per_s)
        self._at = now
        return self._left

    def take(self, units: float, now: float) -> float:
        """Take units, whether or not they are there; return what is left."""
        self._left = self.left(now) - units
        return self._left

    def pays(self, units: float, now: float) -> bool:
        """Take units if they are there; return whether they were."""
        is_enough = self.left(now) >= units
        if is_enough:
            self._left -= units
        return is_enough

    def wait_s(self, now: float) -> float:
        """Return the time until it is no longer overdrawn, in seconds."""
        return max(0.0, -self.left(now) / self.per_s)

    def turn(self, earliest: float) -> float:
        """Return when one that waits may go on, and keep ``APART_S`` after it for itself."""
        at = max(earliest, self._next_turn)
        self._next_turn = at + APART_S
        return at

    def is_full(self, now: float) -> bool:
        """Return whether nothing is missing."""
        return self.left(now) >= self.capacity


class AddressBudgets:
    def __init__(self, rate: Callable[[], tuple[float, float]]) -> None:
        """Begin full; ``rate`` returns what one may use now, in a second and in a burst."""
        self._rate = rate
        self._buckets: dict[tuple[str, int], TokenBucket] = {}

    def of(self, address: str, now: float, *, users: int = 1) -> TokenBucket:
        """Return the budget of an address: as much as ``users`` addresses have."""
        key = network_of(address), users
        bucket = self._buckets.get(key)
        if bucket is None:
            if len(self._buckets) >= REMEMBERED_ADDRESSES:
                self._forget(now)
            per_s, burst = self._rate()
            bucket = TokenBucket(per_s=users * per_s, capacity=users * burst, now=now)
            self._buckets[key] = bucket
        self._fit(bucket, users)
        return bucket

    def renew(self) -> None:
        """Have the budgets that are remembered go by what one may use now."""
        for (_, users), bucket in self._buckets.items():
            self._fit(bucket, users)

    def _fit(self, bucket: TokenBucket, users: int) -> None:
        per_s, burst = self._rate()
        bucket.per_s, bucket.capacity = users * per_s, users * burst

    def _forget(self, now: float) -> None:
        self._buckets = {
            key: bucket for key, bucket in self._buckets.items() if not bucket.is_full(now)
        }


class Meter:
    """The account of one connection.

    Attributes:
        owes: whether it may have to wait; False if nothing was charged since it had not to.
    """

    def __init__(
        self,
        *,
        per_s: float,
        burst: float,
        flood_s: float,
        address: TokenBucket,
        address_shown: TokenBucket,
        now: float,
    ) -> None:
        """Open the account of a connection that may be overdrawn for ``flood_s``.

        Its address has paid for the opening: until that budget is no longer overdrawn, the
        connection waits. ``address_shown`` pays for what spectators at the address are shown.
        """
        self._per_s = per_s
        self._flood_s = flood_s
        self._own = TokenBucket(per_s=per_s, capacity=burst, now=now)
        self._reserve = TokenBucket(per_s=RESERVE_PER_S, capacity=RESERVE, now=now)
        self._own_shown = TokenBucket(per_s=per_s, capacity=burst, now=now)
        self._address = address
        self._address_shown = address_shown
        self._granted = 0.0
        self._waits_until = now + address.wait_s(now)
        self._has_turn = False
        self._behind_since: float | None = None
        self.is_flooding = False
        self.owes = True
        self.spent = 0.0

    def charge(self, price: float, now: float) -> None:
        """Charge work that the server did not ask for."""
        self.spent += price
        self.owes = True
        left = self._own.take(price, now)
        if left >= CAUGHT_UP_S * self._per_s:
            self._behind_since = None
        elif left < 0:
            self._behind_since = now if self._behind_since is None else self._behind_since
            self.is_flooding = now - self._behind_since > self._flood_s
        if self._address.left(now) < 0 and self._reserve.left(now) >= price:
            self._reserve.take(price, now)
        else:
            self._charge_address(price, now)

    def charge_answer(self, price: float, now: float) -> None:
        """Charge an answer, or the reading of what may be one: grants pay first."""
        granted = min(price, self._granted)
        self._granted -= granted
        self.spent += granted
        if granted < price:
            self.charge(price - granted, now)

    def charge_message(self, message: wire.ClientMessage, now: float) -> None:
        """Charge a message; grants pay for answers."""
        kind = type(message)
        if kind in _ANSWERS:
            self.charge_answer(_ANSWERS[kind], now)
        else:
            self.charge(_MESSAGES.get(kind, _ORDINARY), now)

    def charge_shown(self, price: float, now: float) -> float:
        """Charge what a spectator was shown; return the seconds for which it is shown nothing."""
        self.spent += price
        own, address = self._own_shown.take(price, now), self._address_shown.take(price, now)
        return 0.0 if own >= 0 and address >= 0 else self.shown_wait_s(now)

    def shown_wait_s(self, now: float) -> float:
        """Return for how long a spectator is shown nothing, in seconds."""
        return max(self._own_shown.wait_s(now), self._address_shown.wait_s(now))

    def shown_turn(self, earliest: float) -> float:
        """Return when a spectator that waits is shown something, in turn with its address's."""
        return self._address_shown.turn(earliest)

    def grant(self, units: float) -> None:
        """Prepay the answers to a question."""
        self._granted = min(MOST_GRANTED, self._granted + units)

    def wait_s(self, now: float) -> float:
        """Return how long the connection must not be read, in seconds; 0 when it may be."""
        if self._waits_until > now and not self._has_turn:
            self._waits_until = self._address.turn(self._waits_until)
            self._has_turn = True
        wait_s = max(self._own.wait_s(now), self._waits_until - now, 0.0)
        self.owes = wait_s > 0
        return wait_s

    def _charge_address(self, price: float, now: float) -> None:
        self._address.take(price, now)
        paid_at = now + self._address.wait_s(now)
        if paid_at > self._waits_until:
            self._waits_until = paid_at
            self._has_turn = False


@lru_cache(maxsize=NETWORKS)
def layers_of(address: str) -> tuple[str, ...]:
    """Return the networks of an address, the largest first, that have turns at dear work."""
    try:
        place = ip_address(address.partition("%")[0])
    except ValueError:
        return (address,)
    if place.is_loopback:
        return (LOOPBACK,)
    bits = IPV6_LAYERS if isinstance(place, IPv6Address) else IPV4_LAYERS
    return tuple(str(ip_network((place, each), strict=False)) for each in bits)


@lru_cache(maxsize=NETWORKS)
def network_of(address: str) -> str:
    """Return what shares a budget: an IPv4 address, an IPv6 /64 network, or this machine."""
    try:
        place = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if place.is_loopback:
        return LOOPBACK
    if isinstance(place, IPv6Address):
        return str(ip_network((place, SITE_BITS), strict=False))
    return str(place)
