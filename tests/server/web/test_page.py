"""The page in a real browser: what a visitor sees and does, and no fault that the browser finds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from protocol.messages import MatchOver, Move, Seek, Seeking, Turn, Welcome
from tests.server.peers import Peer
from tests.server.web.browser import Page, browsing
from tests.server.web.seen import Seen, seen

pytestmark = pytest.mark.asyncio(loop_scope="module")

STORES = (
    "[...document.querySelectorAll('.board .count')].slice(-2).map((each) => +each.textContent)"
)
SAID = "document.querySelector('main [role=status]').textContent"
CURRENT = "document.querySelector('.moves [aria-current]')?.textContent"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def page(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Page]:
    """A browser with one tab."""
    folder: Path = tmp_path_factory.mktemp("browser")
    async with browsing(folder) as tab:
        yield tab
    assert tab.complaints == []


async def test_the_first_page_shows_the_latest_results(played: Seen, page: Page) -> None:
    """Four games, newest first, each with a way to its replay."""
    await page.open(f"{played.server.http_url}/")
    await page.until("document.querySelectorAll('tbody tr').length === 4")
    assert await page.value("document.title") == "test · Mancala Arena"
    assert await page.value("document.querySelectorAll('a[href^=\"#/games/\"]').length") == 4
    text = await page.value("document.body.innerText")
    assert "No game is being played right now." in text
    assert "played to the end" in text


async def test_a_game_can_be_replayed_with_the_keyboard(played: Seen, page: Page) -> None:
    """Arrows go a move on and back, End and Home to the result and to the opening."""
    game = (await played.api("/games"))["games"][0]
    await page.open(f"{played.server.http_url}/#/games/{game['game']}")
    await page.until(f"{SAID} === 'The opening.'")
    await page.press("ArrowRight")
    await page.until(f"{CURRENT} === '5'")
    assert "sows pit 5" in await page.value(SAID)
    await page.press("ArrowLeft")
    await page.until(f"{SAID} === 'The opening.'")
    await page.press("End")
    await page.until(f"String({STORES}) === '{game['stores'][0]},{game['stores'][1]}'")
    verdict = await page.value("document.querySelector('.verdict').textContent")
    assert f"{max(game['stores'])} : {min(game['stores'])}" in verdict
    await page.press("Home")
    await page.until(f"{SAID} === 'The opening.'")


async def test_a_running_game_is_followed_to_its_end(tmp_path: Path, page: Page) -> None:
    """Each move shows as it is played; the result stands below the board when it is over."""
    async with seen(tmp_path) as looking:
        ann, bob = await looking.arena.pair("ann", "bob")
        first = await ann.hear(Turn)
        await page.open(f"{looking.server.http_url}/#/games/{first.game}")
        await page.until("document.querySelector('.player.south.to-move')")
        await ann.say(Move(first.game, first.ply, 0))
        await page.until(f"{SAID} === 'ann sows pit 0.'")
        await page.until("document.querySelector('.player.north.to-move')")
        turn = await bob.hear(Turn)
        await bob.say(Move(turn.game, turn.ply, turn.legal[-1]))
        await asyncio.gather(ann.play_until(MatchOver), bob.play_until(MatchOver))
        await page.until("/wins|draw/.test(document.querySelector('.verdict').textContent)")
        await page.until("document.querySelectorAll('.moves button').length > 5")


async def test_without_guests_a_running_game_is_shown_all_the_same(
    tmp_path: Path, page: Page
) -> None:
    """A page has no token; where the websocket wants one, it asks the API instead."""
    async with seen(tmp_path, guests=False) as looking:
        pair = [await with_token(looking, name) for name in ("ann", "bob")]
        ann, bob = pair
        first = await ann.hear(Turn)
        await page.open(f"{looking.server.http_url}/#/games/{first.game}")
        await page.until("document.querySelector('.player.south.to-move')")
        await ann.say(Move(first.game, first.ply, 0))
        await page.until("document.querySelector('.player.north.to-move')")
        await bob.hear(Turn)


async def test_names_are_text_whatever_they_look_like(played: Seen, page: Page) -> None:
    """An address that holds markup shows it as letters, and runs nothing."""
    await page.open(f"{played.server.http_url}/#/bots/%3Cimg%20src=x%20onerror=alert(1)%3E")
    heading = "document.querySelector('h1')?.textContent"
    await page.until(f"{heading} === 'This page could not be loaded'")
    assert await page.value("document.querySelector('main img')") is None
    page.complaints.clear()  # the browser notes the 400, as it should


async def test_an_address_that_leads_nowhere_says_so(played: Seen, page: Page) -> None:
    """An unknown section is named as such."""
    await page.open(f"{played.server.http_url}/#/nonsense")
    await page.until("document.querySelector('h1')?.textContent === 'There is no such page'")


async def with_token(looking: Seen, name: str) -> Peer:
    """Let a bot in by its token, to seek a match."""
    token = await looking.server.store.issue_token(name, "2026-11-21T12:00:00.000+00:00")
    peer = await looking.arena.connect()
    await peer.hello(name, token=token)
    await peer.hear(Welcome)
    await peer.say(Seek(games=1))
    await peer.hear(Seeking)
    return peer
