"""Who is connected, and who is kept out."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from ipaddress import ip_network
from operator import itemgetter
from typing import Any, Final

from mancala.protocol.messages import ErrorCode

from ...match.orders import refused, token_hash
from ...match.participant import Participant
from ...model.credentials import TokenProblem
from ...model.journal import Banned, SessionClosed, Unbanned
from ...model.orders import Ban, BanKind, is_within
from ...store.reading.inspection import known_names
from ...store.rows.tokens import bearer_of, choosers_among
from ...store.store import TOO_MANY, UNCHECKED
from ..actions import Arguments, BanKey, MakeBan, Who
from ..operator import Order, Plan, RefusedError, Target, UsageError, end_of, noted
from ..wire import Change

UNIT_MS: Final = 0.05
"""One unit of a budget is 50 µs of the event loop; see ``net/limits/costs.py``."""


async def who(target: Target, asked: Who, _order: Order) -> Plan:
    """Say who is connected, the one that came first first."""
    bots = [
        _connected(target, player)
        for player in target.sessions.directory.present
        if asked.name in (None, player.name)
    ]
    bots.sort(key=itemgetter("since"))
    return Plan(facts={"bots": bots, "connections": len(target.sessions.directory.seats)})


def _connected(target: Target, player: Participant) -> dict[str, Any]:
    seat = player.seat
    kind = "own" if player.is_own else ("guest" if player.is_guest else "token")
    ladders = target.sessions.ladders.all_ladders
    return {
        "name": player.name,
        "kind": kind,
        "address": player.address,
        "since": (target.sessions.directory.seats.get(seat) if seat is not None else None) or "",
        "agent": player.agent,
        "matches": tuple(player.matches),
        "ladders": tuple(ladder.name for ladder in ladders if player.name in ladder),
        "lag_ms": round(seat.lag_ms, 1) if seat is not None else 0.0,
        "cost_ms": round(seat.spent * UNIT_MS, 1) if seat is not None else 0.0,
    }


async def bans(target: Target, _asked: Arguments, _order: Order) -> Plan:
    return Plan(facts={"bans": target.sessions.orders.bans})


async def ban(target: Target, wanted: MakeBan, order: Order) -> Plan:
    kind, key = _key(wanted)
    end = end_of(wanted.until, wanted.for_s, order.at)
    made = Ban(kind, key, wanted.reason, end, order.at, order.by)
    plan = await _put(target, made, await _bearers(target, wanted.token))
    if kind is BanKind.NAME and not await _has_been(target, key):
        remark = f"no bot named {wanted.name} has played or has a token here: is it misspelt?"
        return replace(plan, facts={**plan.facts, "remark": remark})
    return plan


async def unban(target: Target, wanted: BanKey, _order: Order) -> Plan:
    return _lift(target, *_key(wanted))


async def ban_back(target: Target, what: Mapping[str, Any], order: Order) -> Plan:
    """Plan to restore what a name, token or network was banned for before a former action."""
    former, made = (noted(what, each, Ban | None) for each in ("former", "made"))
    kind, key = BanKind(what["kind"]), what["key"]
    present = _found(target, kind, key)
    if present is not None and present != made:
        raise RefusedError(f"the ban on {kind} {key} was changed later; undo that first")
    if former is None or not former.holds(order.at):
        return _lift(target, kind, key)
    if present is None and made is not None:
        raise RefusedError(f"the ban on {kind} {key} was lifted later; undo that first")
    return await _put(target, former)


async def _has_been(target: Target, name: str) -> bool:
    """Return whether a name, in lower case, is that of a bot that is here or was."""
    if any(player.name.lower() == name for player in target.sessions.participants):
        return True
    return name in map(str.lower, await target.store.read_apart(known_names))


async def _bearers(target: Target, token: str | None) -> frozenset[str]:
    """Return to which of the bots a token belongs that they chose, and came with before a start.

    What they brought is not stored; but it is valid still, or their sessions would have ended.
    """
    if token is None:
        return frozenset()
    came_before = [
        player.name
        for player in target.sessions.participants
        if not (player.is_guest or player.is_own) and player.token_hash is None
    ]
    chosen = await target.store.run(choosers_among, names=came_before) if came_before else ()
    problems = {name: await problem_of(target, name, token) for name in chosen}
    if {TOO_MANY, UNCHECKED}.intersection(problems.values()):
        raise RefusedError("whose token that is can't be checked now; try again in a moment")
    return frozenset(name for name, problem in problems.items() if problem is None)


async def problem_of(target: Target, name: str, token: str) -> TokenProblem | None:
    """Return why a token is not known as the one of a name; None if it is."""
    answered: asyncio.Future[TokenProblem | None] = asyncio.get_running_loop().create_future()

    def answer(problem: TokenProblem | None) -> None:
        if not answered.done():
            answered.set_result(problem)

    target.store.check(name, token, answer)
    return await answered


async def _put(target: Target, made: Ban, bearers: frozenset[str] = frozenset()) -> Plan:
    """Plan a ban; it takes the place of one on the same name, token or network."""
    sessions, said = target.sessions, refused(made)
    is_meant = await _meant_by(target, made, bearers)

    def concerned() -> list[Participant]:
        return [
            player
            for player in sessions.participants
            if not (player.is_own or player.has_left) and is_meant(player)
        ]

    def put_out() -> None:
        for player in concerned():  # also one that came meanwhile
            sessions.logouts.put_out(player, ErrorCode.FORBIDDEN, said)

    former = _found(target, made.kind, made.key)
    ends = [Change("session", each.name, "kept", "ended") for each in concerned()]
    if made.kind is BanKind.NAME and sessions.claims.is_kept(made.key):
        ends.append(Change("device", made.key, "kept", "free"))
    ended = Plan(
        changed=tuple(ends),
        entries=lambda: [
            *(SessionClosed(player.secret_hash) for player in concerned()),
            *(sessions.claims.freed(made.key) if made.kind is BanKind.NAME else ()),
        ],
        done=put_out,
    )
    return ban_changed(target, made.kind, made.key, former, made).also(ended)


def _lift(target: Target, kind: BanKind, key: str) -> Plan:
    former = _found(target, kind, key)
    if former is None:
        raise RefusedError(f"there is no ban on {kind} {key}")
    return ban_changed(target, kind, key, former, None)


def ban_changed(
    target: Target, kind: BanKind, key: str, former: Ban | None, made: Ban | None
) -> Plan:
    """Plan what becomes of a ban; sessions stay."""
    orders = target.sessions.orders
    before, after = (None if each is None else refused(each) for each in (former, made))
    return Plan(
        changed=(Change("ban", f"{kind} {key}", before, after),),
        record={"kind": kind, "key": key, "former": former, "made": made},
        entries=lambda: [Unbanned(kind, key) if made is None else Banned(made)],
        done=partial(orders.unban, kind, key) if made is None else partial(orders.ban, made),
    )


async def _meant_by(
    target: Target, made: Ban, bearers: frozenset[str]
) -> Callable[[Participant], bool]:
    """Return whether a ban is on a participant, as a function; ``bearers`` have its token."""
    match made.kind:
        case BanKind.NAME:
            return lambda player: player.name.lower() == made.key
        case BanKind.TOKEN:
            bearer = await target.store.run(bearer_of, token_hash=made.key)
            names = bearers.union([] if bearer is None else [bearer])
            return lambda player: player.name in names or player.token_hash == made.key
        case BanKind.ADDRESS:
            return lambda player: is_within(player.address, made.key)


def _found(target: Target, kind: BanKind, key: str) -> Ban | None:
    bans = target.sessions.orders.bans
    return next((ban for ban in bans if (ban.kind, ban.key) == (kind, key)), None)


def _key(wanted: BanKey) -> tuple[BanKind, str]:
    """Return the key under which a ban is kept: no token in the clear, and a network in full."""
    given = {kind: key for kind in BanKind if (key := getattr(wanted, kind)) is not None}
    if len(given) != 1 or not all(given.values()):
        raise UsageError("name one of the three: a name, a token or an address")
    [(kind, key)] = given.items()
    match kind:
        case BanKind.NAME:
            return kind, key.lower()
        case BanKind.TOKEN:
            return kind, token_hash(key)
        case BanKind.ADDRESS:
            try:
                return kind, str(ip_network(key, strict=False))
            except ValueError:
                raise UsageError(f"{key!r} is neither an address nor a network") from None
