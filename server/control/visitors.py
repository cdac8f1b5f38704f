"""Who is connected, and who is kept out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from ipaddress import ip_network
from typing import Any, Final

import msgspec
from msgspec import Struct

from mancala.protocol.messages import Agent, ErrorCode

from ..lobby.orders import refused, token_hash
from ..match.participant import Participant
from ..model.journal import Banned, Entry, SessionClosed, Unbanned
from ..model.orders import Ban, BanKind, is_within
from ..store.rows.tokens import bearer_of
from .actions import Action, Arguments, Order, Plan, RefusedError, UsageError
from .target import Target
from .times import end_of
from .wire import Change

UNIT_MS: Final = 0.05
"""One unit of a budget is 50 µs of the event loop; see ``net/costs.py``."""


class ConnectedBot(Struct, frozen=True):
    """A connected bot or spectator.

    Attributes:
        name: its name.
        kind: ``token``, ``guest``, or ``own`` for a program that the server runs.
        address: where it comes from.
        since: when the connection was made, RFC 3339.
        agent: the program behind it.
        matches: the matches it plays.
        ladders: the ladders it is in.
        lag_ms: its round trip, in milliseconds.
        cost_ms: what its messages have cost the event loop, in milliseconds.
    """

    name: str
    kind: str
    address: str
    since: str
    agent: Agent | None
    matches: tuple[str, ...]
    ladders: tuple[str, ...]
    lag_ms: float
    cost_ms: float


class Who(Arguments, frozen=True):
    """Ask who is connected.

    Attributes:
        name: only this bot.
    """

    name: str | None = None


class BanKey(Arguments, frozen=True):
    """Name one to keep out: exactly one of the three.

    Attributes:
        name: a bot's name, in any case.
        token: a token as its bearer sends it.
        address: an address or a network.
    """

    name: str | None = None
    token: str | None = None
    address: str | None = None


class MakeBan(BanKey, frozen=True):
    """Keep someone out.

    Attributes:
        reason: one sentence, which it reads.
        until: until when, RFC 3339; for ever if neither this nor ``for_s`` is given.
        for_s: for how long, in seconds.
    """

    reason: str = ""
    until: str | None = None
    for_s: float | None = None


async def _who(target: Target, asked: Who, _order: Order) -> Plan:
    bots = [
        _connected(target, player)
        for player in target.sessions.present
        if asked.name in (None, player.name)
    ]
    bots.sort(key=lambda bot: bot.since)
    return Plan(facts={"bots": bots, "connections": target.sessions.connections})


def _connected(target: Target, player: Participant) -> ConnectedBot:
    seat = player.seat
    kind = "own" if player.is_own else ("guest" if player.is_guest else "token")
    ladders = target.sessions.ladders.all_ladders
    return ConnectedBot(
        player.name,
        kind,
        player.address,
        (target.sessions.since(seat) if seat is not None else None) or "",
        player.agent,
        tuple(player.matches),
        tuple(ladder.name for ladder in ladders if player.name in ladder),
        round(player.lag_ms, 1),
        round(seat.spent * UNIT_MS, 1) if seat is not None else 0.0,
    )


async def _bans(target: Target, _asked: Arguments, _order: Order) -> Plan:
    return Plan(facts={"bans": target.sessions.orders.bans})


async def _ban(target: Target, wanted: MakeBan, order: Order) -> Plan:
    kind, key = _key(wanted)
    return await _put(
        target, Ban(kind, key, wanted.reason, end_of(wanted, order.at), order.at, order.by)
    )


async def _put(target: Target, ban: Ban) -> Plan:
    """Plan a ban; it takes the place of one on the same name, token or network."""
    kind, key = ban.kind, ban.key
    former = _found(target, kind, key)
    is_meant = await _meant_by(target, ban)
    changed = [
        Change(
            "ban", f"{kind} {key}", refused(former) if former is not None else None, refused(ban)
        )
    ]
    changed += [
        Change("session", player.name, "kept", "ended") for player in _concerned(target, is_meant)
    ]

    def entries() -> list[Entry]:
        closed = (SessionClosed(player.secret_hash) for player in _concerned(target, is_meant))
        return [Banned(ban), *closed]

    def done() -> None:
        target.sessions.orders.ban(ban)
        for player in _concerned(target, is_meant):  # also one that came meanwhile
            target.sessions.logouts.put_out(player, ErrorCode.FORBIDDEN, refused(ban))

    record = {"kind": kind, "key": key, "former": former, "made": ban}
    return Plan(changed=tuple(changed), record=record, entries=entries, done=done)


async def _unban(target: Target, wanted: BanKey, _order: Order) -> Plan:
    return _lift(target, *_key(wanted))


async def ban_back(target: Target, what: Mapping[str, Any], order: Order) -> Plan:
    """Plan to restore what a name, token or network was banned for before a former action."""
    if "kind" not in what:
        raise RefusedError("this line is of a former version, which did not note the ban it lifted")
    kind, key = BanKind(what["kind"]), what["key"]
    former, made = (msgspec.convert(what.get(each), Ban | None) for each in ("former", "made"))
    present = _found(target, kind, key)
    if present is not None and "made" in what and present != made:
        raise RefusedError(f"the ban on {kind} {key} was changed later; undo that first")
    if former is None or not former.holds(order.at):
        return _lift(target, kind, key)
    if present is None and made is not None:
        raise RefusedError(f"the ban on {kind} {key} was lifted later; undo that first")
    return await _put(target, former)


def _lift(target: Target, kind: BanKind, key: str) -> Plan:
    former = _found(target, kind, key)
    if former is None:
        raise RefusedError(f"there is no ban on {kind} {key}")
    return Plan(
        changed=(Change("ban", f"{kind} {key}", refused(former)),),
        record={"kind": kind, "key": key, "former": former, "made": None},
        entries=lambda: [Unbanned(kind, key)],
        done=partial(target.sessions.orders.unban, kind, key),
    )


async def _meant_by(target: Target, ban: Ban) -> Callable[[Participant], bool]:
    """Return whether a ban is on a participant, as a function."""
    match ban.kind:
        case BanKind.NAME:
            return lambda player: player.name.lower() == ban.key
        case BanKind.TOKEN:
            bearer = await target.store.read(lambda transaction: bearer_of(transaction, ban.key))
            return lambda player: player.name == bearer
        case BanKind.ADDRESS:
            return lambda player: is_within(player.address, ban.key)


def _concerned(target: Target, is_meant: Callable[[Participant], bool]) -> list[Participant]:
    """Return the participants whose sessions a ban ends now."""
    return [
        player
        for player in target.sessions.participants
        if not (player.is_own or player.has_left) and is_meant(player)
    ]


def _found(target: Target, kind: BanKind, key: str) -> Ban | None:
    bans = target.sessions.orders.bans
    return next((ban for ban in bans if (ban.kind, ban.key) == (kind, key)), None)


def _key(wanted: BanKey) -> tuple[BanKind, str]:
    given = [each for each in (wanted.name, wanted.token, wanted.address) if each is not None]
    if len(given) != 1 or not given[0]:
        raise UsageError("name one of the three: a name, a token or an address")
    if wanted.name is not None:
        return BanKind.NAME, wanted.name.lower()
    if wanted.token is not None:
        return BanKind.TOKEN, token_hash(wanted.token)
    try:
        return BanKind.ADDRESS, str(ip_network(given[0], strict=False))
    except ValueError:
        raise UsageError(f"{given[0]!r} is neither an address nor a network") from None


VISITOR_ACTIONS: Final = (
    Action("who", Who, _who),
    Action("ban", MakeBan, _ban),
    Action("unban", BanKey, _unban),
    Action("bans", Arguments, _bans),
)
