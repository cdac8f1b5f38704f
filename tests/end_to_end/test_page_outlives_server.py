"""The page while its server is stopped and started again, with real processes."""

import asyncio
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Page, ViewportSize, expect

from mancala.bot.client.run import run
from mancala.bot.players.registry import make_bot
from tests.end_to_end.arena import Hosted, hosted
from tests.patience import WALK_S
from tests.server.web.browser import browsing

GAMES: Final = 4
AWAY: Final = "The server can't be reached; trying again"
SMALL: Final[ViewportSize] = {"width": 800, "height": 300}


async def test_a_page_goes_on_by_itself_when_its_server_is_back(tmp_path: Path) -> None:
    """It says that the server is away, keeps what it shows with focus and scroll, then goes on."""
    async with asyncio.timeout(WALK_S), browsing() as browser:
        async with hosted(tmp_path, 'http_port = 0\nstage_names = "all"') as host:
            url = host.arena.http or ""
            await play(host, GAMES)
            visit = await browser.new_page(base_url=url, viewport=SMALL)
            await visit.goto("/")
            latest = visit.get_by_role("region", name="Latest results")
            last = latest.get_by_role("link").last
            await last.focus()
            await visit.evaluate("scrollBy(0, 20)")
            before = await row_of(visit)
            shown = await latest.inner_text()
        await expect(visit.get_by_text(AWAY)).to_be_visible()
        assert await latest.inner_text() == shown
        async with hosted(
            tmp_path, f'http_port = {urlsplit(url).port}\nstage_names = "all"'
        ) as host:
            await expect(visit.get_by_text(AWAY)).to_have_count(0)
            assert await row_of(visit) == pytest.approx(before, abs=1)
            await expect(last).to_be_focused()
            await play(host, 2)
            await expect(latest).not_to_have_text(shown, use_inner_text=True)


async def play(host: Hosted, games: int) -> None:
    bots = {"first": "greedy", "second": "random"}
    await asyncio.gather(
        *(
            run(host.url, make_bot(spec), name=name, games=games, session_file=None)
            for name, spec in bots.items()
        )
    )


async def row_of(page: Page) -> float:
    """Return where on the screen the focused table row is; what is above it may grow."""
    found: float = await page.evaluate(
        """() => document.activeElement.closest("tr").getBoundingClientRect().top"""
    )
    return found
