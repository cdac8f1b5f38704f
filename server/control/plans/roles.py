"""Who may give orders for an event besides the operator: owners, arbiters and helpers, by token.

An action says which role may give it at least. What they order goes the operator's way: one gate
refuses it or carries it out, and the trail and the event's log name who asked.
"""

from dataclasses import replace
from http import HTTPStatus
from typing import Any, Final

from mancala.protocol import codec

from ...match.orders import Orders
from ...model.orders import Switch, SwitchKind
from ...model.schemas.event_orders import EventOrder, EventOrderAnswer, GivenOrder
from ...store.rows.tokens import has_token
from ...store.store import TOO_MANY, UNCHECKED
from ..actions import ACTIONS, ROLES, GrantRole, RevokeRole
from ..operator import Operator, Order, Plan, RefusedError, Target, UsageError
from ..wire import Request
from .switches import switched
from .visitors import problem_of

TURN_S: Final = 3.0
"""How long an order waits for others; less than its client waits for the answer."""
ORDERS: Final = {each.command[1]: each for each in ACTIONS.values() if each.role}
"""The actions that a role may give, by the names of their commands."""
OPERATORS: Final = frozenset(
    {"rated", "boards", "series", "edition", "division", "promoted", "every_days"}
)
"""Settings of an event that concern others than its entrants, and that no role may change."""


async def grant(target: Target, wanted: GrantRole, order: Order) -> Plan:
    """Plan that the bearer of a name's token may give orders for an event."""
    _expect(target, wanted.event)
    if not await target.store.run(has_token, name=wanted.name):
        said = f"{wanted.name} has no token, so a stranger could take the name"
        raise RefusedError(f"{said}; make one first: mancala token new {wanted.name}")
    made = Switch(SwitchKind.ROLE, _subject(wanted.event, wanted.name), wanted.role, order.at)
    return switched(target, SwitchKind.ROLE, made.subject, made)


async def revoke(target: Target, wanted: RevokeRole, _order: Order) -> Plan:
    """Plan that a name gives no orders for an event any more."""
    _expect(target, wanted.event)
    subject = _subject(wanted.event, wanted.name)
    if target.sessions.orders.switch(SwitchKind.ROLE, subject) is None:
        known = ", ".join(roles_of(target.sessions.orders, wanted.event))
        raise RefusedError(f"{wanted.event}: {wanted.name} has no role; who has: {known or 'none'}")
    return switched(target, SwitchKind.ROLE, subject, None)


def without_roles(target: Target, event: str) -> Plan:
    """Plan that no one has a role in an event any more."""
    plan = Plan()
    for name in roles_of(target.sessions.orders, event):
        plan = plan.also(switched(target, SwitchKind.ROLE, _subject(event, name), None))
    return plan


def with_roles_moved(target: Target, old: str, new: str) -> Plan:
    """Plan that a name's roles are those of another, in each event where that one has none."""
    plan, orders = Plan(), target.sessions.orders
    for each in orders.switches(SwitchKind.ROLE):
        event, _, name = each.subject.partition(" ")
        if name == old:
            plan = plan.also(switched(target, SwitchKind.ROLE, each.subject, None))
            subject = _subject(event, new)
            if orders.switch(SwitchKind.ROLE, subject) is None:
                plan = plan.also(
                    switched(target, SwitchKind.ROLE, subject, replace(each, subject=subject))
                )
    return plan


def roles_of(orders: Orders, event: str) -> dict[str, str]:
    found = ((*each.subject.partition(" "), each.text) for each in orders.switches(SwitchKind.ROLE))
    return {name: role for of, _, name, role in found if of == event}


def _subject(event: str, name: str) -> str:
    return f"{event} {name}"


def _expect(target: Target, event: str) -> None:
    if target.sessions.contests.get(event) is None:
        raise RefusedError(f"there is no event {event}")


# Orders over the API


class _DeniedError(RefusedError):
    """Who gives an order may not give it; the message says why."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        self.status = status
        super().__init__(why)


async def obey(target: Target, operator: Operator | None, given: GivenOrder) -> EventOrderAnswer:
    """Carry out an order for an event, if who gives it may; return what came of it."""
    if operator is None:
        said = "this server has no operator; its program orders it"
        return EventOrderAnswer(status=HTTPStatus.CONFLICT, error=said)
    try:
        role = await _role_of(target, given)
        found = await operator.carry_out(_request(given, role), f"{given.name} ({role})", TURN_S)
    except _DeniedError as error:
        return EventOrderAnswer(status=error.status, error=str(error))
    except RefusedError as error:
        is_usage = isinstance(error, UsageError)
        status = HTTPStatus.BAD_REQUEST if is_usage else HTTPStatus.CONFLICT
        return EventOrderAnswer(status=status, error=str(error))
    result = codec.from_json(codec.to_json(found), dict[str, Any])
    return EventOrderAnswer(status=HTTPStatus.OK, result=result)


async def _role_of(target: Target, given: GivenOrder) -> str:
    problem = await problem_of(target, given.name, given.token)
    if problem in {TOO_MANY, UNCHECKED}:
        raise _DeniedError(HTTPStatus.SERVICE_UNAVAILABLE, problem.detail)
    if problem is not None:
        raise _DeniedError(HTTPStatus.UNAUTHORIZED, f"that is no token of {given.name}")
    banned = target.sessions.orders.ban_on(given.name, given.token, given.address)
    if banned is not None:
        raise _DeniedError(HTTPStatus.FORBIDDEN, banned)
    if target.sessions.contests.get(given.event) is None:
        raise _DeniedError(HTTPStatus.NOT_FOUND, f"there is no event {given.event}")
    role = roles_of(target.sessions.orders, given.event).get(given.name)
    if role is None:
        said = f"{given.name} has no role in {given.event}"
        raise _DeniedError(HTTPStatus.FORBIDDEN, said)
    return role


def _request(given: GivenOrder, role: str) -> Request:
    try:
        wanted = codec.from_json(given.order, EventOrder)
    except ValueError as error:
        raise UsageError(f"no order: {error}") from None
    action = ORDERS.get(wanted.order)
    if action is None:
        raise UsageError(f"there is no order {wanted.order!r}; there are {', '.join(ORDERS)}")
    if action.role not in ROLES[: ROLES.index(role) + 1]:
        roles = " or ".join(ROLES[ROLES.index(action.role) :])
        raise _DeniedError(HTTPStatus.FORBIDDEN, f"{wanted.order} is for {roles}, not for {role}")
    settings = wanted.arguments.get("settings")
    if isinstance(settings, dict) and (kept := sorted(OPERATORS & settings.keys())):
        said = f"{' and '.join(kept)}: only the operator may change that"
        raise _DeniedError(HTTPStatus.FORBIDDEN, said)
    arguments = {**wanted.arguments, "event": given.event}
    return Request(action.name, arguments, wanted.dry_run, wanted.why)
