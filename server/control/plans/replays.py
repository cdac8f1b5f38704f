"""A ladder's match played again: its games are annulled, and its bots meet once more.

The order is kept until both bots are in the ladder and free. It is settled in the transaction that
begins the match, so a kill neither loses the match nor lets it be played twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ...model.journal import Entry, SwitchedOff
from ...model.orders import Replay, Switch, SwitchKind
from ...store.upkeep.annulled import FinishedGame, Selection, find, openings_of_match
from ..actions import ReplayGame
from ..operator import Order, Plan, RefusedError, Target
from ..wire import Change
from .games import corrected, reinstate
from .switches import ladder_of, switched


async def replay(target: Target, wanted: ReplayGame, order: Order) -> Plan:
    """Plan to annul the match of a game, and to have it played again."""
    games = await _games(target, wanted.game)
    first = games[0]
    match, names = first.match, first.names if first.number % 2 == 0 else first.names[::-1]
    if first.ladder is None:
        raise RefusedError(f"game {wanted.game} is of no ladder; its bots can challenge each other")
    if events := target.sessions.contests.having([wanted.game]):
        raise RefusedError(f"game {wanted.game} is of the event {events[0].name}; replay it there")
    ladder, orders = ladder_of(target, first.ladder), target.sessions.orders
    if ladder.settings.requests:
        raise RefusedError(
            f"the ladder {ladder.name} is for requests; its bots can challenge each other"
        )
    if orders.switch(SwitchKind.REPLAY, match) is not None:
        raise RefusedError(f"the match {match} is to be played again already")
    openings = await target.store.run(openings_of_match, match=match)
    text = Replay(match, ladder.name, (names[0], names[1]), openings).text
    switch = Switch(SwitchKind.REPLAY, match, text, order.at)
    again = f"{names[0]} against {names[1]}, once both are free"
    meeting = replace(
        switched(target, SwitchKind.REPLAY, match, switch).also(Plan(done=ladder.look_again)),
        changed=(Change("match", match, None, again),),
        record={"match": match, "ladder": ladder.name},
    )
    counted = [game for game in games if not game.is_annulled]
    return (await corrected(target, counted, order, wanted.reason, counts=False)).also(meeting)


async def replay_back(target: Target, what: Mapping[str, Any], order: Order) -> Plan:
    """Plan to let a match count again that is to be played again, and has not begun."""
    match = what["match"]
    _expect_owed(target, match)

    def entries() -> Sequence[Entry]:
        _expect_owed(target, match)
        return [SwitchedOff(SwitchKind.REPLAY, match)]

    settled = Plan(
        changed=(Change("match", match, "to be played again", None),),
        entries=entries,
        done=partial(target.sessions.orders.settle, match),
    )
    return (await reinstate(target, what, order)).also(settled)


def _expect_owed(target: Target, match: str) -> None:
    if target.sessions.orders.switch(SwitchKind.REPLAY, match) is None:
        raise RefusedError(f"the match {match} has begun again; annul its games instead")


async def _games(target: Target, game: str) -> list[FinishedGame]:
    if target.sessions.tables.find(game) is not None:
        raise RefusedError(f"game {game} is under way; abort it first")
    found = await target.store.run(find, selection=Selection((game,)))
    if not found:
        raise RefusedError(f"no finished game {game}")
    match = found[0].match
    if found[0].is_under_way:
        raise RefusedError(f"the match {match} of game {game} is under way; abort it first")
    return await target.store.run(find, selection=Selection(match=match))
