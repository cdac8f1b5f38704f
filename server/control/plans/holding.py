"""Orders held back until they are confirmed: planned when they are given, and again then.

An order that can't be carried out now is not held. A confirmation plans it anew, so it does what
the state then asks for, or is refused; the order is settled in the transaction that does it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec

from ...model.orders import HeldOrder, Switch, SwitchKind
from ..actions import Arguments, HoldOrder, OneHeld
from ..operator import SECRETS, Order, Plan, RefusedError, Target, UsageError, action_of, planned
from ..wire import Change
from .switches import switched


async def hold(target: Target, wanted: HoldOrder, order: Order) -> Plan:
    """Plan to keep an order; the operator receives what it would change."""
    name = wanted.action
    if not action_of(name).may_wait:
        raise UsageError(f"{name} can't be held back")
    if wanted.arguments.get("token") is not None:
        raise UsageError(f"{name}: a token is a secret and is not kept; name the bot")
    settings = wanted.arguments.get("settings")
    if isinstance(settings, dict) and any(settings.get(key) for key in SECRETS):
        raise UsageError(f"{name}: a password is a secret and is not kept; set it by an edit")
    plan = await planned(target, order._replace(action=name), wanted.arguments)
    if not plan.changed:
        raise RefusedError(f"{name} would change nothing, so there is nothing to hold back")
    key = target.context.new_id()
    held = HeldOrder(key, name, wanted.arguments, order.why, order.by, order.at)
    kept = _put(target, held, waits=True)
    return replace(kept, record={"held": held}, facts={"held": key, "would_change": plan.changed})


async def held(target: Target, _wanted: Arguments, _order: Order) -> Plan:
    return Plan(facts={"held": target.sessions.orders.held_orders})


async def confirm(target: Target, wanted: OneHeld, order: Order) -> Plan:
    """Plan what an order that is held asks for, and its end."""
    held = _found(target, wanted.id)
    order = order._replace(action=held.action, why=order.why or held.why)
    plan = await planned(target, order, held.arguments)
    if not plan.changed:
        raise RefusedError(f"{held.action} would change nothing now; 'drop' {held.id}")
    plan = plan.also(_put(target, held, waits=False))
    return replace(plan, record={**plan.record, "held_by": held.by})


async def drop(target: Target, wanted: OneHeld, _order: Order) -> Plan:
    """Plan to drop an order that is held."""
    held = _found(target, wanted.id)
    return replace(_put(target, held, waits=False), record={"held": held})


async def hold_back(target: Target, what: Mapping[str, Any], _order: Order) -> Plan:
    """Plan to drop an order that is held, or to hold again one that was dropped."""
    held = msgspec.convert(what["held"], HeldOrder)
    is_back = what["action"] == "drop"
    if not is_back and target.sessions.orders.switch(SwitchKind.HELD, held.id) is None:
        raise RefusedError(f"the order {held.id} was confirmed or dropped")
    return _put(target, held, waits=is_back)


def _put(target: Target, held: HeldOrder, *, waits: bool) -> Plan:
    made = Switch(SwitchKind.HELD, held.id, held.text, held.at) if waits else None
    words = f"{held.action} by {held.by}"
    change = Change("held", held.id, *((None, words) if waits else (words, None)))
    plan = switched(target, SwitchKind.HELD, held.id, made)
    return replace(plan, changed=(change,), record={})


def _found(target: Target, key: str) -> HeldOrder:
    found = target.sessions.orders.switch(SwitchKind.HELD, key)
    if found is None:
        known = ", ".join(each.id for each in target.sessions.orders.held_orders)
        raise RefusedError(f"no order {key} is held back; there are: {known or 'none'}")
    return HeldOrder.of(found.text)
