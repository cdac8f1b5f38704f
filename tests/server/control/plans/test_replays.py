"""A ladder's match played again."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from mancala.protocol.messages import GameStart, Join, MatchOver
from mancala.server.config.ladders import LadderSettings
from tests.server.control.operators import LADDER, alone, joined, laddered, played
from tests.server.peers import Arena, arena
from tests.server.store import databases

pytestmark = pytest.mark.usefixtures("database")
OPENING = "<2,0,0,1,0,1,1>"
STARTING = (replace(LADDER[0], openings=(OPENING, "<2,0,0,0,2,1,1>")),)


def games(running: Arena) -> list[int]:
    [ladder] = running.server.target.sessions.ladders.all_ladders
    return [row.games for row in ladder.state.standings()]


async def test_a_match_is_played_again_from_the_same_positions(tmp_path: Path) -> None:
    """Once both bots are free; what they had played counts no more."""
    async with arena(tmp_path, ladder=STARTING) as running:
        peers = await joined(running, "ann", "bob")
        first = await peers[0].hear(GameStart)
        await asyncio.gather(*(peer.play_until(MatchOver) for peer in peers))
        dry = await running.order("replay", game=first.game, dry_run=True)
        done = await running.order("replay", game=first.game, reason="a stalled server")
        assert done["changed"] == dry["changed"]
        assert games(running) == []
        await running.refused("is to be played again already", "replay", game=first.game)
        for peer in peers:
            await peer.say(Join("main", matches=1))
        second = await peers[0].hear(GameStart)
        await asyncio.gather(*(peer.play_until(MatchOver) for peer in peers))
        assert (second.opening, second.seat) == (first.opening, first.seat)
        assert games(running) == [2, 2]
        assert (await running.order("check"))["equal"]
        await running.refused("has begun again; annul its games instead", "undo", number=1)
        place = str(running.server.config.store)
    assert databases.rows(place, "SELECT * FROM switches") == []


async def test_an_order_to_replay_outlives_its_server(tmp_path: Path) -> None:
    """Also one that was given to the store alone; taken back, the games count again.

    A season that ends owes none to the next one.
    """
    async with laddered(tmp_path) as running:
        [game, _second] = await played(running, "ann", "bob")
    await alone(tmp_path, "replay", game=game)
    async with laddered(tmp_path) as running:
        [owed] = running.server.target.sessions.orders.owed("main")
        assert sorted(owed.names) == ["ann", "bob"]
        await running.order("undo", number=1)
        assert games(running) == [2, 2]
        await running.order("replay", game=game)
        await played(running, "cid", "dan")
        await running.order("season", ladder="main")
        assert running.server.target.sessions.orders.owed("main") == ()


async def test_what_cannot_be_played_again_is_refused(tmp_path: Path) -> None:
    """One under way, and one of no ladder."""
    async with laddered(tmp_path) as running:
        ann, _bob = await running.pair("ann", "bob")
        game = (await ann.hear(GameStart)).game
        await running.refused("is under way; abort it first", "replay", game=game)
        await running.order("abort", game=game)
        await ann.hear(MatchOver)
        await running.refused("is of no ladder", "replay", game=game)


async def test_games_that_bots_asked_for_are_not_ordered_again(tmp_path: Path) -> None:
    """Their ladder pairs none; all tables equal a recount."""
    requests = (LadderSettings(name="requests", requests=True),)
    async with arena(tmp_path, ladder=requests) as running:
        ann, bob = await running.pair("ann", "bob", games=2, clock=requests[0].clock)
        game = (await ann.hear(GameStart)).game
        await asyncio.gather(*(peer.play_until(MatchOver) for peer in (ann, bob)))
        assert games(running) == [2, 2]
        await running.refused("the ladder requests is for requests", "replay", game=game)
        assert (await running.order("check"))["equal"]
        await running.order("annul", games=[game])
        assert games(running) == [1, 1]
