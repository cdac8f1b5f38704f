"""Orders held back until they are confirmed: planned when they are given, and again then.

An order that can't be carried out now is not held. A confirmation plans it anew, so it does what
the state then asks for, or is refused; the order is settled in the transaction that does it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import msgspec

from ..model.journal import Entry, SwitchedOff, SwitchedOn
from ..model.orders import HeldOrder, Switch, SwitchKind
from .actions import Arguments, HoldOrder, OneHeld
from .operator import (
    Order,
    Plan,
    RefusedError,
    Target,
    UsageError,
    action_of,
    arguments_of,
    loaded,
)
from .wire import Change


async def hold(target: Target, wanted: HoldOrder, order: Order) -> Plan:
    """Plan to keep an order; the operator receives what it would change."""
    action = action_of(wanted.action)
    if not action.may_wait:
        raise UsageError(f"{action.name} can't be held back")
    if wanted.arguments.get("token") is not None:
        raise UsageError(f"{action.name}: a token is a secret and is not kept; name the bot")
    given = arguments_of(action, wanted.arguments)
    plan = await loaded(action.plan)(target, given, order._replace(action=action.name))
    if not plan.changed:
        raise RefusedError(f"{action.name} would change nothing, so there is nothing to hold back")
    order_id = target.context.new_id()
    held = HeldOrder(order_id, action.name, wanted.arguments, order.why, order.by, order.at)
    return replace(_kept(target, held), facts={"held": held.id, "would_change": plan.changed})


def _kept(target: Target, held: HeldOrder) -> Plan:
    """Plan to keep an order."""
    switch = Switch(SwitchKind.HELD, held.id, held.text, held.at)
    return Plan(
        changed=(Change("held", held.id, None, _text(held)),),
        record={"held": held},
        entries=lambda: [SwitchedOn(switch)],
        done=partial(target.sessions.orders.switch_on, switch),
    )


async def held(target: Target, _wanted: Arguments, _order: Order) -> Plan:
    """List the orders that are held."""
    return Plan(facts={"held": target.sessions.orders.held_orders})


async def confirm(target: Target, wanted: OneHeld, order: Order) -> Plan:
    """Plan what an order that is held asks for, and its end."""
    held = _found(target, wanted.id)
    action = action_of(held.action)
    order = order._replace(action=held.action, why=order.why or held.why)
    given = arguments_of(action, held.arguments)
    plan: Plan = await loaded(action.plan)(target, given, order)
    if not plan.changed:
        raise RefusedError(f"{held.action} would change nothing now; 'drop' {held.id}")
    settled, drop = SwitchedOff(SwitchKind.HELD, held.id), _dropped(target, held)

    def entries() -> Sequence[Entry]:
        return [*plan.entries(), settled]

    def done() -> None:
        plan.done()
        drop.done()

    async def commit(entries: Sequence[Entry]) -> None:
        if plan.commit is not None:
            await plan.commit([*entries, settled])
            drop.done()

    return replace(
        plan,
        changed=(*plan.changed, *drop.changed),
        record={**plan.record, "held_by": held.by},
        entries=entries,
        done=done,
        commit=commit if plan.commit is not None else None,
        logged_as=(order, given),
    )


async def drop(target: Target, wanted: OneHeld, _order: Order) -> Plan:
    """Plan to drop an order that is held."""
    return _dropped(target, _found(target, wanted.id))


def _dropped(target: Target, held: HeldOrder) -> Plan:
    return Plan(
        changed=(Change("held", held.id, _text(held)),),
        record={"held": held},
        entries=lambda: [SwitchedOff(SwitchKind.HELD, held.id)],
        done=partial(target.sessions.orders.switch_off, SwitchKind.HELD, held.id),
    )


async def hold_back(target: Target, what: Mapping[str, Any], _order: Order) -> Plan:
    """Plan to drop an order that is held, or to hold again one that was dropped."""
    held = msgspec.convert(what["held"], HeldOrder)
    if what["action"] == "drop":
        return _kept(target, held)
    if target.sessions.orders.switch(SwitchKind.HELD, held.id) is None:
        raise RefusedError(f"the order {held.id} was confirmed or dropped")
    return _dropped(target, held)


def _found(target: Target, key: str) -> HeldOrder:
    found = target.sessions.orders.switch(SwitchKind.HELD, key)
    if found is None:
        known = ", ".join(each.id for each in target.sessions.orders.held_orders)
        raise RefusedError(f"no order {key} is held back; there are: {known or 'none'}")
    return HeldOrder.of(found.text)


def _text(held: HeldOrder) -> str:
    return f"{held.action} by {held.by}"
