"""Ladders on a running server: over restarts, and as seen over MQTT."""

import asyncio
from pathlib import Path

import aiomqtt
import pytest
from msgspec.structs import replace

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Error, GameStart, Join, MatchOver
from mancala.protocol.results import GameResult, LadderStandings, decode
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Limits, Mqtt
from mancala.server.health.log import NullLog
from mancala.server.publish.broker import private_broker
from mancala.server.store.rows.ladders import kept_ladders
from tests.patience import PATIENCE_S, WALK_S
from tests.server.peers import Arena, Peer, arena

pytestmark = pytest.mark.usefixtures("database")

SLOW = TimeControl(move_ms=60_000)
LADDER = LadderSettings(
    name="main", rules="kalah:pits=3,seeds=2", clock=SLOW, refit_s=0.05, patience_s=0.05
)


async def seated(running: Arena, *names: str) -> list[Peer]:
    peers = [await running.greet(name) for name in names]
    for peer in peers:
        await peer.say(Join("main"))
    return peers


async def returned(running: Arena, *before: Peer) -> list[Peer]:
    return [
        await running.greet(name, resume=peer.secret)
        for name, peer in zip(("ann", "bob"), before, strict=True)
    ]


async def play_match(*peers: Peer) -> None:
    async with asyncio.TaskGroup() as tasks:
        for peer in peers:
            tasks.create_task(peer.play_until(MatchOver))


async def games_of(running: Arena) -> int:
    kept = (await running.server.store.run(kept_ladders))["main"]
    return sum(map(sum, kept.tallies.values()))


async def test_a_bot_that_plays_all_it_may_elsewhere_is_paired_afterwards(tmp_path: Path) -> None:
    """The limit of matches under way holds for those of ladders, too."""
    async with arena(tmp_path, ladder=(LADDER,), limits=Limits(tables=1)) as running:
        peers = await running.pair("ann", "bob")
        for peer in peers:
            await peer.say(Join("main"))
        await play_match(*peers)
        for peer in peers:
            elsewhere = {said.match for said in peer.heard if isinstance(said, GameStart)}
            assert elsewhere == {peer.last(MatchOver).match}
            await peer.hear(GameStart)


async def test_a_ladder_outlives_the_server(tmp_path: Path) -> None:
    """After a restart the table stands, the match goes on, and members are paired again."""
    async with arena(tmp_path, ladder=(LADDER,)) as running:
        peers = await seated(running, "ann", "bob")
        await play_match(*peers)
        for peer in peers:
            await peer.hear(GameStart)
        assert await games_of(running) == 2
        match = peers[0].last(GameStart).match
    async with arena(tmp_path, ladder=(LADDER,)) as running:
        peers = await returned(running, *peers)
        await play_match(*peers)
        assert peers[0].last(MatchOver).match == match
        await peers[0].hear(GameStart)
        assert await games_of(running) == 4


async def test_a_ladder_that_is_configured_no_more_ends_its_matches_in_peace(
    tmp_path: Path,
) -> None:
    """Its running match is played on; joining it is refused."""
    async with arena(tmp_path, ladder=(LADDER,)) as running:
        peers = await seated(running, "ann", "bob")
        for peer in peers:
            await peer.hear(GameStart)
    async with arena(tmp_path) as running:
        peers = await returned(running, *peers)
        await play_match(*peers)
        await peers[0].say(Join("main"))
        assert (await peers[0].hear(Error)).ref == "main"


async def test_who_subscribes_late_still_gets_the_table(tmp_path: Path, mosquitto: str) -> None:
    """The broker keeps the last table; each game of the ladder was published once."""
    async with (
        asyncio.timeout(WALK_S),
        asyncio.TaskGroup() as tasks,
        private_broker(
            mosquitto, NullLog(), lambda work, name: tasks.create_task(work, name=name)
        ) as url,
    ):
        mqtt = Mqtt(url=url)
        port = int(url.rpartition(":")[2])
        async with (
            aiomqtt.Client("127.0.0.1", port, timeout=PATIENCE_S) as early,
            arena(tmp_path, ladder=(replace(LADDER, games=4),), mqtt=mqtt) as running,
        ):
            await early.subscribe("mancala/test/ladders/main/games", qos=1)
            await play_match(*await seated(running, "ann", "bob"))
            games = [decode((await anext(early.messages)).payload) for _ in range(4)]
        async with aiomqtt.Client("127.0.0.1", port, timeout=PATIENCE_S) as late:
            await late.subscribe("mancala/test/ladders/main/standings", qos=1)
            message = await anext(late.messages)
            table = decode(message.payload)
    assert {type(game) for game in games} == {GameResult}
    assert len({game.event_id for game in games}) == 4
    assert message.retain
    assert isinstance(table, LadderStandings)
    assert [line.games for line in table.standings] == [4, 4]
