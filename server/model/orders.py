"""What the operator has ordered and what holds until it is taken back; and who ordered what. Pure.

A ban keeps out a name, the bearer of a token, or a network. A switch changes what the server does:
a notice holds, a ladder is paused or closed for the season, a season is over, the server drains.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import ip_address, ip_network
from typing import Any, Final, NamedTuple, Self, TypeVar

from msgspec import Struct

from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.results import ActChange

T = TypeVar("T")
WHOLE_SERVER = ""
"""The subject of a switch that concerns no ladder."""
FOR_EVER: Final = "9999-12-31T23:59:59.000+00:00"
"""An end that never comes, RFC 3339."""


class BanKind(StrEnum):
    NAME = "name"
    TOKEN = "token"  # noqa: S105  # the name of a kind, not a secret
    ADDRESS = "address"


@dataclass(frozen=True, slots=True)
class Ban:
    """A bot or a network that may not come in.

    Attributes:
        key: the name in lower case, the SHA-256 of the token, or the network.
        until: RFC 3339; None until it is lifted.
    """

    kind: BanKind
    key: str
    reason: str
    until: str | None
    at: str
    by: str

    def holds(self, now: str) -> bool:
        return self.until is None or now < self.until

    def lasts_until(self) -> str:
        """Return when it ends, RFC 3339."""
        return FOR_EVER if self.until is None else self.until


class Visitor(NamedTuple):
    """Who wants to come in.

    Attributes:
        token_hash: the SHA-256 of its token; None without one.
        address: where it comes from; not an address for the server's own programs.
    """

    name: str
    token_hash: str | None
    address: str


def ban_of(bans: Iterable[Ban], visitor: Visitor, now: str) -> Ban | None:
    """Return the ban that keeps a visitor out now, or None."""
    return next((ban for ban in bans if ban.holds(now) and _concerns(ban, visitor)), None)


def _concerns(ban: Ban, visitor: Visitor) -> bool:
    match ban.kind:
        case BanKind.NAME:
            return ban.key == visitor.name.lower()
        case BanKind.TOKEN:
            return ban.key == visitor.token_hash
        case BanKind.ADDRESS:
            return is_within(visitor.address, ban.key)


def is_within(address: str, network: str) -> bool:
    """Return whether an address is in a network; an IPv4 address may be written as IPv6."""
    try:
        found = ip_address(address)
    except ValueError:  # a program that the server runs
        return False
    mapped = getattr(found, "ipv4_mapped", None)
    return (mapped or found) in ip_network(network)


class SwitchKind(StrEnum):
    NOTICE = "notice"
    PAUSED = "paused"
    CLOSED = "closed"
    SEASON = "season"
    """The subject is the ladder that has its games; the text a ``Season``."""
    REPLAY = "replay"
    """The subject is the match that is to be played again; the text a ``Replay``."""
    DRAINED = "drained"
    ROLE = "role"
    """The subject is an event and a name, with a space between; the text the name's role in it."""
    HELD = "held"
    """The subject is the id of an order that waits to be confirmed; the text a ``HeldOrder``."""


@dataclass(frozen=True, slots=True)
class Switch:
    """A state that the operator has set, of a ladder or, without one, of the whole server."""

    kind: SwitchKind
    subject: str
    text: str
    at: str
    until: str | None = None


class Stated(Struct, frozen=True):
    """What the text of a switch states, as JSON."""

    @property
    def text(self) -> str:
        return codec.to_json(self).decode()

    @classmethod
    def of(cls, text: str) -> Self:
        """Return what a text states."""
        return codec.from_json(text, cls)


@dataclass(frozen=True, slots=True)
class AdminAct:
    """One line of the trail: who did what and why; ``what`` are arguments and changes as JSON."""

    at: str
    by: str
    action: str
    what: str
    why: str


class LoggedAct(NamedTuple):
    """A line of the trail with its number, which ``undo`` names."""

    number: int
    act: AdminAct


class KeptOrders(NamedTuple):
    """The operator's orders as the journal knows them."""

    bans: tuple[Ban, ...] = ()
    switches: tuple[Switch, ...] = ()


def of_both(
    old: T | None, new: T | None, *, lasts: Callable[[T], str], leaves: bool
) -> tuple[T | None, T | None]:
    """Return what keeps out each of two names once they are one bot's.

    Of two that meet the longer one holds. The name that goes stays kept out, so that a bot that
    comes back under it is not free.
    """
    held = [each for each in (old, new) if each is not None]
    return (old if leaves else None), max(held, key=lasts, default=None)


class HeldOrder(Stated, frozen=True):
    """An order that is carried out once it is confirmed."""

    id: str
    action: str
    arguments: dict[str, Any]
    why: str
    by: str
    at: str


SHOWN: Final = 20
"""Changes of one line that are published."""
PRIVATE: Final = ("address", "token")
"""Kinds of bans whose subject is left out."""


def public_changes(changed: Iterable[Mapping[str, Any]]) -> tuple[ActChange, ...]:
    """Return what a line changed, without networks, tokens, files, and values that may be hidden.

    These are the values of settings, and the results of games, which an event may hide.
    """
    return tuple(map(_public, [*changed][:SHOWN]))


def _public(change: Mapping[str, Any]) -> ActChange:
    what, subject = str(change["what"]), str(change["subject"])
    kind = subject.partition(" ")[0]
    if what == "ban" and kind in PRIVATE:
        return ActChange(what, f"{kind} (not public)")
    if what == "backup":
        return ActChange(what, "the store")
    event = change.get("event")
    if what in {"setting", "game"}:
        return ActChange(what, subject, event=event)
    return ActChange(what, subject, change.get("before"), change.get("after"), event)


class Season(Stated, frozen=True):
    """A season that is over."""

    ladder: str
    rules: str
    clock: TimeControl
    games: int
    anchors: dict[str, float] = {}
    house: tuple[str, ...] = ()
    seeds: bool = False


class EndedSeason(NamedTuple):
    """A season with its own name."""

    name: str
    season: Season
    at: str


class Replay(Stated, frozen=True):
    """A match of a ladder that is to be played again; the first bot begins its first game."""

    match: str
    ladder: str
    names: tuple[str, str]
    openings: tuple[str, ...] = ()
