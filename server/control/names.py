"""A bot's name: changed, or made one with another.

Its games, totals, ratings and token follow. What keeps it out, a ban or a quarantine, holds for
both names from then on: a bot that comes back under the name that goes is not free either. A bot
that is connected loses its session and reads its other name; while it plays, neither is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

from mancala.protocol.messages import ErrorCode, Name

from ..ladders.ladder import Ladder
from ..lobby.orders import refused
from ..model.entrant import bot_name, renamed
from ..model.journal import Banned, BotRenamed, Entry, SessionClosed, Unbanned
from ..model.orders import Ban, BanKind, of_both
from ..store.upkeep.renaming import have_met, known_of
from .actions import Action, Arguments, Order, Plan, RefusedError
from .games import refit
from .quarantines import quarantine_text
from .target import Target
from .wire import Change


class RenameBot(Arguments, frozen=True):
    """Change a bot's name.

    Attributes:
        bot: its name.
        new: the new one, of which nothing is known.
    """

    bot: Name
    new: Name


class MergeBots(Arguments, frozen=True):
    """Let the games of two names count as one bot's.

    Attributes:
        bot: the name that goes.
        into: the name that stays.
    """

    bot: Name
    into: Name


class _BanChange(NamedTuple):
    """What becomes of the bans on a name."""

    name: str
    before: Ban | None
    after: Ban | None


async def _rename(target: Target, wanted: RenameBot, order: Order, *, leaves: bool = True) -> Plan:
    await _expect_known(target, wanted.bot)
    known = await target.store.read_apart(partial(known_of, name=wanted.new))
    if target.sessions.find(wanted.new) is not None:
        known = "a session"
    if known is not None:
        raise RefusedError(f"{wanted.new} has {known}; choose a name that nothing is known of")
    return _moved(target, wanted.bot, wanted.new, order, leaves=leaves)


async def _merge(target: Target, wanted: MergeBots, order: Order) -> Plan:
    await _expect_known(target, wanted.bot)
    await _expect_known(target, wanted.into)
    if wanted.bot == wanted.into:
        raise RefusedError(f"{wanted.bot} is one bot already")
    if await target.store.read_apart(partial(have_met, one=wanted.bot, other=wanted.into)):
        raise RefusedError(
            f"{wanted.bot} and {wanted.into} have played each other, and no bot plays itself"
        )
    return _moved(target, wanted.bot, wanted.into, order)


async def rename_back(target: Target, what: Mapping[str, Any], order: Order) -> Plan:
    """Plan to give a bot its former name again."""
    given = what["arguments"]
    back = RenameBot(bot=given["new"], new=given["bot"])
    return await _rename(target, back, order, leaves=False)


async def _expect_known(target: Target, name: str) -> None:
    if await target.store.read_apart(partial(known_of, name=name)) is None:
        raise RefusedError(f"{name} has neither played here nor a token")


def _expect_no_event(target: Target, *names: str) -> None:
    for name in names:
        if target.sessions.contests.is_waiting(name):
            raise RefusedError(f"{name} is an entrant of an event that is not over")


def _moved(target: Target, old: str, new: str, order: Order, *, leaves: bool = True) -> Plan:
    """Plan to give all that is known of a bot to another name; see :meth:`Ladder.rename`."""
    _expect_own(target, old, new)
    _expect_no_event(target, old, new)
    bans = _bans(target, old, new, leaves=leaves)
    changed = [Change("bot", old, old, new)]
    if target.sessions.find(old) is not None:
        changed.append(Change("session", old, "kept", "ended"))
    changed += [
        Change("ban", f"name {each.name}", _ban_text(each.before), _ban_text(each.after))
        for each in bans
    ]
    ladders = [each for each in target.sessions.ladders.all_ladders if each.knows(old)]
    changed += _quarantines(ladders, old, new)
    undone: list[Callable[[], None]] = []

    def entries() -> list[Entry]:
        _expect_idle(target, old)
        player = target.sessions.find(old)
        made: list[Entry] = [SessionClosed(player.secret_hash)] if player is not None else []
        made += [BotRenamed(old, new, order.at), *_ban_entries(bans)]
        for ladder in ladders:
            rated, take_back = ladder.rename(old, new, leaves=leaves)
            made += rated
            undone.append(take_back)
        return made

    def done() -> None:
        player = target.sessions.find(old)
        if player is not None:
            told = f"the organiser gave {old} the name {new}"
            target.sessions.logouts.put_out(player, ErrorCode.FORBIDDEN, told)
        _set_bans(target, bans)

    async def after() -> Mapping[str, object]:
        for ladder in ladders:
            await refit(ladder)
        return {}

    _expect_idle(target, old)
    return Plan(
        changed=tuple(changed),
        entries=entries,
        done=done,
        roll_back=partial(_each, undone),
        after=after,
    )


def _quarantines(ladders: Iterable[Ladder], old: str, new: str) -> list[Change]:
    """Return the quarantines that the other name gets as well."""
    return [
        Change(
            "quarantine",
            f"{renamed(version, old, new)} in {ladder.name}",
            quarantine_text(ladder.quarantine_of(renamed(version, old, new))),
            quarantine_text(quarantine),
        )
        for ladder in ladders
        for version, quarantine in ladder.quarantines(old).items()
    ]


def _expect_own(target: Target, old: str, new: str) -> None:
    """Refuse names that the settings give."""
    config = target.config()
    anchors = {bot_name(name) for ladder in config.ladder for name in ladder.anchors}
    for name, given in ((old, config.own_names | anchors), (new, config.own_names)):
        if name in given:
            raise RefusedError(f"the settings name {name}; change it there")


def _expect_idle(target: Target, name: str) -> None:
    player = target.sessions.find(name)
    if player is not None and player.matches:
        until = "wait for the end of its matches" if target.is_live else "start the server"
        raise RefusedError(f"{name} is playing; {until}, or abort its games")


def _bans(target: Target, old: str, new: str, *, leaves: bool) -> list[_BanChange]:
    """Return which bans on the two names change, if the one becomes the other."""
    found = {ban.key: ban for ban in target.sessions.orders.bans if ban.kind is BanKind.NAME}
    names = [name.lower() for name in (old, new)]
    if names[0] == names[1]:
        return []
    former = [found.get(name) for name in names]
    held = of_both(*former, lasts=Ban.lasts_until, leaves=leaves)
    kept = [
        None if ban is None else replace(ban, key=name)
        for name, ban in zip(names, held, strict=True)
    ]
    changes = map(_BanChange, names, former, kept)
    return [each for each in changes if each.before != each.after]


def _ban_entries(bans: Iterable[_BanChange]) -> list[Entry]:
    return [
        Unbanned(BanKind.NAME, each.name) if each.after is None else Banned(each.after)
        for each in bans
    ]


def _set_bans(target: Target, bans: Iterable[_BanChange]) -> None:
    for each in bans:
        if each.after is None:
            target.sessions.orders.unban(BanKind.NAME, each.name)
        else:
            target.sessions.orders.ban(each.after)


def _ban_text(ban: Ban | None) -> str | None:
    return None if ban is None else refused(ban)


def _each(calls: Iterable[Callable[[], None]]) -> None:
    for call in calls:
        call()


NAME_ACTIONS: Final = (Action("rename", RenameBot, _rename), Action("merge", MergeBots, _merge))
