"""What the operator has ordered and what holds until it is taken back; and who ordered what. Pure.

A ban keeps out a name, the bearer of a token, or a network. A switch changes what the server does:
a notice holds, a ladder is paused or closed for the season, a season is over, the server drains.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import ip_address, ip_network
from typing import NamedTuple

from .exclusion import FOR_EVER

WHOLE_SERVER = ""
"""The subject of a switch that concerns no ladder."""


class BanKind(StrEnum):
    """What a ban keeps out."""

    NAME = "name"
    TOKEN = "token"  # noqa: S105  # the name of a kind, not a secret
    ADDRESS = "address"


@dataclass(frozen=True, slots=True)
class Ban:
    """A bot or a network that may not come in.

    Attributes:
        kind: what it keeps out.
        key: the name in lower case, the SHA-256 of the token, or the network.
        reason: one sentence, which the one kept out reads.
        until: RFC 3339; None until it is lifted.
        at: since when.
        by: the system user who ordered it.
    """

    kind: BanKind
    key: str
    reason: str
    until: str | None
    at: str
    by: str

    def holds(self, now: str) -> bool:
        """Return whether it still keeps out at a time of day."""
        return self.until is None or now < self.until

    def lasts_until(self) -> str:
        """Return when it ends, RFC 3339."""
        return FOR_EVER if self.until is None else self.until


class Visitor(NamedTuple):
    """Who wants to come in.

    Attributes:
        name: its name.
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
    """What is switched."""

    NOTICE = "notice"
    PAUSED = "paused"
    CLOSED = "closed"
    SEASON = "season"
    """The subject is the ladder that has its games; the text a ``Season``."""
    REPLAY = "replay"
    """The subject is the match that is to be played again; the text a ``Replay``."""
    DRAINED = "drained"
    HELD = "held"
    """The subject is the id of an order that waits to be confirmed; the text a ``HeldOrder``."""


@dataclass(frozen=True, slots=True)
class Switch:
    """A state that the operator has set.

    Attributes:
        kind: what is switched.
        subject: the ladder; empty for the whole server.
        text: the notice, the season, or why.
        at: since when, RFC 3339.
        until: when it ends by itself; None for never.
    """

    kind: SwitchKind
    subject: str
    text: str
    at: str
    until: str | None = None


@dataclass(frozen=True, slots=True)
class AdminAct:
    """One line of the trail: who did what, and why.

    Attributes:
        at: when, RFC 3339.
        by: the system user.
        action: the action's name.
        what: its arguments and what it changed, as JSON.
        why: the reason given; may be empty.
    """

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
