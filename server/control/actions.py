"""Actions of the operator: a registry of them, and how one is carried out.

An action is a name, a type for its arguments, and a function that plans it. The plan says what
would change, and makes the journal entries when it is carried out. These entries and a line of the
trail are one batch: all of them are durable, or none; only then is anything announced. Actions are
carried out one after another.

Other rooms add actions of their own to it (:meth:`Actions.add`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from mancala.protocol import codec
from mancala.protocol.messages import NAMES_ARE

from ..model.journal import AdminLogged, Entry
from ..model.orders import AdminAct, public_changes
from .target import Target
from .wire import Change, Request

A = TypeVar("A", bound=Struct)


class RefusedError(Exception):
    """An action can't be carried out as things stand; the message names the state."""


class UsageError(RefusedError):
    """A request is wrong whatever the state; the message names what of it."""


class Arguments(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The arguments of an action."""


class Order(NamedTuple):
    """Who wants an action carried out.

    Attributes:
        by: the system user.
        at: when, RFC 3339.
        why: the reason given.
        is_dry: whether only to say what would change.
    """

    by: str
    at: str
    why: str = ""
    is_dry: bool = False


def _nothing() -> tuple[Entry, ...]:
    return ()


def _ignore() -> None:
    """Do nothing."""


class LoggedAs(NamedTuple):
    """What the trail names for an action that carries out another one.

    Attributes:
        action: the other action's name.
        arguments: its arguments.
        why: the reason.
    """

    action: str
    arguments: Arguments
    why: str


async def _no_facts() -> Mapping[str, object]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an action does.

    Attributes:
        changed: what it changes; one that changes nothing is not carried out.
        facts: what else the operator receives.
        record: what the trail holds besides, for ``undo``.
        entries: makes the journal entries, in the instant in which they are handed in.
        done: called once they are durable, before anything else happens.
        roll_back: called instead when the store refused them.
        after: returns what the operator receives at the end.
        commit: makes entries, the trail's among them, durable together with what the action does,
            where that is a step of its own; called instead of ``entries`` and ``done``.
        logged_as: what the trail names instead of the action.
    """

    changed: tuple[Change, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)
    record: Mapping[str, object] = field(default_factory=dict)
    entries: Callable[[], Sequence[Entry]] = _nothing
    done: Callable[[], None] = _ignore
    roll_back: Callable[[], None] = _ignore
    after: Callable[[], Awaitable[Mapping[str, object]]] = _no_facts
    commit: Callable[[Sequence[Entry]], Awaitable[None]] | None = None
    logged_as: LoggedAs | None = None


@dataclass(frozen=True, slots=True)
class Action(Generic[A]):
    """An action.

    Attributes:
        name: its name.
        arguments: the type of its arguments.
        plan: returns what it does; raises :class:`RefusedError` where it can't be done.
    """

    name: str
    arguments: type[A]
    plan: Callable[[Target, A, Order], Awaitable[Plan]]


class Actions:
    """The actions that a server knows, by name."""

    def __init__(self) -> None:
        self._by_name: dict[str, Action[Any]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names, sorted."""
        return tuple(sorted(self._by_name))

    def add(self, *actions: Action[Any]) -> None:
        """Add actions.

        Raises:
            ValueError: when there is one of that name already.
        """
        for action in actions:
            if action.name in self._by_name:
                raise ValueError(f"there are two actions {action.name}")
            self._by_name[action.name] = action

    def find(self, name: str) -> Action[Any]:
        """Return an action.

        Raises:
            UsageError: when there is none of that name.
        """
        action = self._by_name.get(name)
        if action is None:
            raise UsageError(f"there is no action {name}; there are {', '.join(self.names)}")
        return action


class Operator:
    """Carries actions out, one after another."""

    def __init__(self, target: Target, actions: Actions) -> None:
        """Prepare.

        Args:
            target: what they act on.
            actions: the actions there are.
        """
        self._target = target
        self._actions = actions
        self._turn = asyncio.Lock()

    async def carry_out(self, request: Request, by: str) -> dict[str, Any]:
        """Carry an action out, or say what it would change; return what came of it.

        Args:
            request: the action.
            by: the system user who asks for it.

        Raises:
            RefusedError: when it can't be done; nothing has changed then.
        """
        action = self._actions.find(request.action)
        arguments = arguments_of(action, request.arguments)
        order = Order(by, self._target.context.utc(), request.why, request.dry_run)
        async with self._turn:
            plan = await action.plan(self._target, arguments, order)
            facts = dict(plan.facts)
            if plan.changed and not request.dry_run:
                named = plan.logged_as or LoggedAs(action.name, arguments, order.why)
                await self._apply(plan, self._logged(_act(named, plan, order), plan))
                facts |= await plan.after()
        head = {"action": action.name, "dry_run": request.dry_run, "changed": plan.changed}
        return {**head, **facts}

    def _logged(self, act: AdminAct, plan: Plan) -> AdminLogged:
        """Return a line of the trail, with its announcement if the log is public."""
        if not self._target.config().public_log:
            return AdminLogged(act)
        context, changed = self._target.context, msgspec.to_builtins(plan.changed)
        facts = public_changes(changed), len(changed)
        return AdminLogged(act, context.events.acted(context.new_id(), act, *facts))

    async def _apply(self, plan: Plan, logged: AdminLogged) -> None:
        context, act = self._target.context, logged.act
        if plan.commit is None:
            await self._commit(plan, logged)
        else:
            await plan.commit([logged])
        context.log.warning(
            "operator", action=act.action, by=act.by, why=act.why, what=plan_text(plan)
        )

    async def _commit(self, plan: Plan, logged: AdminLogged) -> None:
        durable = asyncio.get_running_loop().create_future()
        entries = [*plan.entries(), logged]
        context = self._target.context
        context.journal.commit(
            entries, partial(_done, plan, durable), partial(_refused, plan, durable)
        )
        if not await durable:
            raise RefusedError("the store could not take it; the server's log says why")


def plan_text(plan: Plan) -> str:
    """Return what a plan changes, for the log; its beginning if that is long."""
    subjects = [f"{change.what} {change.subject}" for change in plan.changed[:10]]
    more = len(plan.changed) - len(subjects)
    return ", ".join(subjects) + (f" and {more} more" if more else "")


def arguments_of(action: Action[A], given: Mapping[str, Any]) -> A:
    """Return the arguments of an action.

    Raises:
        UsageError: when one is wrong, missing or unknown.
    """
    try:
        return msgspec.convert(given, action.arguments)
    except msgspec.ValidationError as error:
        problem = str(error)
        if key := codec.mismatched(error):
            problem = f"{given[key]!r} is no name of a bot: names are {NAMES_ARE}"
        raise UsageError(f"{action.name}: {problem}") from None


def _act(named: LoggedAs, plan: Plan, order: Order) -> AdminAct:
    given = msgspec.to_builtins(named.arguments)
    given.pop("token", None)  # a secret
    what = {"arguments": given, "changed": plan.changed, **plan.record}
    return AdminAct(order.at, order.by, named.action, codec.to_json(what).decode(), named.why)


def _done(plan: Plan, durable: asyncio.Future[bool]) -> None:
    plan.done()
    if not durable.done():
        durable.set_result(True)


def _refused(plan: Plan, durable: asyncio.Future[bool]) -> None:
    plan.roll_back()
    if not durable.done():
        durable.set_result(False)
