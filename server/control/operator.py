"""How an action of the operator is carried out: planned, logged, durable, and only then announced.

The plan says what would change, and makes the journal entries when it is carried out. These entries
and a line of the trail are one batch: all of them are durable, or none; only then is anything
announced. Actions are carried out one after another, each within a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import structs

from mancala.protocol import codec
from mancala.protocol.messages import NAMES_ARE

from ..config.reload import Reload
from ..config.settings import Config
from ..lobby.sessions import SessionRegistry
from ..match.context import Context
from ..model.journal import AdminLogged, Entry
from ..model.orders import AdminAct, public_changes
from ..model.timestamps import later, rfc3339
from ..store import Store
from .actions import ACTIONS, Action, Arguments
from .wire import Change, Request

TURN_S: Final = 30.0
"""How long an order waits for others."""
SECRETS: Final = frozenset({"password"})
HIDDEN: Final = "***"
NAMING: Final = frozenset({"event", "role"})
"""What changes whose subject names the event."""
PLAN_S: Final = 600.0
"""How long the plan of an order may take; a recount of a large store takes minutes."""


class Reloading(NamedTuple):
    """How a running server takes its settings up.

    Attributes:
        read: reads them, in a thread, since a file or the store may make it wait.
        plan: returns what would change, as `Server.plan`.
        take_up: takes them up, as `Server.reload`.
    """

    read: Callable[[], Config]
    plan: Callable[..., Reload]
    take_up: Callable[..., Reload]


class RefusedError(Exception):
    """An action can't be carried out as things stand; the message names the state."""


class UsageError(RefusedError):
    """A request is wrong whatever the state; the message names what of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A server as its operator reaches it, running or restored from its store."""

    sessions: SessionRegistry
    store: Store
    context: Context
    config: Callable[[], Config]
    is_live: bool = True
    reload: Reloading | None = None


class Order(NamedTuple):
    """Which action is to be carried out, by which system user, when (RFC 3339), and why."""

    action: str
    by: str
    at: str
    why: str = ""
    is_dry: bool = False


