"""A real browser for tests: Debian's chromium, driven by playwright.

Its headless shell draws no window around a page, and takes a third of the processor time.
"""

import contextlib
import os
import shutil
from collections.abc import AsyncIterator
from typing import Any, Final

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Browser, ConsoleMessage, Page, async_playwright, expect

from mancala.server.web.static.packs import SHARED
from tests.patience import PATIENCE_S

PROGRAMS: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
FLAGS: Final = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic")
STRICTEST: Final = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
LOOKS: Final = (
    *("color-contrast", "link-in-text-block", "meta-viewport"),
    *("scrollable-region-focusable", "target-size"),
)
"""The rules that a page's colours and width decide; all others read only its elements."""


def find_program() -> str:
    """Find the browser; skip the test without one, unless nothing may be skipped."""
    for name in PROGRAMS:
        program = shutil.which(name)
        if program is not None:
            return program
    if os.environ.get("MANCALA_SKIP_NOTHING"):
        pytest.fail("chromium is missing, and nothing may be skipped")
    pytest.skip("chromium is missing")


@contextlib.asynccontextmanager
async def browsing() -> AsyncIterator[Browser]:
    program = find_program()
    expect.set_options(timeout=1000 * PATIENCE_S)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        try:
            yield browser
        finally:
            await browser.close()


class Tab:
    """A visitor's tab.

    Attributes:
        page: the tab.
        complaints: faults that the browser found, violations of the page's policy included.
        requests: the addresses that it asked for.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def _hear(self, line: ConsoleMessage) -> None:
        """Keep a complaint, unless a game has no review: when the browser says so varies."""
        url = line.location["url"]
        is_unreviewed = url.endswith("/review") and "404" in line.text
        if line.type in ("error", "warning") and not is_unreviewed:
            self.complaints.append(f"{line.text} {url}")

    async def module(self, name: str) -> str:
        main = await self.page.locator("script[type=module]").get_attribute("src")
        assert main is not None
        return main.replace(SHARED, name)


@contextlib.asynccontextmanager
async def visiting(browser: Browser, url: str, **options: Any) -> AsyncIterator[Tab]:  # noqa: ANN401  # playwright's
    """Visit a server with a new profile, which has these options."""
    context = await browser.new_context(base_url=url, **options)
    context.set_default_timeout(1000 * PATIENCE_S)
    try:
        yield Tab(await context.new_page())
    finally:
        await context.close()


async def barriers(page: Page, rules: tuple[str, ...] = STRICTEST) -> list[str]:
    """Return what axe-core finds by some of its rules that bars people from using the page."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE_SCRIPT)
    options = {"runOnly": list(rules), "resultTypes": ["violations"], "preload": False}
    found = await page.evaluate("async (options) => (await axe.run(options)).violations", options)
    return [
        f"{each['id']}: {each['help']}: {[node['html'] for node in each['nodes']][:3]}"
        for each in found
    ]
