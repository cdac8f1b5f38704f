"""Whether the tables equal the games, and the tables made anew."""

import asyncio
import threading
from pathlib import Path

import pytest

from mancala.protocol.messages import GameOver, GameStart, MatchOver, Resign
from mancala.server.control.plans import recount
from mancala.server.health.fairness import Fairness
from mancala.server.store.upkeep.recount import Difference
from tests.patience import PATIENCE_S
from tests.server.control.operators import laddered, played
from tests.server.store import databases

pytestmark = pytest.mark.usefixtures("database")
DAMAGE = "UPDATE pairs SET wins = wins + 5 WHERE first = 'ann'"


async def test_a_damaged_table_is_found_and_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While no game is under way; the standings follow. The operator reads a thousand rows."""
    async with laddered(tmp_path) as running:
        await played(running, "ann", "bob")
        place = databases.place_of(tmp_path)
        await asyncio.to_thread(databases.execute, place, DAMAGE)
        found = await running.order("check")
        assert (found["equal"], found["count"]) == (False, 1)
        assert found["differences"][0]["what"] == "pairs"
        cid, _dan = await running.pair("cid", "dan")
        game = (await cid.hear(GameStart)).game
        await running.refused("1 match is under way: drain", "recompute")
        await running.order("abort", game=game)
        [ladder] = running.server.target.sessions.ladders.all_ladders
        former = ladder.state
        mended = await running.order("recompute")
        assert mended["equal"]
        assert ladder.state is not former
        assert (await running.order("check"))["equal"]
        nothing = await running.order("recompute")
        assert nothing["changed"] == []
        many = [Difference("pairs", (str(number),), None, (1,)) for number in range(1001)]
        with monkeypatch.context() as damaged:
            damaged.setattr(recount, "differences", lambda *_: many)
            found = await running.order("check")
        assert (len(found["differences"]), found["count"]) == (1000, 1001)


async def test_nothing_is_made_anew_between_two_games_of_a_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No game is under way then, but the match goes on with the tables it knows."""
    async with laddered(tmp_path) as running:
        await played(running, "ann", "bob")
        pair = await running.pair("cid", "dan", games=2)
        games = [await peer.hear(GameStart) for peer in pair]
        with monkeypatch.context() as late:
            late.setattr(Fairness, "may_begin", lambda _fairness: False)
            await pair[0].say(Resign(games[0].game))
            await pair[1].hear(GameOver)
            await asyncio.to_thread(databases.execute, databases.place_of(tmp_path), DAMAGE)
            await running.refused("1 match is under way: drain", "recompute")
        await asyncio.gather(*(peer.play_until(MatchOver) for peer in pair))
        assert (await running.order("recompute"))["equal"]


async def test_a_check_does_not_wait_for_the_journal(tmp_path: Path) -> None:
    """It is answered while the writer's thread is held up."""
    gate = threading.Event()
    async with laddered(tmp_path) as running:
        await played(running, "ann", "bob")
        store = running.server.target.store
        held = asyncio.ensure_future(store.run(lambda _found: gate.wait(PATIENCE_S)))
        async with asyncio.timeout(PATIENCE_S):
            assert (await running.order("check"))["equal"]
        assert not held.done()
        gate.set()
        assert await held
