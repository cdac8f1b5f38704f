"""Quarantines of bots' versions in a ladder, set and lifted by hand."""

from collections.abc import Mapping
from typing import Any

from ...ladders.ladder import Ladder
from ...model.entrant import Quarantine, bot_name
from ...model.journal import Entry
from ...model.orders import FOR_EVER
from ..actions import MakeQuarantine, OneEntrant
from ..operator import Order, Plan, RefusedError, Target, end_of, noted
from ..wire import Change
from .switches import ladder_of


async def quarantine(target: Target, wanted: MakeQuarantine, order: Order) -> Plan:
    ladder = ladder_of(target, wanted.ladder)
    end = end_of(wanted.until, wanted.for_s, order.at)
    names = _versions(ladder, wanted.bot)
    if not names:
        raise RefusedError(f"no version of {wanted.bot} has played in the ladder {ladder.name}")
    return _set(target, ladder, dict.fromkeys(names, Quarantine(end or FOR_EVER, wanted.reason)))


async def release(target: Target, wanted: OneEntrant, _order: Order) -> Plan:
    ladder = ladder_of(target, wanted.ladder)
    names = [name for name in _versions(ladder, wanted.bot) if ladder.quarantine_of(name)]
    if not names:
        raise RefusedError(
            f"no version of {wanted.bot} is in quarantine in the ladder {ladder.name}"
        )
    return _set(target, ladder, dict.fromkeys(names))


def _versions(ladder: Ladder, bot: str) -> list[str]:
    return [name for name in ladder.state.names if bot in (name, bot_name(name))]


def _set(target: Target, ladder: Ladder, made: Mapping[str, Quarantine | None]) -> Plan:
    former = {name: ladder.quarantine_of(name) for name in made}

    def put(wanted: Mapping[str, Quarantine | None]) -> list[Entry]:
        return [ladder.quarantine(name, each) for name, each in wanted.items()]

    def roll_back() -> None:
        put(former)

    def done() -> None:
        for player in target.sessions.participants:
            ladder.dismiss_quarantined(player)

    return Plan(
        changed=tuple(quarantine_change(ladder, *each) for each in made.items()),
        record={"former": former, "made": made},
        entries=lambda: put(made),
        roll_back=roll_back,
        done=done,
    )


async def quarantine_back(target: Target, what: Mapping[str, Any], order: Order) -> Plan:
    """Plan to restore the quarantines that held before a former action."""
    given = what["arguments"]
    ladder = ladder_of(target, given["ladder"])
    former, made = (noted(what, each, dict[str, Quarantine | None]) for each in ("former", "made"))
    wanted = {
        name: each if each is not None and each.until > order.at else None
        for name, each in former.items()
        if name in ladder.state.names and ladder.quarantine_of(name) == made[name]
    }
    wanted = {name: each for name, each in wanted.items() if each != made[name]}
    if not wanted:
        raise RefusedError(
            f"no quarantine of {given['bot']} in the ladder {ladder.name} is as this line left it"
        )
    return _set(target, ladder, wanted)


def quarantine_change(ladder: Ladder, name: str, after: Quarantine | None) -> Change:
    """Return what becomes of a version's quarantine, in words."""
    before = ladder.quarantine_of(name)
    return Change("quarantine", f"{name} in {ladder.name}", _text(before), _text(after))


def _text(quarantine: Quarantine | None) -> str | None:
    if quarantine is None:
        return None
    return f"until {quarantine.until}{f': {quarantine.reason}' if quarantine.reason else ''}"
