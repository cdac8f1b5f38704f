"""Quarantines of bots' versions in a ladder, set and lifted by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mancala.server.control.actions import Action, Arguments, Change, Order, Plan, RefusedError
from mancala.server.control.switches import ladder_of
from mancala.server.control.target import Target
from mancala.server.control.times import end_of
from mancala.server.model.entrant import Quarantine, bot_name
from mancala.server.model.exclusion import FOR_EVER
from mancala.server.model.journal import Entry


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
    until = end_of(wanted, order.at) or FOR_EVER
    return _set(target, wanted, Quarantine(until, wanted.reason))


async def _release(target: Target, wanted: NameEntrant, _order: Order) -> Plan:
    return _set(target, wanted, None)


def _set(target: Target, wanted: NameEntrant, quarantine: Quarantine | None) -> Plan:
    ladder = target.sessions.ladders.get(ladder_of(target, wanted.ladder))
    if ladder is None:
        raise RefusedError(f"there is no ladder {wanted.ladder}")
    names = [name for name in ladder.entrants if wanted.bot in (name, bot_name(name))]
    former = {name: ladder.quarantine_of(name) for name in names}
    if quarantine is None:
        names = [name for name in names if former[name] is not None]
    if not names:
        state = "has played in" if quarantine is not None else "is in quarantine in"
        raise RefusedError(f"no version of {wanted.bot} {state} the ladder {ladder.name}")

    def entries() -> list[Entry]:
        return [ladder.quarantine(name, quarantine) for name in names]

    def roll_back() -> None:
        for name in names:
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
        for name in names
    ]
    return Plan(changed=tuple(changed), entries=entries, roll_back=roll_back, done=done)


async def release_again(target: Target, what: Mapping[str, Any], _order: Order) -> Plan:
    """Plan to lift the quarantines that a former action set."""
    given = what["arguments"]
    return _set(target, NameEntrant(ladder=given["ladder"], bot=given["bot"]), None)


def quarantine_text(quarantine: Quarantine | None) -> str | None:
    """Return a quarantine in words; None for none."""
    if quarantine is None:
        return None
    return f"until {quarantine.until}{f': {quarantine.reason}' if quarantine.reason else ''}"


QUARANTINE_ACTIONS: Final = (
    Action("quarantine", MakeQuarantine, _quarantine),
    Action("release", NameEntrant, _release),
)
