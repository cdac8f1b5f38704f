"""``python -m tests.drills.sybils``: guests that lose on purpose, to lift the ratings of others.

Five bots with tokens are equally strong: of the two games of a match each loses one. They play
until each two of them have met a number of times. Then ten guests join their ladder and resign
every game. The drill does this where an anchor holds the scale, so that guests may meet bots with
a token, and where nothing does, so that they may not. In either case the five must keep their
ratings.

Matches are counted and none is broken off, so how fast the machine is decides nothing. What the
guests can bring at most follows from the two counts: `tests/drills/test_sybils.py` fits
the worst tables that they allow.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import closing
from functools import partial
from itertools import combinations
from math import inf
from typing import Annotated, Any, Final, NamedTuple

import typer

from mancala.protocol.messages import VERSION, Error, GameStart, Hello
from mancala.server.rating.fit import fit
from mancala.server.rating.ratings import Ratings
from mancala.server.store.database.database import Access, connect
from mancala.server.store.database.writer import Transaction
from mancala.server.store.rows.ladders import kept_ladders
from tests.drills.databases import Database, issue_tokens
from tests.drills.hosting import SQLITE_FILES, temporary_host
from tests.drills.members import (
    LADDER,
    StoredStandings,
    always,
    games_of,
    kept_of,
    ladder_settings,
    playing,
    take_part,
)
from tests.drills.report import DrillReport, SeedOption, command_line
from tests.drills.spell import until

HONEST: Final = ("anchor", "ann", "bob", "cy", "dee")
"""An odd number: one always waits, so that they do not only meet the same opponent."""
MOST_ELO: Final = 30.0
WIDER: Final = 1.5
LEAST_ERROR: Final = 10.0
"""In Elo. Pairs of one win each have next to no error, and an anchor has none."""
SETTINGS: Final = ladder_settings("refit_s = 0.2", "clock = { move_ms = 60000 }")
Loses = Callable[[GameStart], bool]
"""Returns whether a bot resigns a game."""
Bots = dict[Hello, Loses]
Meetings = Counter[frozenset[str]]
"""How many matches each two bots have begun."""
Anchors = Mapping[str, float]
NO_ANCHORS: Final[Anchors] = {}
ANCHORED: Final[Anchors] = {HONEST[0]: 1500.0}
PRECISION: Final = 0.2
"""In Elo: announced ratings are rounded, and smaller changes are not announced."""


class SybilPlan(NamedTuple):
    """The size of the drill. After the lost matches each bot begins at most one more."""

    sybils: Annotated[int, typer.Option(min=1, help="Guests that lose on purpose.")] = 10
    matches: Annotated[int, typer.Option(min=1, help="Matches of each two honest bots.")] = 200
    lost: Annotated[int, typer.Option(min=1, help="Matches that the guests lose.")] = 1000
    seed: SeedOption = 1


SHORT: Final = SybilPlan(sybils=10, matches=25, lost=20, seed=1)
"""Numbers with which the promises hold whatever the results of the guests are."""


async def drill(plan: SybilPlan, where: Database = SQLITE_FILES) -> DrillReport:
    """Lose to honest bots on purpose, with and without an anchor."""
    figures: dict[str, Any] = {"sybils": plan.sybils}
    promises = {}
    for name, anchors in (("anchored", ANCHORED), ("unanchored", NO_ANCHORS)):
        moved, widened, mixed, games = await _lose(plan, anchors, where)
        figures |= {
            f"{name}_games": games,
            f"{name}_games_of_guests_with_honest": mixed,
            f"{name}_honest_moved_elo": round(moved, 1),
            f"{name}_intervals_of_before": round(widened, 2),
        }
        promises[f"{name}, honest bots move by less than {MOST_ELO:g} Elo"] = moved < MOST_ELO
        if anchors:
            promises[f"{name}, guests meet honest bots"] = mixed > 0
        else:
            promises[f"{name}, intervals of honest bots stay as narrow"] = widened <= WIDER
            promises[f"{name}, guests meet no honest bot"] = mixed == 0
    return DrillReport("sybils", plan.seed, figures, promises)


async def _lose(
    plan: SybilPlan, anchors: Anchors, where: Database
) -> tuple[float, float, int, int]:
    """Lose on purpose, beside an anchor if there is one.

    Returns:
        How far an honest bot's rating moved, in Elo; how many times as wide an interval became; the
        games of guests with honest bots, and all games.
    """
    with temporary_host(SETTINGS + _terms(anchors), where) as place:
        store = place.store
        tokens = await issue_tokens(store, HONEST)
        honest: Bots = {Hello(VERSION, name, token): _has_to_lose for name, token in tokens.items()}
        sybils: Bots = {Hello(VERSION, f"sybil-{number}"): always for number in range(plan.sybils)}
        guests = 1 if anchors else 2
        groups = [honest | sybils] if anchors else [honest, sybils]
        async with place.running() as life:
            await _play(life.url, [honest], partial(_have_met, plan.matches))
            before = await _settled(store, anchors)
            await _play(life.url, groups, lambda met: _with_guests(met, guests) >= plan.lost)
            after = await _settled(store, anchors)
        played = games_of(store)
    mixed = sum(games for pair, games in played.items() if _guests(pair) == 1)
    moved = max(abs(after.ratings()[name] - before.ratings()[name]) for name in HONEST)
    widened = max(after.errors()[name] / max(before.errors()[name], LEAST_ERROR) for name in HONEST)
    return moved, widened, mixed, sum(played.values())


def _have_met(matches: int, met: Meetings) -> bool:
    return all(met[frozenset(pair)] >= matches for pair in combinations(HONEST, 2))


def _with_guests(met: Meetings, guests: int) -> int:
    return sum(matches for pair, matches in met.items() if _guests(pair) == guests)


def _guests(pair: Collection[str]) -> int:
    return sum(map(_is_sybil, pair))


class _Phase:
    """The matches of a phase, as their players see them begin."""

    def __init__(self, is_over: Callable[[Meetings], bool]) -> None:
        self._is_over = is_over
        self._begun: set[str] = set()
        self._met: Meetings = Counter()

    def is_over(self) -> bool:
        """Return whether bots leave after the match that they play."""
        return self._is_over(self._met)

    def counting(self, loses: Loses) -> Loses:
        """Return the same decision; it counts the matches of the games that it is asked about."""

        def decide(start: GameStart) -> bool:
            if start.match not in self._begun:
                self._begun.add(start.match)
                self._met[frozenset(start.names)] += 1
            return loses(start)

        return decide


async def _play(url: str, groups: Iterable[Bots], is_over: Callable[[Meetings], bool]) -> None:
    phase = _Phase(is_over)
    async with asyncio.TaskGroup() as tasks:
        for bots in groups:
            running = {
                tasks.create_task(
                    take_part(
                        url, hello, LADDER, playing(LADDER, phase.counting(loses), phase.is_over)
                    )
                )
                for hello, loses in bots.items()
            }
            tasks.create_task(_finished(running))


async def _finished(running: set[asyncio.Task[Error | None]]) -> None:
    """Wait until bots have left after their last match; send home one that finds no opponent."""
    while len(running) > 1:
        _, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
    for task in running:
        task.cancel()


async def _settled(store: str, anchors: Anchors) -> StoredStandings:
    """Return the announced standings once they are those of the joint fit of all games."""
    kept: StoredStandings | None = None

    def is_settled() -> bool:
        nonlocal kept
        kept = kept_of(store)
        return kept is not None and _is_fit(kept, _fitted(store, anchors))

    await until(is_settled)
    if kept is None:
        raise RuntimeError("no game has ended")
    return kept


def _fitted(store: str, anchors: Anchors) -> Ratings:
    with closing(connect(store, Access.READ)) as connection:
        ladder = kept_ladders(Transaction(connection))[LADDER]
    return fit(ladder.tallies, pairs=ladder.pairs, anchors=anchors)


def _is_fit(kept: StoredStandings, fitted: Ratings) -> bool:
    """Return whether ratings and intervals of the honest bots are those of a fit."""
    elos, errors = kept.ratings(), kept.errors()
    return all(
        abs(elos.get(name, inf) - fitted[name].elo) < PRECISION
        and abs(errors.get(name, inf) - fitted[name].error) < PRECISION
        for name in HONEST
    )


def _terms(anchors: Anchors) -> str:
    named = ", ".join(f"{name} = {elo}" for name, elo in anchors.items())
    return f"anchors = {{ {named} }}\n"


def _has_to_lose(start: GameStart) -> bool:
    """Return whether an honest bot loses to another: the second mover, or the first one."""
    return start.seat == int(start.match, 16) % 2 and not any(map(_is_sybil, start.names))


def _is_sybil(name: str) -> bool:
    return name.startswith("sybil")


if __name__ == "__main__":
    command_line(drill)
