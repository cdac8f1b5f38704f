"""Orders held back until they are confirmed: planned when they are given, and again then.

An order that can't be carried out now is not held. A confirmation plans it anew, so it does what
the state then asks for, or is refused; the order is settled in the transaction that does it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import msgspec

from ..model.journal import Entry, SwitchedOff, SwitchedOn
from ..model.orders import HeldOrder, Switch, SwitchKind
from .actions import (
    Action,
    Actions,
    Arguments,
    LoggedAs,
    Order,
    Plan,
    RefusedError,
    UsageError,
    arguments_of,
)
from .target import Target
from .wire import Change

UNHELD: Final = frozenset({"hold", "confirm", "drop", "reload"})
"""Actions that are not held back: these, and one that acts on settings as they are then."""


class HoldOrder(Arguments, frozen=True):
    """Hold an order back.

    Attributes:
        action: what is to be done.
        arguments: with which arguments, by name.
    """

    action: str
    arguments: dict[str, Any]


class NameHeld(Arguments, frozen=True):
    """Name an order that is held back.

    Attributes:
        id: its id.
    """

    id: str


def holding_actions(actions: Actions) -> tuple[Action[Any], ...]:
    """Return the actions that hold back and confirm those of a registry."""
    return (
        Action("hold", HoldOrder, partial(_hold, actions)),
        Action("held", Arguments, _list),
        Action("confirm", NameHeld, partial(_confirm, actions)),
        Action("drop", NameHeld, _drop),
    )


async def _hold(actions: Actions, target: Target, wanted: HoldOrder, order: Order) -> Plan:
    action = actions.find(wanted.action)
    if action.name in UNHELD:
        raise UsageError(f"{action.name} can't be held back")
    if wanted.arguments.get("token") is not None:
        raise UsageError(f"{action.name}: a token is a secret and is not kept; name the bot")
    plan = await action.plan(target, arguments_of(action, wanted.arguments), order)
    if not plan.changed:
        raise RefusedError(f"{action.name} would change nothing, so there is nothing to hold back")
    held = HeldOrder(
        target.context.new_id(), action.name, wanted.arguments, order.why, order.by, order.at
    )
    kept = _kept(target, held)
    return replace(kept, facts={"held": held.id, "would_change": plan.changed})


def _kept(target: Target, held: HeldOrder) -> Plan:
    """Plan to keep an order."""
    switch = Switch(SwitchKind.HELD, held.id, held.text, held.at)
    return Plan(
        changed=(Change("held", held.id, None, _text(held)),),
        record={"held": held},
        entries=lambda: [SwitchedOn(switch)],
        done=partial(target.sessions.orders.switch_on, switch),
    )


async def _list(target: Target, _wanted: Arguments, _order: Order) -> Plan:
    return Plan(facts={"held": target.sessions.orders.held_orders})


async def _confirm(actions: Actions, target: Target, wanted: NameHeld, order: Order) -> Plan:
    held = _found(target, wanted.id)
    action = actions.find(held.action)
    arguments = arguments_of(action, held.arguments)
    why = order.why or held.why
    plan = await action.plan(target, arguments, order._replace(why=why))
    if not plan.changed:
        raise RefusedError(f"{held.action} would change nothing now; 'drop' {held.id}")
    settled = SwitchedOff(SwitchKind.HELD, held.id)
    settle = partial(target.sessions.orders.switch_off, SwitchKind.HELD, held.id)

    def entries() -> Sequence[Entry]:
        return [*plan.entries(), settled]

    def done() -> None:
        plan.done()
        settle()

    async def commit(entries: Sequence[Entry]) -> None:
        if plan.commit is not None:
            await plan.commit([*entries, settled])
            settle()

    return replace(
        plan,
        changed=(*plan.changed, Change("held", held.id, _text(held))),
        record={**plan.record, "held_by": held.by},
        entries=entries,
        done=done,
        commit=commit if plan.commit is not None else None,
        logged_as=LoggedAs(held.action, arguments, why),
    )


async def _drop(target: Target, wanted: NameHeld, _order: Order) -> Plan:
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
