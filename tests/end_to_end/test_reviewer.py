"""A bot that lost learns why: from a fresh server to the API and MQTT, with real processes."""

import asyncio
import re
from pathlib import Path
from urllib.parse import urlsplit

import aiomqtt
import httpx
from playwright.async_api import expect

from mancala.bot.client.bot import GameResult
from mancala.bot.client.run import run
from mancala.bot.players.registry import make_bot
from mancala.protocol import codec, results
from mancala.protocol.accuracy import Phase
from mancala.protocol.review import GameReview, Lost, how_lost
from mancala.scripts.analysis.server_reviews import GameSelection, kept_by
from mancala.scripts.console.processes.temporary import ServedArena
from tests.end_to_end.arena import hosted
from tests.patience import PATIENCE_S, WALK_S
from tests.server.web.browser import browsing, visiting

SETTINGS = """
http_port = 0
[reviewers]
house = 1
seconds = 0.5
[[ladder]]
name = "main"
clock = {move_ms = 60000}
pulse_s = 0
[ladder.house]
house-greedy = "greedy"
"""
LADDER_GAMES = 4


class Told:
    """What comes from the broker: reviews by game, and the last standings."""

    def __init__(self) -> None:
        self.reviews: dict[str, results.GameReviewed] = {}
        self.standings: tuple[results.Standing, ...] = ()
        self.listening = asyncio.Event()
        self._arrived = asyncio.Event()

    async def follow(self, arena: ServedArena) -> None:
        broker = urlsplit(arena.mqtt or "")
        async with aiomqtt.Client(
            broker.hostname or "", broker.port or 1883, timeout=PATIENCE_S
        ) as client:
            for topic in ("games/+/review", "ladders/+/standings"):
                await client.subscribe(f"{arena.prefix}/{topic}", qos=1)
            self.listening.set()
            async for message in client.messages:
                payload = results.decode(message.payload)
                if isinstance(payload, results.GameReviewed):
                    self.reviews[payload.game] = payload
                    self._arrived.set()
                elif isinstance(payload, results.LadderStandings):
                    self.standings = payload.standings

    async def wait_for_reviews(self, games: set[str]) -> None:
        while not games <= self.reviews.keys():
            self._arrived.clear()
            await self._arrived.wait()


async def test_a_random_bot_learns_which_move_lost_its_games(tmp_path: Path) -> None:
    """The losing move is on the page, in the API and on MQTT."""
    told = Told()
    async with asyncio.timeout(WALK_S), hosted(tmp_path, SETTINGS) as host:
        following = asyncio.create_task(told.follow(host.arena))
        await told.listening.wait()
        played: list[GameResult] = []
        for games in (2, LADDER_GAMES - 2):  # the standings after the second tell of the first
            bot = make_bot("random", seed=7)
            played += await run(
                host.url, bot, name="remote", ladder="main", games=games, session_file=None
            )
            await told.wait_for_reviews({result.game for result in played})
        following.cancel()
        lost = {result.game for result in played if result.winner == 1 - result.seat}
        plainest = min(lost, key=lambda game: told.reviews[game].losing is None)
        await read_on_the_page(host.arena.http or "", plainest, told)
        async with httpx.AsyncClient(
            base_url=f"{host.arena.http}/api/v1", timeout=PATIENCE_S
        ) as api:
            for result in played:
                response = await api.get(f"/games/{result.game}/review")
                review = codec.from_json(response.content, GameReview)
                assert told.reviews[result.game].losing == review.losing
                assert all(ply.moves for ply in review.plies)
                if result.winner == 1 - result.seat:
                    how = how_lost(review.plies, result.seat)
                    assert (how is Lost.BY_MOVE) == (review.losing is not None)
            about = (await api.get("/bots/remote")).json()
            (standing,) = (
                row
                for row in (await api.get("/ladders/main/standings")).json()["standings"]
                if row["name"] == "remote"
            )
        wanted = GameSelection("remote", lost=True, most=LADDER_GAMES)
        mine, waiting = await asyncio.to_thread(kept_by, host.arena.http or "", wanted)
    assert {game.record.game for game in mine} == lost
    assert waiting == 0
    assert about["accuracy"][0]["phases"][0]["phase"] == Phase.ALL
    assert standing["accuracy"]["moves"] > 0
    assert any(row.accuracy for row in told.standings if row.name == "remote")


async def read_on_the_page(url: str, game: str, told: Told) -> None:
    """Open a lost game, and read there which move lost it, or that none did."""
    losing = told.reviews[game].losing
    async with browsing() as browser, visiting(browser, url) as visit:
        await visit.page.goto(f"/games/{game}")
        sentence = visit.page.locator(".losing").first
        if losing is not None:
            named = re.compile(f"\\bmove {losing.ply + 1}, ")
            sentence = sentence.get_by_role("link", name=named)
        await expect(sentence).to_be_visible()
        assert visit.complaints == []
