"""A bot of an event that plays in a real browser: the page's own client, on a page of the server.

It comes back by itself after each kill of the server, as a visitor's tab does. Its moves follow
from the position, as those of the other bots.
"""

import asyncio
from typing import Any, Final

from playwright.async_api import Error, Page

from mancala.protocol import codec
from mancala.protocol.rules import KALAH, Board, State
from tests.drills.event import SeenGames
from tests.drills.event_bots import RETRY_S, pit_of
from tests.server.web.browser import browsing, visiting

CLIENT: Final = """document.querySelector('link[href$="/client.js"]').href"""
"""Where a page that plays has the client's module."""
PLAY: Final = """async ({ address, url, name, event }) => {
  const { Client } = await import(address);
  const choose = ({ game, state }) => window.pitOf(game, state);
  const client = new Client(url, { name, choose, storage: localStorage });
  client.on("withdrawn", () => client.goodbye());
  client.on("welcome", () => window.welcomed());
  client.enter(event);
  await client.run();
}"""


class BrowserBot:
    """A bot in a browser."""

    def __init__(self, key: str, progress: SeenGames) -> None:
        self.connections = 0
        self._key = key
        self._progress = progress

    async def attend(self, page_url: str, url: str, *, name: str, event: str) -> None:
        facts = {"url": url, "name": name, "event": event}
        async with browsing() as browser, visiting(browser, page_url) as tab:
            await tab.page.expose_function("pitOf", self._pit)
            await tab.page.expose_function("welcomed", self._note_welcome)
            address = await _opened(tab.page)
            await tab.page.evaluate(PLAY, {**facts, "address": address})

    def _pit(self, game: str, state: dict[str, Any]) -> int:
        self._progress.note(game)
        position = codec.from_json(codec.to_json(state), State)
        return pit_of(self._key, Board.from_state(position, KALAH))

    def _note_welcome(self) -> None:
        self.connections += 1


async def _opened(page: Page) -> str:
    """Open a page of the server, which may be starting; return the address of its client."""
    while True:
        try:
            await page.goto("/play")
            return str(await page.evaluate(CLIENT))
        except Error:
            await asyncio.sleep(RETRY_S)
