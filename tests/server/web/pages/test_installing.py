"""The page as an application: what a browser needs to install it, and what it shows offline."""

from typing import Any

import pytest
from playwright.async_api import Browser, expect

from mancala.protocol import codec
from mancala.server.web.pages.pages import manifest_of
from tests.server.web.browser import visiting
from tests.server.web.seen import Seen

pytestmark = pytest.mark.asyncio(loop_scope="module")

STANDALONE = """const real = window.matchMedia; window.matchMedia = (query) =>
    query.includes('display-mode') ? {matches: true} : real(query);"""
READY = "navigator.serviceWorker.ready.then((found) => Boolean(found.active))"


async def test_every_page_names_a_manifest_with_the_servers_name(played: Seen) -> None:
    """The manifest's icon is one of the page's files, and the policy lets a browser read both."""
    page = await played.get("/ladders")
    assert '<link rel="manifest" href="/manifest.webmanifest">' in page.text
    assert "manifest-src 'self'" in page.headers["Content-Security-Policy"]
    answer = await played.get("/manifest.webmanifest")
    assert answer.headers["Content-Type"] == "application/manifest+json"
    manifest = answer.json()
    assert manifest["name"] == "test"
    assert (await played.get(manifest["icons"][0]["src"])).status_code == 200
    for each in manifest["shortcuts"]:
        assert (await played.get(each["url"])).status_code == 200


async def test_below_an_icon_a_long_name_has_its_first_twelve_letters() -> None:
    """As many as fit there; the whole one stays beside it."""
    found = codec.from_json(manifest_of("Mancala at Newton College", "1"), dict[str, Any])
    assert (found["name"], found["short_name"]) == ("Mancala at Newton College", "Mancala at N")


async def test_the_worker_is_compared_on_each_visit(played: Seen) -> None:
    """It stands at the root, so that it acts on all pages, and is not kept for long."""
    answer = await played.get("/worker.js")
    assert answer.headers["Content-Type"].startswith("text/javascript")
    assert "immutable" not in answer.headers.get("Cache-Control", "")


async def test_an_installed_page_shows_offline_what_it_has_shown(
    played: Seen, browser: Browser
) -> None:
    """A game that was looked at, and the analysis board with any position."""
    game = (await played.api("/games"))["games"][0]["game"]
    async with visiting(browser, played.url, reduced_motion="reduce") as tab:
        page = tab.page
        await page.add_init_script(STANDALONE)
        await page.goto("/")
        assert await page.evaluate(READY)
        await page.goto(f"/games/{game}")
        await expect(page.locator(".said")).to_contain_text("The opening.")
        await page.context.set_offline(True)
        await page.goto(f"/games/{game}")
        await expect(page.locator(".said")).to_contain_text("The opening.")
        await page.keyboard.press("ArrowRight")
        await expect(page.locator(".said")).to_contain_text("Move 1:")
        await page.goto("/analysis?board=<2,0,0,1,1,1,1>&study=<2,0,0,1,1,1,1>2.1&at=2")
        await expect(page.locator(".variation")).to_have_text("Sown: South 2")


async def test_an_installed_page_opens_offline_at_its_first_page(
    played: Seen, browser: Browser
) -> None:
    """Also where it was never opened, with what it loads once its board is shown."""
    async with visiting(browser, played.url, reduced_motion="reduce") as tab:
        page = tab.page
        await page.add_init_script(STANDALONE)
        await page.goto("/analysis")
        assert await page.evaluate(READY)
        await page.context.set_offline(True)
        await page.goto("/")
        await expect(page.get_by_role("heading", name="Latest results")).to_be_visible()


async def test_a_visitor_who_has_not_installed_the_page_gets_no_worker(
    played: Seen, browser: Browser
) -> None:
    """Nothing is kept for those who only look."""
    async with visiting(browser, played.url) as tab:
        await tab.page.goto("/ladders")
        await expect(tab.page.get_by_role("heading", level=1)).to_be_visible()
        found = await tab.page.evaluate(
            "navigator.serviceWorker.getRegistrations().then((found) => found.length)"
        )
        assert found == 0
