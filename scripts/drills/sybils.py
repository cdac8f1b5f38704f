"""``python -m scripts.drills.sybils``: guests that lose on purpose, to lift the ratings of others.

Five bots with tokens are equally strong: of the two games of a match each loses one. They play
until their ratings stand still. Then ten guests join their ladder and resign every game. The drill
does this where an anchor holds the scale, so that guests may meet bots with a token, and where
nothing does, so that they may not. In either case the five must keep their ratings.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final, NamedTuple

import typer

from protocol.messages import VERSION, GameStart, Hello
from scripts.drills.databases import Database, StoreOption, database, issue_tokens
from scripts.drills.hosting import SQLITE_FILES, host
from scripts.drills.members import (
    LADDER,
    Kept,
    always,
    games_of,
    kept_of,
    ladder_settings,
    playing,
    take_part,
)
from scripts.drills.report import JsonOption, Report, SeedOption, command_line, conclude
from scripts.drills.spell import spell

HONEST: Final = ("anchor", "ann", "bob", "cy", "dee")
"""An odd number: one always waits, so that they do not only meet the same opponent."""
MOST_ELO: Final = 30.0
WIDER: Final = 1.5
LEAST_ERROR: Final = 10.0
"""In Elo. Pairs of one win each have next to no error, and those that the end of a phase cut have a
little; an anchor has none."""
REFIT_S: Final = 0.2
SETTLE_S: Final = 5 * REFIT_S
SETTINGS: Final = ladder_settings(f"refit_s = {REFIT_S}")
Bots = dict[Hello, Callable[[GameStart], bool]]
"""Which games each bot resigns."""
ANCHORED: Final = """\
anchors = { anchor = 1500.0 }
"""


class Plan(NamedTuple):
    """The size of the drill.

    Attributes:
        sybils: guests that lose on purpose.
        seconds: how long the honest bots play alone, and then beside the guests, in seconds.
        seed: for the report; nothing is drawn.
    """

    sybils: int
    seconds: float
    seed: int


async def drill(plan: Plan, where: Database = SQLITE_FILES) -> Report:
    """Lose on purpose with an anchor and without, and report what it brought."""
    figures: dict[str, Any] = {"sybils": plan.sybils}
    promises = {}
    for name, anchor in (("anchored", ANCHORED), ("unanchored", "")):
        moved, widened, mixed, games = await _lose(plan, anchor, where)
        figures |= {
            f"{name}_games": games,
            f"{name}_games_of_guests_with_honest": mixed,
            f"{name}_honest_moved_elo": round(moved, 1),
            f"{name}_intervals_of_before": round(widened, 2),
        }
        promises[f"{name}, honest bots move by less than {MOST_ELO:g} Elo"] = moved < MOST_ELO
        if anchor:
            promises[f"{name}, guests meet honest bots"] = mixed > 0
        else:
            promises[f"{name}, intervals of honest bots stay as narrow"] = widened <= WIDER
            promises[f"{name}, guests meet no honest bot"] = mixed == 0
    return Report("sybils", plan.seed, figures, promises)


async def _lose(plan: Plan, anchor: str, where: Database) -> tuple[float, float, int, int]:
    """Lose on purpose, beside an anchor if there is one.

    Returns:
        How far an honest bot's rating moved, in Elo; how many times as wide an interval became; the
        games of guests with honest bots, and all games.
    """
    with TemporaryDirectory(prefix="mancala-sybils-") as folder:
        place = host(Path(folder), SETTINGS + anchor, where)
        store = place.store
        tokens = await issue_tokens(store, HONEST)
        honest: Bots = {Hello(VERSION, name, token): _has_to_lose for name, token in tokens.items()}
        sybils: Bots = {Hello(VERSION, f"sybil-{number}"): always for number in range(plan.sybils)}
        async with place.running() as life:
            await _play(life.url, honest, plan.seconds, partial(_are_rated, store))
            before = _kept(store)
            meetings = partial(_meetings, store, 1 if anchor else 2)
            await _play(life.url, honest | sybils, plan.seconds, meetings)
            after = _kept(store)
        mixed, games = _meetings(store, 1), sum(games_of(store).values())
    moved = max(abs(after.ratings()[name] - before.ratings()[name]) for name in HONEST)
    widened = max(after.errors()[name] / max(before.errors()[name], LEAST_ERROR) for name in HONEST)
    return moved, widened, mixed, games


def _are_rated(store: str) -> bool:
    """Return whether each honest bot has a rating."""
    kept = kept_of(store)
    return kept is not None and kept.ratings().keys() >= set(HONEST)


def _meetings(store: str, guests: int) -> int:
    """Return how many games were counted that had this number of guests."""
    return sum(
        count for pair, count in games_of(store).items() if sum(map(_is_sybil, pair)) == guests
    )


async def _play(url: str, bots: Bots, length_s: float, counted: Callable[[], object]) -> None:
    """Let bots play for a while and finish their matches; wait for the joint fit."""
    is_over = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        running = [
            tasks.create_task(
                take_part(url, hello, LADDER, playing(LADDER, yields, is_over.is_set))
            )
            for hello, yields in bots.items()
        ]
        await spell(length_s, counted)
        is_over.set()
        await asyncio.sleep(SETTLE_S)
        for task in running:
            task.cancel()


def _has_to_lose(start: GameStart) -> bool:
    """Return whether an honest bot loses to another: the second mover, or the first one."""
    return start.seat == int(start.match, 16) % 2 and not any(map(_is_sybil, start.names))


def _is_sybil(name: str) -> bool:
    return name.startswith("sybil")


def _kept(store: str) -> Kept:
    kept = kept_of(store)
    if kept is None:
        raise RuntimeError("no game has ended")
    return kept


def main(
    *,
    sybils: Annotated[int, typer.Option(min=1, help="Guests that lose on purpose.")] = 10,
    seconds: Annotated[float, typer.Option(min=0.5, help="Length of each phase.")] = 20.0,
    store: StoreOption = "sqlite",
    seed: SeedOption = 1,
    json: JsonOption = False,
) -> None:
    """Lose to honest bots on purpose, with and without an anchor."""
    with database(store) as where:
        report = asyncio.run(drill(Plan(sybils, seconds, seed), where))
    conclude(report, json=json)


if __name__ == "__main__":
    command_line(main)
