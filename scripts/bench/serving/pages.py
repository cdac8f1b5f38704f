"""Measure the pages of a running server in a browser, and print one JSON object.

``python -m mancala.scripts.bench.serving.pages http://127.0.0.1:8080`` opens each page as a first
visitor does, then once more, at 1280 and at 390 pixels, in light, dark and forced colours. For each
page: the requests and kilobytes of both visits, as they cross the network; the milliseconds until
its heading is shown; what axe-core finds against WCAG 2.2 AA and its best practices; the least
contrast of a text; the smallest text in pixels; the sum of its layout shifts; and whether the page
is wider than the screen. ``moving_board_ms`` is the time until the board of the home page makes its
first move, by the page's own clock, on a phone with 400 kbit/s and a four times slower CPU, by the
milliseconds that each request takes. It needs chromium, and games on the server.
"""

import json
import shutil
import time
import urllib.request
from typing import Annotated, Any, Final
from urllib.error import URLError

import typer
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

from mancala.server.web.pages.pages import PAGES

from ...console import output as console

READINGS: Final[tuple[dict[str, Any], ...]] = (
    {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
    {"viewport": {"width": 390, "height": 844}, "forced_colors": "active"},
)
RULES: Final = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
BROWSERS: Final = ("chromium", "chromium-headless-shell", "google-chrome")
KB: Final = 1000
SLOW_NETWORK: Final = {
    "offline": False,
    "downloadThroughput": 400_000 / 8,
    "uploadThroughput": 400_000 / 8,
}
DELAYS_MS: Final = (60, 400)
SLOW_CPU: Final = 4
QUIET_MS: Final = 1000
SHIFTS: Final = """window.shifted = 0; new PerformanceObserver((list) => {
    for (const each of list.getEntries()) if (!each.hadRecentInput) window.shifted += each.value;
}).observe({type: 'layout-shift', buffered: true});"""
MOVED: Final = """new MutationObserver(() => {
    if (document.querySelector('.stage .said')?.textContent.includes('sows'))
        window.movedAt ??= performance.now();
}).observe(document, {subtree: true, childList: true, characterData: true});"""
SMALLEST: Final = """() => Math.min(...[...document.querySelectorAll('body *')]
    .filter((each) => [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim())
        && each.getClientRects().length && !each.closest('.visually-hidden, noscript, .skip'))
    .map((each) => { const box = each.ownerSVGElement?.viewBox.baseVal;
        const shown = each.ownerSVGElement?.getBoundingClientRect();
        const scale = box?.width ? shown.width / box.width : 1;
        return scale * parseFloat(getComputedStyle(each).fontSize); }))"""


def addresses(url: str) -> list[str]:
    """Return the pages to measure: of the latest game, and of one thing of each other kind."""
    games = _api(url, "/games?limit=1&status=over")["games"]
    ladders = _api(url, "/ladders")["ladders"]
    found = [page.path for page in PAGES if "{" not in page.path] + ["/league/fox"]
    found += [f"/puzzles/{each['day']}" for each in _api(url, "/puzzles")["days"][:1]]
    for game in games:
        identity, (one, other) = game["game"], game["players"]
        found += [f"/games/{identity}", f"/games/{identity}/9", f"/games/{identity}?embed"]
        found += [f"/matches/{game['match']}", f"/bots/{one}", f"/bots/{one}/history"]
        found.append(f"/bots/{one}/vs/{other}")
    for ladder in ladders[:1]:
        found += [f"/ladders/{ladder['ladder']}", f"/ladders/{ladder['ladder']}/history"]
    for event in _api(url, "/events")["events"][:1]:
        found += [f"/events/{event['name']}", f"/events/{event['name']}/projector"]
    submitted = [
        *_api(url, "/elsewhere")["submissions"][:1],
        *_api(url, "/tests")["submissions"][:1],
    ]
    return found + [f"/elsewhere/{each['key']}" for each in submitted]


def measured(browser: Browser, url: str) -> dict[str, Any]:
    readings = [_read(browser, url, reading) for reading in READINGS]
    return {
        **readings[0]["visits"],
        "axe": sorted({each for reading in readings for each in reading["axe"]}),
        "least_contrast": min(reading["contrast"] for reading in readings),
        "smallest_text_px": min(reading["smallest"] for reading in readings),
        "shift": max(reading["shift"] for reading in readings),
        "too_wide": any(reading["wide"] for reading in readings),
    }


def _read(browser: Browser, url: str, options: dict[str, Any]) -> dict[str, Any]:
    context = browser.new_context(reduced_motion="reduce", **options)
    try:
        page = context.new_page()
        page.add_init_script(SHIFTS)
        first, again = _visit(page, url), _visit(page, url)
        page.wait_for_timeout(QUIET_MS)
        shift = page.evaluate("window.shifted")
        found = Axe().run(page, options={"runOnly": {"type": "tag", "values": list(RULES)}})
        ratios = [
            check["data"]["contrastRatio"]
            for rule in found.response["passes"] + found.response["violations"]
            if rule["id"] == "color-contrast"
            for node in rule["nodes"]
            for check in node["any"]
            if check["data"].get("contrastRatio")
        ]
        return {
            "visits": {"first": first, "again": again},
            "axe": [each["id"] for each in found.response["violations"]],
            "contrast": min(ratios),
            "smallest": round(page.evaluate(SMALLEST), 1),
            "shift": round(shift, 3),
            "wide": page.evaluate("document.documentElement.scrollWidth > innerWidth"),
        }
    finally:
        context.close()


def _visit(page: Page, url: str) -> dict[str, float]:
    began = time.perf_counter()
    page.goto(url)
    page.get_by_role("heading", level=1).wait_for()
    shown = time.perf_counter() - began
    sizes = page.evaluate(
        """() => [...performance.getEntriesByType('navigation'),
        ...performance.getEntriesByType('resource')].map((each) => each.transferSize)"""
    )
    return {
        "requests": sum(size > 0 for size in sizes),
        "kb": round(sum(sizes) / KB, 1),
        "ms": round(KB * shown),
    }


def moving_board_ms(browser: Browser, url: str, delay_ms: int) -> int:
    """Return the time until the first move on the home page's board, on a slow phone."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    try:
        page = context.new_page()
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        conditions = {**SLOW_NETWORK, "latency": delay_ms}
        session.send("Network.emulateNetworkConditions", conditions)
        session.send("Emulation.setCPUThrottlingRate", {"rate": SLOW_CPU})
        page.add_init_script(MOVED)
        page.goto(url, wait_until="commit")
        page.locator(".stage .said", has_text="sows").wait_for()
        return round(float(page.evaluate("window.movedAt")))
    finally:
        context.close()


def _api(url: str, path: str) -> Any:  # noqa: ANN401  # JSON
    with urllib.request.urlopen(f"{url}/api/v1{path}") as response:  # noqa: S310  # the user's server
        return json.load(response)


def main(url: Annotated[str, typer.Argument(help="The server's HTTP address.")]) -> None:
    """Print the figures of every page of a running server."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            found = {path: measured(browser, url + path) for path in addresses(url.rstrip("/"))}
            found["/"]["moving_board_ms"] = {
                delay_ms: moving_board_ms(browser, url, delay_ms) for delay_ms in DELAYS_MS
            }
        except URLError as error:
            console.fail(f"no server answers at {url}: {error.reason}")
        finally:
            browser.close()
    print(json.dumps(found, indent=1))  # noqa: T201


if __name__ == "__main__":
    typer.run(main)
