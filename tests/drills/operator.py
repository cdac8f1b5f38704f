"""``python -m tests.drills.operator``: the server is killed in the middle of its operator's orders.

Bots play in a ladder all the while. Orders are given over the control socket, and the server is
sent SIGKILL some milliseconds after each. After each restart the tables must equal the games that
remain, and what holds must be what the trail says: an order and its line
are both there, or neither.
"""

import asyncio
import json
import os
import random
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Annotated, Any, Final, NamedTuple

import typer

from mancala.scripts.console.processes.supervisor import mancala
from mancala.server.control.client import NotRunningError, ask
from mancala.server.control.wire import Request
from tests.drills.databases import Database, rows
from tests.drills.hosting import SQLITE_FILES, ServerHost, temporary_host
from tests.drills.members import LADDER, ladder_settings
from tests.drills.report import DrillReport, SeedOption, command_line
from tests.holding import Holding, kept, told

BOTS: Final = ("ann", "bob", "cid")
LOOK_S: Final = 0.2
PLAYED_S: Final = 20.0
"""Longest wait for games between two orders: bots come back within this time."""
LATEST_S: Final = 0.15
"""A kill follows its order within this time."""
LOG: Final = "SELECT number, action, what FROM admin_log ORDER BY number"
OVER: Final = "SELECT id FROM games WHERE ended_at IS NOT NULL"
NAMES: Final = ("dora", "dolly")
"""The names of a bot that has left, which the operator renames and renames again."""
HELD: Final = "held"
GONE: Final = "gus"
"""Another one that has left, and has met none of them: both are made one."""
NAMED: Final = (
    "SELECT first FROM matches WHERE first IN ('dora', 'dolly', 'gus')"
    " UNION SELECT second FROM matches WHERE second IN ('dora', 'dolly', 'gus')"
)
OVER_SEASONS: Final = (
    "SELECT DISTINCT ladder FROM matches WHERE length(replace(ladder, '-', '')) < length(ladder)"
)
LAST_OVER: Final = (
    "SELECT games.id FROM games JOIN matches ON games.match = matches.id"
    " WHERE matches.ended_at IS NOT NULL AND annulled_at IS NULL"
    " AND length(replace(matches.ladder, '-', '')) = length(matches.ladder)"
    " AND matches.id NOT IN (SELECT subject FROM switches) ORDER BY games.seq DESC LIMIT 1"
)


class Aftermath(NamedTuple):
    """What holds by the operator's orders, and what is named by them."""

    holding: Holding
    named: frozenset[str]
    seasons: frozenset[str]


def by_trail(place: str) -> Aftermath:
    seasons: set[str] = set()
    named = {NAMES[0], GONE}
    for _number, action, text in rows(place, LOG):
        what = json.loads(text)
        given = what["arguments"]
        match action:
            case "season":
                seasons.add(what["season"])
            case "rename":
                named = named - {given["bot"]} | {given["new"]}
            case "merge":
                named = named - {given["bot"]}
    return Aftermath(told(partial(rows, place)), frozenset(named), frozenset(seasons))


def by_tables(place: str) -> Aftermath:
    return Aftermath(
        kept(partial(rows, place)),
        frozenset(str(name) for [name] in rows(place, NAMED)),
        frozenset(str(ladder) for [ladder] in rows(place, OVER_SEASONS)),
    )


def next_order(place: str, rng: random.Random) -> Request:
    (held, named, _), lines = by_tables(place), rows(place, LOG)
    kinds = {kind for kind, _ in held.switched}
    annuls = [
        number for number, action, what in lines if action == "annul" and _is_left(what, held)
    ]
    renamed = [name for name in named if name in NAMES]
    choices = [
        Request("annul", {"bot": rng.choice(BOTS)}),
        Request("unban" if held.banned else "ban", {"name": "eve"}),
        Request("resume" if "paused" in kinds else "pause", {"ladder": LADDER}),
        Request("undrain" if "drained" in kinds else "drain"),
        *(Request("rename", {"bot": name, "new": _other(name)}) for name in renamed),
    ]
    if GONE in named:
        choices += [Request("merge", {"bot": GONE, "into": name}) for name in renamed]
    choices += [Request("replay", {"game": game}) for [game] in rows(place, LAST_OVER)]
    if "paused" in kinds:  # no match begins, so a season can end
        choices += [Request("season", {"ladder": LADDER, "from_ratings": rng.random() < 1 / 2})] * 2
    waiting = [subject for kind, subject in held.switched if kind == HELD]
    choices += [Request("confirm", {"id": key}) for key in waiting]
    if not (waiting or held.banned):
        choices.append(Request("hold", {"action": "ban", "arguments": {"name": "eve"}}))
    if annuls:
        choices.append(Request("undo", {"number": rng.choice(annuls)}))
    return rng.choice([*choices, choices[0], choices[-1]])


