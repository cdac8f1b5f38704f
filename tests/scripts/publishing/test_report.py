"""The report of an event, as its reader sees it: in a browser, from a file, without a network."""

import re
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.async_api import Browser, expect

from mancala.scripts.publishing.report import time_by_move
from mancala.server.contest.headless.journal import EventJournal
from tests.scripts.commands.results import result_of
from tests.scripts.console.views.pages import reading
from tests.server.web.browser import barriers

pytestmark = pytest.mark.asyncio(loop_scope="module")

HEADINGS: Final = [
    "Standings",
    "Tie-breaks",
    "Lead",
    "Who is stronger",
    "One scale",
    "Each against each",
    "Openings",
    "Time",
    "Accuracy",
    "Games",
]
READINGS: Final = (
    {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
    {"viewport": {"width": 1280, "height": 900}, "forced_colors": "active"},
)
GAMES: Final = 12


@pytest.fixture(scope="module")
def event(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    place = tmp_path_factory.mktemp("event")
    report = place / "report.html"
    players = ("<b>bold</b>=random", "greedy", "captures")
    options = ("--rules", "kalah:pits=4,seeds=3", "--games", "4", "--seed", "2", "--review", "0.5")
    kept = ("--dir", str(place / "event"), "--report", str(report))
    result_of("tournament", *players, *options, *kept)
    return report, place / "event"


@pytest.mark.parametrize("options", READINGS, ids=["desk", "phone", "forced colours"])
async def test_the_report_has_every_table_and_chart(
    browser: Browser, event: tuple[Path, Path], options: dict[str, Any]
) -> None:
    """Each under its heading, in both colour schemes, with no barrier and no wider than a phone."""
    async with reading(browser, event[0], **options) as visit:
        page = visit.page
        await expect(page.get_by_role("heading", level=2)).to_have_text(HEADINGS)
        await expect(page.get_by_role("heading", level=1)).to_have_text("Round robin of 3")
        await expect(page.get_by_role("link", name="replay")).to_have_count(GAMES)
        for name in ("Score of the player who moves first", "Time of a move in ms"):
            await expect(page.get_by_role("img", name=name)).to_be_visible()
        assert await barriers(page) == []
        wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0


async def test_a_players_name_cannot_break_the_page(
    browser: Browser, event: tuple[Path, Path]
) -> None:
    """Names are text, whatever they contain."""
    async with reading(browser, event[0]) as visit:
        standings = visit.page.get_by_role("region", name="Standings")
        await expect(standings.get_by_role("cell", name="<b>bold</b>")).to_be_visible()
        await expect(visit.page.locator("td b")).to_have_count(0)


async def test_its_games_can_be_replayed_with_their_reviews(
    browser: Browser, event: tuple[Path, Path]
) -> None:
    """A game has the server's board and keys, an address of its own, and a way back."""
    async with reading(browser, event[0]) as visit:
        page = visit.page
        await page.get_by_role("link", name="replay").first.press("Enter")
        await expect(page.locator(".said")).to_contain_text("The opening.")
        await page.keyboard.press("ArrowRight")
        await expect(page.locator(".said")).to_contain_text("sows pit")
        assert re.search(r"#[^/]+/1$", page.url)
        await expect(page.get_by_text("Quality of play")).to_be_visible()
        assert await barriers(page) == []
        await page.reload()
        await expect(page.locator(".said")).to_contain_text("sows pit")
        await page.get_by_role("link", name="Next game →").click()
        await expect(page.locator(".said")).to_contain_text("The opening.")
        await page.get_by_role("link", name="← Round robin of 3").click()
        await expect(page.get_by_role("heading", name="Standings")).to_be_visible()


async def test_ticks_are_few_round_and_within_range(
    browser: Browser, event: tuple[Path, Path]
) -> None:
    """A person can read an axis: a few round numbers, none beyond its ends."""
    ranges = [(0, 1), (-800, 431), (-0.3, 0.2), (0, 36), (5, 5.0001)]
    async with reading(browser, event[0]) as visit:
        found = await visit.page.evaluate(
            """async (ranges) => { const { ticks } = (await import("packed.js")).$charts;
            return ranges.map(([low, high]) => ticks(low, high)); }""",
            ranges,
        )
    for (low, high), ticks in zip(ranges, found, strict=True):
        assert 3 <= len(ticks) <= 10
        assert all(low - 1e-9 <= tick <= high + 1e-9 for tick in ticks)


async def test_time_is_averaged_by_the_players_own_moves(event: tuple[Path, Path]) -> None:
    """A player's first value is its mean time for the first moves of its games."""
    kept = EventJournal(event[1])
    kept.close()
    used = time_by_move(kept.games.values())
    first_moves = []
    for game in kept.games.values():
        names = [player.name for player in game.record.players]
        if "greedy" not in names:
            continue
        seat = names.index("greedy")
        times = [move.elapsed_ms for move in game.record.moves if move.player == seat]
        first_moves.append(max(0.001, times[0] or 0.0))
    assert used["greedy"][0] == pytest.approx(sum(first_moves) / len(first_moves), abs=0.001)
