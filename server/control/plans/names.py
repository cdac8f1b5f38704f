"""A bot's name: changed, or made one with another.

Its games, totals, ratings, token and roles in events follow. What keeps it out, a ban or a
quarantine, holds for both names from then on: a bot that comes back under the name that goes is not
free either. A bot that is connected loses its session and reads its other name; while it plays,
neither is done.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any

from mancala.protocol.messages import ErrorCode

from ...model.entrant import bot_name, renamed
from ...model.journal import BotRenamed, Entry, SessionClosed
from ...model.orders import Ban, BanKind, of_both
from ...store.rows.sealed import event_hiding
from ...store.upkeep.renaming import have_met, known_of
from ..actions import MergeBots, RenameBot
from ..operator import Order, Plan, RefusedError, Target
from ..wire import Change
from .games import refit
from .quarantines import quarantine_change
from .roles import with_roles_moved
from .visitors import ban_changed


async def rename(target: Target, wanted: RenameBot, order: Order, *, leaves: bool = True) -> Plan:
    """Plan to rename a bot; ``leaves`` as :func:`of_both` has it."""
    await _expect_known(target, wanted.bot)
    known = await target.store.read_apart(known_of, name=wanted.new)
    if target.sessions.directory.find(wanted.new) is not None:
        known = "a session"
    if known is not None:
        raise RefusedError(f"{wanted.new} has {known}; choose a name that nothing is known of")
    await _expect_shown(target, wanted.bot, wanted.new)
    return _moved(target, wanted.bot, wanted.new, order, leaves=leaves)


async def merge(target: Target, wanted: MergeBots, order: Order) -> Plan:
    bot, into = wanted.bot, wanted.into
    await _expect_known(target, bot)
    await _expect_known(target, into)
    if bot == into:
        raise RefusedError(f"{bot} is one bot already")
    await _expect_shown(target, bot, into)
    if await target.store.read_apart(have_met, one=bot, other=into):
        raise RefusedError(f"{bot} and {into} have played each other, and no bot plays itself")
    return _moved(target, bot, into, order)


async def rename_back(target: Target, what: Mapping[str, Any], order: Order) -> Plan:
    """Plan to give a bot its former name again."""
    given = what["arguments"]
    back = RenameBot(bot=given["new"], new=given["bot"])
    return await rename(target, back, order, leaves=False)


async def _expect_known(target: Target, name: str) -> None:
    if await target.store.read_apart(known_of, name=name) is None:
        raise RefusedError(f"{name} has neither played here nor a token")


async def _expect_shown(target: Target, *names: str) -> None:
    """Refuse names of which an event hides games: they would be shown under those names."""
    event = await target.store.read_apart(event_hiding, bots=names)
    if event is not None:
        said = "hides games of one of the two: mancala event reveal or publish shows them"
        raise RefusedError(f"{event} {said}")


def _moved(target: Target, old: str, new: str, order: Order, *, leaves: bool = True) -> Plan:
    """Plan to give all that is known of a bot to another name; see :meth:`Ladder.rename`."""
    _expect_free(target, old, new)
    sessions = target.sessions
    ladders = [each for each in sessions.ladders.all_ladders if each.state.knows(old)]
    ended = (
        [] if sessions.directory.find(old) is None else [Change("session", old, "kept", "ended")]
    )
    quarantines = [
        quarantine_change(ladder, renamed(version, old, new), quarantine)
        for ladder in ladders
        for version, quarantine in ladder.quarantines(old).items()
    ]
    undone = ExitStack()

    def entries() -> list[Entry]:
        _expect_idle(target, old)
        player = sessions.directory.find(old)
        made: list[Entry] = [SessionClosed(player.secret_hash)] if player is not None else []
        made.append(BotRenamed(old, new, order.at))
        for ladder in ladders:
            rated, take_back = ladder.rename(old, new, leaves=leaves)
            made += rated
            undone.callback(take_back)
        return made

    def done() -> None:
        player = sessions.directory.find(old)
        if player is not None:
            told = f"the organiser gave {old} the name {new}"
            sessions.logouts.put_out(player, ErrorCode.FORBIDDEN, told)

    _expect_idle(target, old)
    plan = Plan(
        changed=(Change("bot", old, old, new), *ended, *quarantines),
        entries=entries,
        done=done,
        roll_back=undone.close,
        after=partial(refit, *ladders),
    )
    for each in (*_bans(target, old, new, leaves=leaves), with_roles_moved(target, old, new)):
        plan = plan.also(each)
    return replace(plan, record={})


def _expect_free(target: Target, old: str, new: str) -> None:
    """Refuse names that the settings give, and those of entrants of an event that is not over."""
    config = target.config()
    anchors = {bot_name(name) for ladder in config.ladder for name in ladder.anchors}
    for name, given in ((old, config.own_names | anchors), (new, config.own_names)):
        if name in given:
            raise RefusedError(f"the settings name {name}; change it there")
    for name in (old, new):
        if target.sessions.contests.is_waiting(name):
            raise RefusedError(f"{name} is an entrant of an event that is not over")


def _expect_idle(target: Target, name: str) -> None:
    player = target.sessions.directory.find(name)
    if player is not None and player.matches:
        until = "wait for the end of its matches" if target.is_live else "start the server"
        raise RefusedError(f"{name} is playing; {until}, or abort its games")


def _bans(target: Target, old: str, new: str, *, leaves: bool) -> list[Plan]:
    """Return what changes of the bans on the two names, if the one becomes the other."""
    found = {ban.key: ban for ban in target.sessions.orders.bans if ban.kind is BanKind.NAME}
    names = [name.lower() for name in (old, new)]
    if names[0] == names[1]:
        return []
    former = [found.get(name) for name in names]
    held = of_both(*former, lasts=Ban.lasts_until, leaves=leaves)
    made = [ban and replace(ban, key=name) for name, ban in zip(names, held, strict=True)]
    return [
        ban_changed(target, BanKind.NAME, *each)
        for each in zip(names, former, made, strict=True)
        if each[1] != each[2]
    ]
