"""States that the operator sets until they are taken back: notice, pause, close, drain."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from mancala.protocol.messages import Leave

from ...ladders.ladder import Ladder
from ...model.journal import Announced, SwitchedOff, SwitchedOn
from ...model.orders import WHOLE_SERVER, Switch, SwitchKind
from ..actions import Arguments, GiveNotice
from ..operator import Order, Plan, RefusedError, Target, UsageError, end_of, noted
from ..wire import Change

LONGEST_NOTICE: Final = 2000
SWITCHED: Final = {
    "notice": SwitchKind.NOTICE,
    **dict.fromkeys(("pause", "resume"), SwitchKind.PAUSED),
    **dict.fromkeys(("close", "open"), SwitchKind.CLOSED),
    **dict.fromkeys(("drain", "undrain"), SwitchKind.DRAINED),
}
"""What an action switches, by its name."""


async def notice(target: Target, wanted: GiveNotice, order: Order) -> Plan:
    text = wanted.text.strip()
    if len(text) > LONGEST_NOTICE or any(not each.isprintable() for each in text):
        raise UsageError(f"a notice is one line of at most {LONGEST_NOTICE} characters")
    if not text and target.sessions.orders.switch(SwitchKind.NOTICE) is None:
        raise RefusedError("there is no notice to take back")
    if not text:
        return _noticed(target, None, order)
    until = end_of(wanted.until, wanted.for_s, order.at)
    return _noticed(target, Switch(SwitchKind.NOTICE, WHOLE_SERVER, text, order.at, until), order)


def _noticed(target: Target, made: Switch | None, order: Order) -> Plan:
    context, sessions = target.context, target.sessions
    text, until = (made.text, made.until) if made is not None else ("", None)
    announcement = context.events.notice(context.new_id(), text, order.at, until)
    plan = switched(target, SwitchKind.NOTICE, WHOLE_SERVER, made).also(
        Plan(
            entries=lambda: [Announced(announcement)],
            done=lambda: sessions.send_to_all(sessions.orders.notice),
        )
    )
    return replace(plan, facts={"told": len(sessions.directory.present), "until": until})


async def switch_on(target: Target, wanted: Arguments, order: Order) -> Plan:
    """Plan to pause or close a ladder, or to drain the server."""
    kind, subject = SWITCHED[order.action], _subject(target, wanted)
    if target.sessions.orders.switch(kind, subject) is not None:
        raise RefusedError(f"{_about(target, subject)} is {kind} already")
    return _on(target, Switch(kind, subject, order.why, order.at))


async def switch_off(target: Target, wanted: Arguments, order: Order) -> Plan:
    """Plan the end of what :func:`switch_on` plans."""
    return _off(target, SWITCHED[order.action], _subject(target, wanted))


def _subject(target: Target, wanted: Arguments) -> str:
    name = getattr(wanted, "ladder", None)
    return WHOLE_SERVER if name is None else ladder_of(target, name).name


def ladder_of(target: Target, name: str) -> Ladder:
    """Return a ladder whose season goes on."""
    found = target.sessions.ladders.get(name)
    if found is None:
        known = ", ".join(ladder.name for ladder in target.sessions.ladders.all_ladders)
        raise RefusedError(f"there is no ladder {name}; there are: {known or 'none'}")
    if target.sessions.orders.switch(SwitchKind.SEASON, name) is not None:
        raise RefusedError(f"the season {name} is over; only its games can be annulled")
    return found


def _on(target: Target, made: Switch) -> Plan:
    """Plan a state; the members of a ladder that is closed leave it."""
    sessions = target.sessions
    plan = switched(target, made.kind, made.subject, made)
    if made.kind is SwitchKind.DRAINED:
        return replace(plan, facts={"games": sessions.tables.games})
    if made.kind is not SwitchKind.CLOSED:
        return plan
    ladder = ladder_of(target, made.subject)
    members = [who for who in sessions.participants if who.name in ladder]

    def part() -> None:
        for who in members:
            sessions.ladders.leave(who, Leave(ladder.name))

    left = tuple(Change("member", who.name, ladder.name) for who in members)
    return plan.also(Plan(changed=left, done=part))


def _off(target: Target, kind: SwitchKind, subject: str) -> Plan:
    """Plan the end of a state; what waited for it may begin."""
    if target.sessions.orders.switch(kind, subject) is None:
        raise RefusedError(f"{_about(target, subject)} is not {kind}")

    def look() -> None:
        for ladder in target.sessions.ladders.all_ladders:
            ladder.look_again()
        target.sessions.contests.look()

    return switched(target, kind, subject, None).also(Plan(done=look))


def switched(target: Target, kind: SwitchKind, subject: str, made: Switch | None) -> Plan:
    """Plan what a state is from now on; None ends it."""
    orders = target.sessions.orders
    former = orders.switch(kind, subject)
    before, after = (None if each is None else each.text or "yes" for each in (former, made))
    return Plan(
        changed=(Change(kind, subject or target.config().name, before, after),),
        record={"former": former, "made": made},
        entries=lambda: [SwitchedOff(kind, subject) if made is None else SwitchedOn(made)],
        done=partial(orders.switch_off, kind, subject)
        if made is None
        else partial(orders.switch_on, made),
    )


def _about(target: Target, subject: str) -> str:
    return f"the ladder {subject}" if subject else target.config().name


async def switch_back(target: Target, what: Mapping[str, Any], order: Order) -> Plan:
    """Plan to restore the state that held before a former action."""
    former, made = (noted(what, each, Switch | None) for each in ("former", "made"))
    kind, subject = next((each.kind, each.subject) for each in (former, made) if each is not None)
    if "ladder" in what["arguments"]:
        ladder_of(target, subject)
    if target.sessions.orders.switch(kind, subject) != made:
        if kind in {SwitchKind.NOTICE, SwitchKind.ROLE}:
            raise RefusedError(f"the {kind} was changed after this line, or has ended")
        raise RefusedError(f"a later line changed whether {_about(target, subject)} is {kind}")
    if former is not None and former.until is not None and former.until <= order.at:
        former = None
    if kind is SwitchKind.NOTICE:
        return (
            await notice(target, GiveNotice(), order)
            if former is None
            else _noticed(target, former, order)
        )
    return _off(target, kind, subject) if former is None else _on(target, former)
