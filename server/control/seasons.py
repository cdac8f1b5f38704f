"""The end of a ladder's season, and the next one.

What was played gets a name of its own, under which its page and its archive stay, read-only. The
ladder goes on with nothing played; its members, bans and quarantines stay.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from itertools import count
from typing import Any, Final

from mancala.protocol.messages import Name
from mancala.protocol.text import quantity

from ..ladders.ladder import Ladder
from ..match.participant import Participant
from ..model.journal import Entry, LadderMoved, SwitchedOff, SwitchedOn
from ..model.orders import EndedSeason, Season, Switch, SwitchKind
from ..model.timestamps import later
from ..store.upkeep.seasons import has_games
from .actions import Action, Arguments, Order, Plan, RefusedError
from .games import refit
from .switches import ladder_of
from .target import Target
from .wire import Change


class EndSeason(Arguments, frozen=True):
    """End the season of a ladder, and begin the next one.

    Attributes:
        ladder: the ladder.
        name: under which name the season stays; by default the ladder's with a number.
        from_ratings: whether bots begin at the strength that they have; pairs are made by it. The
            table is of the new games alone.
    """

    ladder: str
    name: Name | None = None
    from_ratings: bool = False


async def _season(target: Target, wanted: EndSeason, order: Order) -> Plan:
    ladder = _present(target, wanted.ladder)
    _expect_idle(target, ladder.name)
    if not ladder.has_games:
        raise RefusedError(f"the ladder {ladder.name} has no games in this season")
    name = await _name(target, wanted)
    ended = EndedSeason(name, _season_of(ladder, seeds=wanted.from_ratings), order.at)
    switch = Switch(SwitchKind.SEASON, name, ended.season.text, order.at)
    ladders, orders = target.sessions.ladders, target.sessions.orders
    undone: list[Callable[[], None]] = []

    def entries() -> list[Entry]:
        _expect_idle(target, ladder.name)
        made, take_back = ladders.end_season(ended)
        orders.switch_on(switch)
        undone.append(take_back)
        return [*made, SwitchedOn(switch), *_unowed(target, ladder.name)]

    def done() -> None:
        for replay in orders.owed(ladder.name):
            orders.settle(replay.match)

    def roll_back() -> None:
        orders.switch_off(SwitchKind.SEASON, name)
        for each in undone:
            each()

    begins = "from the ratings" if wanted.from_ratings else "empty"
    return Plan(
        changed=(
            Change("season", name, None, f"{quantity(len(ladder.entrants), 'entrant')}, read-only"),
            Change("ladder", ladder.name, f"{quantity(len(ladder.entrants), 'entrant')}", begins),
        ),
        record={"season": name},
        entries=entries,
        done=done,
        roll_back=roll_back,
        after=partial(_announce, target, (name, ladder.name)),
    )


async def season_back(target: Target, what: Mapping[str, Any], _order: Order) -> Plan:
    """Plan to let a season go on that was ended, while the next one has no game."""
    name, ladders = what["season"], target.sessions.ladders
    ladder = _present(target, what["arguments"]["ladder"])
    ended = ladders.latest_season(ladder.name)
    if ended is None or ended.name != name:
        raise RefusedError(f"{name} is not the last season of {ladder.name}")
    if await target.store.read(partial(has_games, ladder=ladder.name)):
        raise RefusedError(f"games of the next season of {ladder.name} have been played")
    _expect_idle(target, ladder.name)

    def entries() -> list[Entry]:
        _expect_idle(target, ladder.name)
        ladders.reopen_season(ended)
        target.sessions.orders.switch_off(SwitchKind.SEASON, name)
        return [LadderMoved(name, ladder.name), SwitchedOff(SwitchKind.SEASON, name)]

    return Plan(
        changed=(Change("season", name, "over", f"goes on as {ladder.name}"),),
        entries=entries,
        after=partial(_announce, target, (ladder.name,)),
    )


def _unowed(target: Target, ladder: str) -> list[SwitchedOff]:
    """Return what drops the matches that were to be played again in the season."""
    owed = target.sessions.orders.owed(ladder)
    return [SwitchedOff(SwitchKind.REPLAY, replay.match) for replay in owed]


async def _announce(target: Target, names: tuple[str, ...]) -> Mapping[str, object]:
    """Fit and announce the tables anew."""
    for name in names:
        ladder = target.sessions.ladders.get(name)
        if ladder is not None:
            await refit(ladder)
            ladder.look_again()
    return {}


def _present(target: Target, name: str) -> Ladder:
    found = target.sessions.ladders.get(ladder_of(target, name))
    if found is None:
        raise RefusedError(f"there is no ladder {name}")
    return found


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
    names = (wanted.name,) if wanted.name is not None else _numbered(wanted.ladder)
    for name in names:
        is_taken = target.sessions.ladders.get(name) is not None
        if not is_taken and not await target.store.read(partial(has_games, ladder=name)):
            return name
    raise RefusedError(f"there is a ladder {wanted.name}; choose another name")


def _numbered(ladder: str) -> Iterator[str]:
    return (f"{ladder}-{number}" for number in count(1))


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


SEASON_ACTIONS: Final = (Action("season", EndSeason, _season),)