def _other(name: str) -> str:
    return NAMES[1 - NAMES.index(name)]


def _is_left(what: str, held: Holding) -> bool:
    return not held.annulled.isdisjoint(json.loads(what)["games"])


async def drill(
    kills: Annotated[int, typer.Option(min=1, help="How often the server is killed.")] = 30,
    seed: SeedOption = 1,
    where: Database = SQLITE_FILES,
) -> DrillReport:
    """Kill a server in the middle of its operator's orders."""
    rng = random.Random(f"{seed}/operator")
    unequal, untold, answered = 0, 0, 0
    orders: list[str] = []
    with temporary_host(f'ctl = "ctl"\n{ladder_settings()}', where) as ground:
        ctl = str(ground.folder / "ctl")
        async with ground.running():
            for leaving in (NAMES[0], GONE):
                async with _bots(ground, (BOTS[0], leaving)):
                    await _played(ground.store, more=2)
        async with _bots(ground, BOTS):
            for _ in range(kills):
                async with ground.running() as life:
                    checked = await asyncio.to_thread(ask, ctl, Request("check"))
                    unequal += not (checked.result or {}).get("equal")
                    untold += by_trail(ground.store) != by_tables(ground.store)
                    await _played(ground.store, more=2)
                    order = next_order(ground.store, rng)
                    orders.append(order.action)
                    asking = asyncio.create_task(asyncio.to_thread(_asked, ctl, order))
                    await asyncio.sleep(rng.uniform(0, LATEST_S))
                    await life.kill()
                    answered += await asking
        async with ground.running():
            checked = await asyncio.to_thread(ask, ctl, Request("check"))
            unequal += not (checked.result or {}).get("equal")
        untold += by_trail(ground.store) != by_tables(ground.store)
        lines, games = len(rows(ground.store, LOG)), len(rows(ground.store, OVER))
    figures: dict[str, Any] = {
        "kills": kills,
        "games": games,
        "orders": {action: orders.count(action) for action in sorted(set(orders))},
        "orders_durable": lines,
        "orders_answered": answered,
    }
    promises = {
        "the tables equal the games after each kill": unequal == 0,
        "what holds is what the trail says": untold == 0,
        "an order that was answered is durable": answered <= lines,
        "games were played": games > 0,
    }
    return DrillReport("operator", seed, figures, promises)


async def _played(place: str, *, more: int) -> None:
    """Wait until N further games are over; a paused ladder plays none."""
    before = len(rows(place, OVER))
    for _ in range(round(PLAYED_S / LOOK_S)):
        if _is_on_hold(by_tables(place).holding) or len(rows(place, OVER)) >= before + more:
            return
        await asyncio.sleep(LOOK_S)


def _is_on_hold(holding: Holding) -> bool:
    return any(kind != HELD for kind, _ in holding.switched)


def _asked(ctl: str, order: Request) -> bool:
    try:
        return bool((ask(ctl, order).result or {}).get("changed"))
    except (OSError, NotRunningError):
        return False


@asynccontextmanager
async def _bots(ground: ServerHost, names: Iterable[str]) -> AsyncIterator[None]:
    """Let bots play in the ladder during the block; they reconnect by themselves."""
    env = {**os.environ, "XDG_STATE_HOME": str(ground.folder)}
    async with AsyncExitStack() as stack:
        for name in names:
            arguments = ("bot", ground.url, *_options(name))
            bot = mancala(name, *arguments, folder=ground.folder, env=env)
            await stack.enter_async_context(bot)
        yield


def _options(name: str) -> Iterator[str]:
    yield from ("--name", name, "--player", "random", "--ladder", LADDER, "--games", "1000")


if __name__ == "__main__":
    command_line(drill)
