"""The end of a ladder's season, and the next one."""

from collections.abc import Collection, Mapping
from contextlib import ExitStack
from functools import partial
from itertools import count
from typing import Any

from mancala.protocol.text import quantity

from ...ladders.ladder import Ladder
from ...match.participant import Participant
from ...model.journal import Entry, LadderMoved, SwitchedOff, SwitchedOn
from ...model.orders import EndedSeason, Season, Switch, SwitchKind
from ...model.timestamps import later
from ...store.upkeep.renaming import has_games
from ..actions import EndSeason
from ..operator import Order, Plan, RefusedError, Target
from ..wire import Change
from .games import refit
from .switches import ladder_of


async def season(target: Target, wanted: EndSeason, order: Order) -> Plan:
    ladder = ladder_of(target, wanted.ladder)
    _expect_idle(target, ladder.name)
    if not ladder.state.has_games:
        raise RefusedError(f"the ladder {ladder.name} has no games in this season")
    name = await _name(target, wanted)
    ended = EndedSeason(name, _season_of(ladder, seeds=wanted.from_ratings), order.at)
    switch = Switch(SwitchKind.SEASON, name, ended.season.text, order.at)
    ladders, orders = target.sessions.ladders, target.sessions.orders
    undone = ExitStack()

    def entries() -> list[Entry]:
        _expect_idle(target, ladder.name)
        made, take_back = ladders.end_season(ended)
        orders.switch_on(switch)
        undone.callback(take_back)
        undone.callback(orders.switch_off, SwitchKind.SEASON, name)
        unowed = (SwitchedOff(SwitchKind.REPLAY, each.match) for each in orders.owed(ladder.name))
        return [*made, SwitchedOn(switch), *unowed]

    def done() -> None:
        for replay in orders.owed(ladder.name):
            orders.settle(replay.match)

    entrants = quantity(ladder.state.ranked, "entrant")
    begins = "from the ratings" if wanted.from_ratings else "empty"
    return Plan(
        changed=(
            Change("season", name, None, f"{entrants}, read-only"),
            Change("ladder", ladder.name, entrants, begins),
        ),
        record={"season": name},
        entries=entries,
        done=done,
        roll_back=undone.close,
        after=partial(_announce, target, name, ladder.name),
    )


async def season_back(target: Target, what: Mapping[str, Any], _order: Order) -> Plan:
    """Plan to let a season go on that was ended, while the next one has no game."""
    name, ladders = what["season"], target.sessions.ladders
    ladder = ladder_of(target, what["arguments"]["ladder"]).name
    ended = ladders.latest_season(ladder)
    if ended is None or ended.name != name:
        raise RefusedError(f"{name} is not the last season of {ladder}")
    if await target.store.run(has_games, ladder=ladder):
        raise RefusedError(f"games of the next season of {ladder} have been played")
    _expect_idle(target, ladder)

    def entries() -> list[Entry]:
        _expect_idle(target, ladder)
        ladders.reopen_season(ended)
        target.sessions.orders.switch_off(SwitchKind.SEASON, name)
        return [LadderMoved(name, ladder), SwitchedOff(SwitchKind.SEASON, name)]

    return Plan(
        changed=(Change("season", name, "over", f"goes on as {ladder}"),),
        entries=entries,
        after=partial(_announce, target, ladder),
    )


async def _announce(target: Target, *names: str) -> Mapping[str, object]:
    for name in names:
        ladder = target.sessions.ladders.get(name)
        if ladder is not None:
            await refit(ladder)
            ladder.look_again()
    return {}


def _expect_idle(target: Target, ladder: str) -> None:
    tables = target.sessions.tables.of_ladder(ladder)
    if not tables:
        return
    under_way = f"the ladder {ladder} has {quantity(len(tables), 'match')} under way"
    if not target.is_live:
        raise RefusedError(
            f"{under_way}: start the server, which lets them be played, or abort them"
        )
    gone = {each for table in tables for each in table.players if not each.is_present}
    raise RefusedError(
        f"{under_way}: close or pause it, and end its season when none is left"
        f"{_waits(target, gone)}"
    )


def _waits(target: Target, gone: Collection[Participant]) -> str:
    """Return until when matches wait for bots that are gone, in words."""
    if not gone:
        return ""
    grace_s, now = target.config().grace_s, target.context.now()
    last = max(gone, key=lambda each: each.kept_until(grace_s))
    at = later(target.context.utc(), max(0.0, last.kept_until(grace_s) - now))
    return f"; {last.name} is gone, and its seat is kept until {at}"


async def _name(target: Target, wanted: EndSeason) -> str:
    """Return a name under which nothing was played."""
    numbered = (f"{wanted.ladder}-{number}" for number in count(1))
    for name in numbered if wanted.name is None else (wanted.name,):
        is_taken = target.sessions.ladders.get(name) is not None
        if not is_taken and not await target.store.run(has_games, ladder=name):
            return name
    raise RefusedError(f"there is a ladder {wanted.name}; choose another name")


def _season_of(ladder: Ladder, *, seeds: bool) -> Season:
    settings = ladder.settings
    return Season(
        ladder.name,
        settings.rules,
        settings.clock,
        settings.games,
        settings.fixed_ratings,
        tuple(settings.house),
        seeds,
    )
