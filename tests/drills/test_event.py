"""A round robin in which every pair meets once, and its crosstable."""

import asyncio
from itertools import combinations

import pytest

from tests.drills.event import DrillGame, RoundRobin, SeenGames, crosstable


@pytest.mark.parametrize("bots", [2, 4, 8])
def test_every_pair_meets_once_and_no_bot_twice_in_a_round(bots: int) -> None:
    """The circle method, for any even number of bots."""
    rounds = list(RoundRobin(bots, games=1, seed=1).rounds())
    met = [frozenset(pair) for pairs in rounds for pair in pairs]
    names = {f"bot-{number}" for number in range(bots)}
    assert sorted(map(sorted, met)) == sorted(map(list, combinations(sorted(names), 2)))
    assert all({name for pair in pairs for name in pair} == names for pairs in rounds)


def test_a_crosstable_adds_up_what_each_took_from_each() -> None:
    """A win is one point and a draw half of one, for either seat."""
    games = [
        DrillGame("a", ("ann", "bob"), 0, (30, 18), "normal"),
        DrillGame("b", ("bob", "ann"), 0, (30, 18), "normal"),
        DrillGame("c", ("ann", "bob"), None, (24, 24), "normal"),
    ]
    assert crosstable(games) == {"ann": {"bob": 1.5}, "bob": {"ann": 1.5}}


async def test_progress_counts_a_game_once_however_many_tell_of_it() -> None:
    """Both bots of a game tell of its end."""
    progress = SeenGames()
    waiting = asyncio.create_task(progress.reach(2))
    for game in ("a", "a"):
        progress.note(game)
    await asyncio.sleep(0)
    assert not waiting.done()
    progress.note("b")
    await waiting
    await progress.reach(2)
