"""A bot that lost learns why: from a fresh server to the API and MQTT, with real processes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import urlsplit

import aiomqtt
import httpx

from bot.client.run import run
from bot.players.registry import make_bot
from protocol import codec
from protocol.accuracy import Phase
from protocol.results import GameReviewed, decode
from protocol.review import GameReview, LosingMove
from scripts.analysis.server_reviews import Wanted, kept_by
from scripts.processes.arena import Arena
from tests.end_to_end.arena import hosted
from tests.patience import PATIENCE_S

SETTINGS = """
http_port = 0
[reviewers]
house = 1
seconds = 0.5
[[ladder]]
name = "main"
clock = {move_ms = 5000}
pulse_s = 0
[ladder.house]
house-greedy = "greedy"
"""
LADDER_GAMES = 4


class Reviews:
    """The reviews that come from the broker, by game."""

    def __init__(self) -> None:
        self.found: dict[str, GameReviewed] = {}
        self.listening = asyncio.Event()
        self._arrived = asyncio.Event()

    async def follow(self, arena: Arena) -> None:
        """Take them in, until cancelled."""
        broker = urlsplit(arena.mqtt or "")
        async with aiomqtt.Client(broker.hostname or "", broker.port or 1883) as client:
            await client.subscribe(f"{arena.prefix}/games/+/review", qos=1)
            self.listening.set()
            async for message in client.messages:
                payload = decode(message.payload)
                assert isinstance(payload, GameReviewed)
                self.found[payload.game] = payload
                self._arrived.set()

    async def of(self, games: set[str]) -> None:
        """Wait until those of some games are there."""
        while not games <= self.found.keys():
            self._arrived.clear()
            await self._arrived.wait()


async def test_a_random_bot_learns_which_move_lost_its_games(tmp_path: Path) -> None:
    """The losing move is in the API and on MQTT, and its version has an accuracy."""
    told = Reviews()
    async with asyncio.timeout(2 * PATIENCE_S), hosted(tmp_path, SETTINGS) as host:
        following = asyncio.create_task(told.follow(host.arena))
        await told.listening.wait()
        bot = make_bot("random", seed=7)
        played = await run(
            host.url, bot, name="remote", ladder="main", games=LADDER_GAMES, session_file=None
        )
        await told.of({result.game for result in played})
        following.cancel()
        async with httpx.AsyncClient(base_url=f"{host.arena.http}/api/v1") as api:
            for result in played:
                response = await api.get(f"/games/{result.game}/review")
                review = codec.from_json(response.content, GameReview)
                assert told.found[result.game].losing == review.losing
                assert all(ply.moves for ply in review.plies)
                if result.winner == 1 - result.seat:
                    assert isinstance(review.losing, LosingMove)
                    assert review.losing.player == result.seat
            about = (await api.get("/bots/remote")).json()
            (standing,) = (
                row
                for row in (await api.get("/ladders/main/standings")).json()["standings"]
                if row["name"] == "remote"
            )
        wanted = Wanted("remote", lost=True, most=LADDER_GAMES)
        mine, waiting = await asyncio.to_thread(kept_by, host.arena.http or "", wanted)
    lost = {result.game for result in played if result.winner == 1 - result.seat}
    assert {game.record.game for game in mine} == lost
    assert waiting == 0
    assert any(result.winner == 1 - result.seat for result in played)
    assert about["accuracy"][0]["phases"][0]["phase"] == Phase.ALL
    assert standing["accuracy"]["moves"] > 0