async def _no_facts() -> Mapping[str, object]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an action does.

    Attributes:
        changed: what it changes; one that changes nothing is not carried out.
        record: what the trail holds besides, for ``undo``.
        done: called once they are durable, before anything else happens.
        roll_back: called instead when the store refused them.
        after: returns what the operator receives at the end.
        commit: makes entries, the trail's among them, durable together with what the action does,
            where that is a step of its own; called instead of ``entries`` and ``done``.
        orders: what it carries out, with the arguments; the trail names the first.
    """

    changed: tuple[Change, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)
    record: Mapping[str, object] = field(default_factory=dict)
    entries: Callable[[], Sequence[Entry]] = tuple
    done: Callable[[], None] = lambda: None
    roll_back: Callable[[], None] = lambda: None
    after: Callable[[], Awaitable[Mapping[str, object]]] = _no_facts
    commit: Callable[[Sequence[Entry]], Awaitable[None]] | None = None
    orders: tuple[tuple[Order, Arguments], ...] = ()

    def also(self, other: Plan) -> Plan:
        alone = self.commit

        def done() -> None:
            self.done()
            other.done()

        async def commit(entries: Sequence[Entry]) -> None:
            if alone is not None:
                await alone([*entries, *other.entries()])
                other.done()

        return replace(
            self,
            changed=(*self.changed, *other.changed),
            record={**self.record, **other.record},
            entries=lambda: [*self.entries(), *other.entries()],
            done=done,
            commit=None if alone is None else commit,
        )

    def of_event(self, event: str | None) -> Plan:
        """Return the plan with changes that name its event, each by itself."""
        if event is None:
            return self
        changed = (
            each if each.what in NAMING else structs.replace(each, event=event)
            for each in self.changed
        )
        return replace(self, changed=tuple(changed))

    def __str__(self) -> str:
        """Return what it changes, for the log; its beginning if that is long."""
        subjects = [change.thing for change in self.changed[:10]]
        more = len(self.changed) - len(subjects)
        return ", ".join(subjects) + (f" and {more} more" if more else "")


class Operator:
    def __init__(self, target: Target, actions: Mapping[str, Action] = ACTIONS) -> None:
        self._target = target
        self._actions = actions
        self._turn = asyncio.Lock()
        self._busy_with = ""
        for each in actions.values():
            loaded(each.plan)

    async def carry_out(
        self,
        request: Request,
        by: str,
        turn_s: float | None = None,
        expect: Callable[[Target], None] = lambda _target: None,
    ) -> dict[str, Any]:
        """Carry an action out, or say what it would change; return what came of it.

        It waits for others for ``turn_s``; ``TURN_S`` by default. Then ``expect`` may refuse it.

        Raises:
            RefusedError: when it can't be done; nothing has changed then.
        """
        at = self._target.context.utc()
        order = Order(request.action, by, at, request.why, request.dry_run)
        async with self._my_turn(f"{order.action} by {by}", TURN_S if turn_s is None else turn_s):
            expect(self._target)
            plan = await self._planned(order, request.arguments)
            facts = dict(plan.facts)
            if plan.changed and not order.is_dry:
                await self._apply(plan, self._logged(plan))
                facts |= await plan.after()
        return {"action": order.action, "dry_run": order.is_dry, "changed": plan.changed, **facts}

    @asynccontextmanager
    async def _my_turn(self, what: str, turn_s: float) -> AsyncIterator[None]:
        """Wait while another order is carried out, for a while; say which one it is."""
        try:
            async with asyncio.timeout(turn_s):
                await self._turn.acquire()
        except TimeoutError:
            raise RefusedError(f"{self._busy_with} is being carried out; try again later") from None
        self._busy_with = what
        try:
            yield
        finally:
            self._turn.release()

    async def _planned(self, order: Order, given: Mapping[str, Any]) -> Plan:
        try:
            async with asyncio.timeout(PLAN_S):
                return await planned(self._target, order, given, self._actions)
        except TimeoutError:
            raise RefusedError(f"{order.action} took more than {PLAN_S:g} s") from None

    def _logged(self, plan: Plan) -> AdminLogged:
        (order, arguments), *_ = plan.orders
        given = _without_passwords(msgspec.to_builtins(arguments))
        given.pop("token", None)  # a secret
        what = {"arguments": given, "changed": plan.changed, **plan.record}
        act = AdminAct(order.at, order.by, order.action, codec.to_json(what).decode(), order.why)
        if not self._target.config().public_log:
            return AdminLogged(act)
        context, changed = self._target.context, msgspec.to_builtins(plan.changed)
        facts = public_changes(changed), len(changed)
        return AdminLogged(act, context.events.acted(context.new_id(), act, *facts))

    async def _apply(self, plan: Plan, logged: AdminLogged) -> None:
        act = logged.act
        if plan.commit is None:
            await self._commit(plan, logged)
        else:
            await plan.commit([logged])
        self._target.context.log.warning(
            "operator", action=act.action, by=act.by, why=act.why, what=str(plan)
        )

    async def _commit(self, plan: Plan, logged: AdminLogged) -> None:
        durable = asyncio.get_running_loop().create_future()
        entries = [*plan.entries(), logged]
        self._target.context.journal.commit(
            entries,
            partial(_settle, durable, plan.done, is_durable=True),
            partial(_settle, durable, plan.roll_back, is_durable=False),
        )
        if not await durable:
            raise RefusedError("the store could not take it; the server's log says why")


def _without_passwords(given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: _without_passwords(value)
        if isinstance(value, dict)
        else HIDDEN
        if key in SECRETS and value
        else value
        for key, value in given.items()
    }


def _settle(durable: asyncio.Future[bool], act: Callable[[], None], *, is_durable: bool) -> None:
    try:
        act()
    finally:  # what waits holds the turn of all orders
        if not durable.done():
            durable.set_result(is_durable)


async def planned(
    target: Target, order: Order, given: Mapping[str, Any], actions: Mapping[str, Action] = ACTIONS
) -> Plan:
    """Plan an action with arguments as they were sent; refuse what is wrong with them."""
    action = action_of(order.action, actions)
    try:
        arguments = msgspec.convert(given, action.arguments)
    except msgspec.ValidationError as error:
        problem = str(error)
        if key := codec.mismatched(error):
            problem = f"{given[key]!r} is no name: names are {NAMES_ARE}"
        raise UsageError(f"{action.name}: {problem}") from None
    plan: Plan = await loaded(action.plan)(target, arguments, order)
    plan = plan.of_event(getattr(arguments, "event", None))
    return replace(plan, orders=(*plan.orders, (order, arguments)))


def action_of(name: str, actions: Mapping[str, Action] = ACTIONS) -> Action:
    """Return an action; refuse a name that none has."""
    if name not in actions:
        raise UsageError(f"there is no action {name}; there are {', '.join(sorted(actions))}")
    return actions[name]


def loaded(place: str) -> Any:  # noqa: ANN401  # a function of any action
    """Return the function that a declaration names."""
    module, _, function = place.partition(":")
    return getattr(import_module(module, f"{__package__}.plans"), function)


def noted(what: Mapping[str, Any], name: str, kind: Any) -> Any:  # noqa: ANN401  # a value of that type
    """Return what a line of the trail notes; refuse one of a former version, which did not."""
    if name not in what:
        raise RefusedError("this line is of a former version, which did not note what held before")
    return msgspec.convert(what[name], kind)


def end_of(until: str | None, for_s: float | None, now: str) -> str | None:
    """Return when the effect of an action ends, RFC 3339 in UTC; None for never."""
    if until is not None and for_s is not None:
        raise UsageError("say until when or for how long, not both")
    if for_s is not None:
        try:
            return later(now, for_s)
        except (OverflowError, ValueError):
            raise UsageError(f"{for_s:g} s from now is no time") from None
    if until is None:
        return None
    end = instant_of(until)
    if end <= now:
        raise UsageError(f"{until} is over already")
    return end


def instant_of(text: str) -> str:
    """Return a time that the operator names, RFC 3339 in UTC."""
    try:
        instant = datetime.fromisoformat(text)
        in_utc = rfc3339(instant.astimezone(UTC))
    except (ValueError, OverflowError):
        raise UsageError(f"{text!r} is no time: write it as 2026-01-31T18:00:00+01:00") from None
    if instant.tzinfo is None:
        raise UsageError(f"{text!r} names no time zone: write +00:00 at its end for UTC")
    return in_utc
