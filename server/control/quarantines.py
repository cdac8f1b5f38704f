"""Quarantines of bots' versions in a ladder, set and lifted by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from ..ladders.ladder import Ladder
from ..model.entrant import Quarantine, bot_name
from ..model.journal import Entry
from ..model.orders import FOR_EVER
from .actions import Action, Arguments, Order, Plan, RefusedError
from .switches import ladder_of
from .target import Target
from .times import end_of
from .wire import Change


class NameEntrant(Arguments, frozen=True):
    """Name a bot in a ladder.

    Attributes:
        ladder: the ladder.
        bot: the bot, for all its versions, or one of them, ``bot@version``.
    """

    ladder: str
    bot: str


class MakeQuarantine(NameEntrant, frozen=True):
    """Quarantine a bot.

    Attributes:
        reason: one sentence, which it reads.
        until: until when, RFC 3339; for ever if neither this nor ``for_s`` is given.
        for_s: for how long, in seconds.
    """

    reason: str = ""
    until: str | None = None
    for_s: float | None = None


async def _quarantine(target: Target, wanted: MakeQuarantine, order: Order) -> Plan:
    ladder = _ladder(target, wanted.ladder)
    made = Quarantine(end_of(wanted, order.at) or FOR_EVER, wanted.reason)
    names = _versions(ladder, wanted.bot)
    if not names:
        raise RefusedError(f"no version of {wanted.bot} has played in the ladder {ladder.name}")
    return _set(target, ladder, dict.fromkeys(names, made))


async def _release(target: Target, wanted: NameEntrant, _order: Order) -> Plan:
    ladder = _ladder(target, wanted.ladder)
    names = [name for name in _versions(ladder, wanted.bot) if ladder.quarantine_of(name)]
    if not names:
        raise RefusedError(
            f"no version of {wanted.bot} is in quarantine in the ladder {ladder.name}"
        )
    return _set(target, ladder, dict.fromkeys(names))


def _ladder(target: Target, name: str) -> Ladder:
    found = target.sessions.ladders.get(ladder_of(target, name))
    if found is None:
        raise RefusedError(f"there is no ladder {name}")
    return found


def _versions(ladder: Ladder, bot: str) -> list[str]:
    return [name for name in ladder.entrants if bot in (name, bot_name(name))]


def _set(target: Target, ladder: Ladder, wanted: Mapping[str, Quarantine | None]) -> Plan:
    """Plan the quarantines of versions, or their end."""
    former = {name: ladder.quarantine_of(name) for name in wanted}

    def entries() -> list[Entry]:
        return [ladder.quarantine(name, quarantine) for name, quarantine in wanted.items()]

    def roll_back() -> None:
        for name in wanted:
            ladder.quarantine(name, former[name])

    def done() -> None:
        for player in target.sessions.participants:
            ladder.dismiss_quarantined(player)

    changed = [
        Change(
            "quarantine",
            f"{name} in {ladder.name}",
            quarantine_text(former[name]),
            quarantine_text(quarantine),
        )
        for name, quarantine in wanted.items()
    ]
    return Plan(
        changed=tuple(changed),
        record={"former": former, "made": wanted},
        entries=entries,
        roll_back=roll_back,
        done=done,
    )


async def quarantine_back(target: Target, what: Mapping[str, Any], order: Order) -> Plan:
    """Plan to restore the quarantines that held before a former action."""
    given = what["arguments"]
    if "former" not in what and what["action"] == "release":
        raise RefusedError(
            "this line is of a former version, which did not note the quarantine it lifted"
        )
    if "former" not in what:
        return await _release(target, NameEntrant(ladder=given["ladder"], bot=given["bot"]), order)
    ladder = _ladder(target, given["ladder"])
    former, made = (
        msgspec.convert(what[each], dict[str, Quarantine | None]) for each in ("former", "made")
    )
    wanted = {
        name: quarantine if quarantine is not None and quarantine.until > order.at else None
        for name, quarantine in former.items()
        if name in ladder.entrants and ladder.quarantine_of(name) == made[name]
    }
    wanted = {name: each for name, each in wanted.items() if each != made[name]}
    if not wanted:
        raise RefusedError(
            f"no quarantine of {given['bot']} in the ladder {ladder.name} is as this line left it"
        )
    return _set(target, ladder, wanted)


def quarantine_text(quarantine: Quarantine | None) -> str | None:
    """Return a quarantine in words; None for none."""
    if quarantine is None:
        return None
    return f"until {quarantine.until}{f': {quarantine.reason}' if quarantine.reason else ''}"


QUARANTINE_ACTIONS: Final = (
    Action("quarantine", MakeQuarantine, _quarantine),
    Action("release", NameEntrant, _release),
)
