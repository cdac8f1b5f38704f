"""States that the operator sets until they are taken back: notice, pause, close, drain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import msgspec

from mancala.protocol.messages import Leave

from ..model.journal import Announced, SwitchedOff, SwitchedOn
from ..model.orders import WHOLE_SERVER, Switch, SwitchKind
from .actions import Action, Arguments, Order, Plan, RefusedError, UsageError
from .target import Target
from .times import end_of
from .wire import Change

LONGEST_NOTICE: Final = 2000


class GiveNotice(Arguments, frozen=True):
    """Publish a notice.

    Attributes:
        text: one or two sentences; empty takes the notice back.
        until: until when, RFC 3339.
        for_s: for how long, in seconds.
    """

    text: str = ""
    until: str | None = None
    for_s: float | None = None


class NameLadder(Arguments, frozen=True):
    """Name a ladder.

    Attributes:
        ladder: its name.
    """

    ladder: str


async def _notice(target: Target, wanted: GiveNotice, order: Order) -> Plan:
    text = wanted.text.strip()
    if len(text) > LONGEST_NOTICE or any(not each.isprintable() for each in text):
        raise UsageError(f"a notice is one line of at most {LONGEST_NOTICE} characters")
    if not text and target.sessions.orders.switch(SwitchKind.NOTICE) is None:
        raise RefusedError("there is no notice to take back")
    until = end_of(wanted, order.at) if text else None
    made = Switch(SwitchKind.NOTICE, WHOLE_SERVER, text, order.at, until) if text else None
    return _noticed(target, made, order)


def _noticed(target: Target, made: Switch | None, order: Order) -> Plan:
    """Plan a notice, or its end."""
    orders, events = target.sessions.orders, target.context.events
    former = orders.switch(SwitchKind.NOTICE)
    text, until = (made.text, made.until) if made is not None else ("", None)
    announcement = events.notice(target.context.new_id(), text, order.at, until)
    entry = SwitchedOff(SwitchKind.NOTICE, WHOLE_SERVER) if made is None else SwitchedOn(made)

    def done() -> None:
        if made is not None:
            orders.switch_on(made)
        else:
            orders.switch_off(SwitchKind.NOTICE)
        target.sessions.send_to_all(orders.notice)

    return Plan(
        changed=(
            Change(
                "notice",
                target.config().name,
                former.text if former is not None else None,
                text or None,
            ),
        ),
        facts={"told": len(target.sessions.present), "until": until},
        record={"former": former, "made": made},
        entries=lambda: [entry, Announced(announcement)],
        done=done,
    )


def _set(target: Target, kind: SwitchKind, ladder: str, order: Order) -> Plan:
    if target.sessions.orders.switch(kind, ladder_of(target, ladder)) is not None:
        raise RefusedError(f"the ladder {ladder} is {kind} already")
    return _on(target, Switch(kind, ladder, order.why, order.at))


def ladder_of(target: Target, name: str) -> str:
    """Return a ladder's name.

    Raises:
        RefusedError: when there is no such ladder.
    """
    if target.sessions.ladders.get(name) is None:
        known = ", ".join(ladder.name for ladder in target.sessions.ladders.all_ladders)
        raise RefusedError(f"there is no ladder {name}; there are: {known or 'none'}")
    if target.sessions.orders.switch(SwitchKind.SEASON, name) is not None:
        raise RefusedError(f"the season {name} is over; only its games can be annulled")
    return name


def _on(target: Target, switch: Switch) -> Plan:
    subject = switch.subject or target.config().name
    return Plan(
        changed=(Change(switch.kind.value, subject, None, switch.text or "yes"),),
        record={"former": None, "made": switch},
        entries=lambda: [SwitchedOn(switch)],
        done=partial(target.sessions.orders.switch_on, switch),
    )


def _off(target: Target, kind: SwitchKind, subject: str = WHOLE_SERVER) -> Plan:
    former = target.sessions.orders.switch(kind, subject)
    name = subject or target.config().name
    if former is None:
        raise RefusedError(f"{_about(target, subject)} is not {kind}")

    def done() -> None:
        target.sessions.orders.switch_off(kind, subject)
        for ladder in target.sessions.ladders.all_ladders:
            ladder.look_again()
        target.sessions.contests.look()

    return Plan(
        changed=(Change(kind.value, name, former.text or "yes"),),
        record={"former": former, "made": None},
        entries=lambda: [SwitchedOff(kind, subject)],
        done=done,
    )


def _about(target: Target, subject: str) -> str:
    return f"the ladder {subject}" if subject else target.config().name


async def _pause(target: Target, wanted: NameLadder, order: Order) -> Plan:
    return _set(target, SwitchKind.PAUSED, wanted.ladder, order)


async def _resume(target: Target, wanted: NameLadder, _order: Order) -> Plan:
    return _off(target, SwitchKind.PAUSED, ladder_of(target, wanted.ladder))


async def _close(target: Target, wanted: NameLadder, order: Order) -> Plan:
    return _closed(target, _set(target, SwitchKind.CLOSED, wanted.ladder, order), wanted.ladder)


def _closed(target: Target, plan: Plan, name: str) -> Plan:
    """Let a plan that closes a ladder put its members out."""
    ladder = target.sessions.ladders.get(name)
    members = [who for who in target.sessions.participants if ladder and who.name in ladder]

    def done() -> None:
        plan.done()
        for who in members:
            target.sessions.ladders.leave(who, Leave(name))

    left = tuple(Change("member", who.name, name) for who in members)
    return replace(plan, changed=(*plan.changed, *left), done=done)


async def _open(target: Target, wanted: NameLadder, _order: Order) -> Plan:
    return _off(target, SwitchKind.CLOSED, ladder_of(target, wanted.ladder))


async def _drain(target: Target, _wanted: Arguments, order: Order) -> Plan:
    if target.sessions.orders.is_drained:
        raise RefusedError(f"{target.config().name} drains already")
    plan = _on(target, Switch(SwitchKind.DRAINED, WHOLE_SERVER, order.why, order.at))
    return replace(plan, facts={"games": target.sessions.tables.games})


async def _undrain(target: Target, _wanted: Arguments, _order: Order) -> Plan:
    return _off(target, SwitchKind.DRAINED)


async def switch_back(target: Target, what: Mapping[str, Any], order: Order) -> Plan:
    """Plan to restore the state that held before a former action."""
    kind, subject = SWITCHED[what["action"]], what["arguments"].get("ladder", WHOLE_SERVER)
    if subject:
        ladder_of(target, subject)
    former, made = (msgspec.convert(what.get(each), Switch | None) for each in ("former", "made"))
    present = target.sessions.orders.switch(kind, subject)
    if "made" in what and present != made:
        if kind is SwitchKind.NOTICE:
            raise RefusedError("the notice was changed after this line, or has ended")
        raise RefusedError(f"a later line changed whether {_about(target, subject)} is {kind}")
    if former is not None and former.until is not None and former.until <= order.at:
        former = None
    if kind is SwitchKind.NOTICE and former is not None:
        return _noticed(target, former, order)
    if kind is SwitchKind.NOTICE:
        return await _notice(target, GiveNotice(), order)
    if former is None:
        return _off(target, kind, subject)
    plan = _on(target, former)
    return _closed(target, plan, subject) if kind is SwitchKind.CLOSED else plan


SWITCHED: Final = {
    "notice": SwitchKind.NOTICE,
    **dict.fromkeys(("pause", "resume"), SwitchKind.PAUSED),
    **dict.fromkeys(("close", "open"), SwitchKind.CLOSED),
    **dict.fromkeys(("drain", "undrain"), SwitchKind.DRAINED),
}
"""What an action switches, by its name."""


SWITCH_ACTIONS: Final = (
    Action("notice", GiveNotice, _notice),
    Action("pause", NameLadder, _pause),
    Action("resume", NameLadder, _resume),
    Action("close", NameLadder, _close),
    Action("open", NameLadder, _open),
    Action("drain", Arguments, _drain),
    Action("undrain", Arguments, _undrain),
)
