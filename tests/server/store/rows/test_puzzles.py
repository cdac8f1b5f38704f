"""The puzzles of days: chosen once and kept, whatever is reviewed later."""

import random
from pathlib import Path

import pytest

from mancala.server.model.schemas.analysis import DailyPuzzle
from mancala.server.model.timestamps import later
from mancala.server.store import Store
from mancala.server.store.rows.reviews import offer_puzzle, puzzles_until
from tests.seeds import seed
from tests.server.store.builders import a_puzzle
from tests.server.store.databases import fail, place_of

pytestmark = pytest.mark.usefixtures("database")

MIDNIGHT = "2026-11-21T00:00:00.000+00:00"
TURNS = 40
MOST_S = 40_000


async def test_a_day_has_one_puzzle_over_reviews_and_restarts(tmp_path: Path) -> None:
    """Each day's is the same whenever it is looked at; numbers count the days that have one."""
    rng, at, seen = random.Random(seed()), MIDNIGHT, dict[str, DailyPuzzle]()
    for turn in range(TURNS):
        async with Store(place_of(tmp_path), failed=fail) as store:
            for each in "ab"[: rng.randrange(3)]:
                at = later(at, rng.randrange(1, MOST_S))
                await store.run(offer_puzzle, a_puzzle(f"{turn}{each}"), at, MIDNIGHT)
            shown = await store.run(puzzles_until, at[:10], 100)
        for found in shown:
            assert seen.setdefault(found.day, found) == found
        assert [each.day for each in shown] == sorted(seen, reverse=True)
        assert [each.number for each in shown] == [*range(len(shown), 0, -1)]
        assert all(each.puzzle.ended_at == MIDNIGHT for each in shown)
    assert len({each.puzzle.game for each in seen.values()}) == len(seen) > 2


async def test_a_clock_that_was_ahead_costs_no_review(tmp_path: Path) -> None:
    """Set back, the days that have no puzzle yet get theirs, and the others keep theirs."""
    async with Store(place_of(tmp_path), failed=fail) as store:
        for day, games in ((21, "a"), (24, "bc"), (23, "def")):
            for game in games:
                at = f"2026-11-{day}T00:00:00.000+00:00"
                await store.run(offer_puzzle, a_puzzle(game), at, MIDNIGHT)
        found = await store.run(puzzles_until, "2026-11-30", 9)
        shown = [f"{each.day[-2:]} {each.puzzle.game} {each.number}" for each in found]
        assert shown == ["25 c 3", "24 b 2", "23 d 4", "21 a 1"]


async def test_the_next_day_has_its_puzzle_before_it_begins(tmp_path: Path) -> None:
    """The second one of a day is for the next; further ones are for none."""
    async with Store(place_of(tmp_path), failed=fail) as store:
        for game in "abc":
            await store.run(offer_puzzle, a_puzzle(game), MIDNIGHT, MIDNIGHT)
        found = await store.run(puzzles_until, "2026-11-22", 9)
        assert [(each.day[-2:], each.puzzle.game) for each in found] == [("22", "b"), ("21", "a")]
        assert [each.day for each in await store.run(puzzles_until, "2026-11-21", 9)] == [
            "2026-11-21"
        ]
