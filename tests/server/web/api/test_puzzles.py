"""Puzzles: which positions are, how hard they are, and how they and the lesson are answered."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, Route, expect

from mancala.protocol import codec
from mancala.protocol.record import GameRecord
from mancala.protocol.review import GameReview, ReviewedGame, ReviewWork, compose
from mancala.protocol.rules import Board
from mancala.server.model.review.reviews import ReviewKey
from mancala.server.model.schemas.analysis import DailyPuzzle
from mancala.server.store.reading.archive import Archive
from mancala.server.store.rows.reviews import offer_puzzle
from mancala.server.web.api.puzzles import Puzzles
from tests.patience import PATIENCE_S
from tests.server.store.builders import a_puzzle
from tests.server.web.browser import barriers, visiting
from tests.server.web.seen import Seen, seen

pytestmark = pytest.mark.asyncio(loop_scope="module")

START = Board.start()


def review(game: str) -> GameReview:
    """Return the review of a game without moves."""
    return compose(ReviewedGame(game, [START], [], None), ReviewWork((), 1, "t", 0))


DAYS = [DailyPuzzle(f"2026-11-{day}", day - 20, a_puzzle(f"d{day}")) for day in (22, 21)]


class ReviewedArchive:
    """An archive of reviewed games that are one puzzle each."""

    def __init__(self, *latest: ReviewKey) -> None:
        self.latest = list(latest)
        self.asked: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def latest_reviews(self, _limit: int) -> list[ReviewKey]:
        return self.latest

    async def review_if_any(self, game: str) -> GameReview | None:
        self.asked.append(game)
        await self.gate.wait()
        return None if game == "forgotten" else review(game)

    async def puzzles_until(self, day: str, _limit: int) -> list[DailyPuzzle]:
        """Return the puzzles of two days, as far as they have come."""
        return [each for each in DAYS if each.day <= day]

    async def record(self, game: str) -> GameRecord:
        return GameRecord(game, START.rules, (), START.state, ())  # type: ignore[arg-type]  # no players


@pytest_asyncio.fixture(loop_scope="module")
async def daily(tmp_path: Path) -> AsyncIterator[Seen]:
    async with seen(tmp_path) as looking:
        for each in reversed(DAYS):
            at = f"{each.day}T12:00:00.000+00:00"
            await looking.server.store.run(offer_puzzle, each.puzzle, at, at)
        yield looking


async def shown(puzzles: Puzzles) -> list[str]:
    return [each.game for each in (await puzzles.show("2026-11-21")).puzzles]


async def test_each_review_is_read_once_and_no_page_waits_for_new_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The former puzzles are shown meanwhile; a better review of a game is read."""
    module = "mancala.server.web.api.puzzles"
    monkeypatch.setattr(f"{module}.KEPT_S", 0.0)
    monkeypatch.setattr(f"{module}.puzzle_in", lambda found, *_: a_puzzle(found.game))
    monkeypatch.setattr(f"{module}.candidates", lambda found: [found])
    archive = ReviewedArchive(ReviewKey("a", 1, 0.5), ReviewKey("forgotten", 1, 0.5))
    puzzles = Puzzles(cast("Archive", archive))
    assert await shown(puzzles) == ["a"]
    archive.latest = [ReviewKey("b", 1, 0.5), ReviewKey("a", 1, 0.9), *archive.latest[1:]]
    archive.gate.clear()
    assert await shown(puzzles) == ["a"]
    archive.gate.set()
    await asyncio.gather(*(task for task in asyncio.all_tasks() if task.get_name() == "puzzles"))
    assert await shown(puzzles) == ["b", "a"]
    assert archive.asked == ["a", "forgotten", "b", "a"]


async def press(page: Page, pit: int) -> None:
    await page.get_by_role("button", name=f"South's pit {pit},").click()


async def test_the_puzzle_of_a_day_is_not_shown_before_it() -> None:
    """Tomorrow's is chosen already."""
    puzzles = Puzzles(cast("Archive", ReviewedArchive()))
    shown = await puzzles.show("2026-11-21")
    assert shown.latest == DAYS[1]
    assert [(each.day, each.number, each.level) for each in shown.days] == [("2026-11-21", 1, 2)]
    assert await puzzles.of_day("2026-11-22", "2026-11-21") is None
    assert await puzzles.of_day("2026-11-22", "2026-11-23") == DAYS[0]
    assert await puzzles.of_day("2026-11-23", "2026-11-23") is None


async def test_the_puzzle_of_a_day_has_an_address_a_picture_and_a_row_of_days(
    daily: Seen, browser: Browser
) -> None:
    """All see the same one; what was solved here is marked, and days in a row are counted."""
    url = daily.server.http_url or ""
    for kind in ("svg", "png"):
        picture = await daily.get(f"/puzzles/{DAYS[1].day}.{kind}", timeout=PATIENCE_S)
        assert picture.status_code == 200
    async with visiting(browser, url, reduced_motion="reduce", locale="en-GB") as tab:
        page = tab.page
        for day, number in (("21", 1), ("22", 2)):
            await page.goto(f"/puzzles/2026-11-{day}")
            head = f"Puzzle {number}: The puzzle of {day} Nov 2026"
            await expect(page.get_by_role("heading", level=2).first).to_have_text(head)
            await press(page, 3)
            await expect(page.locator(".said")).to_contain_text("Right.")
        await expect(page.get_by_text("2 days in a row!")).to_be_visible()
        await page.goto("/puzzles")
        await expect(page.get_by_role("heading", level=2).first).to_have_text(head)
        await expect(page.get_by_text("keeps the win, easy, solved")).to_have_count(2)
        image = page.locator("meta[property='og:image']")
        await page.get_by_role("link", name="Puzzle 1, 21 Nov 2026").click()
        await expect(image).to_have_attribute("content", f"{url}/puzzles/2026-11-21.png")
        assert await barriers(page) == []
        assert tab.complaints == []


async def test_a_wrong_answer_is_refuted_and_the_right_one_explained(
    played: Seen, browser: Browser
) -> None:
    """By their values; the next puzzle follows, and the list knows which were seen."""

    async def answer(route: Route) -> None:
        response = await route.fetch()
        found = codec.to_json([a_puzzle("a", 2), a_puzzle("b", 3)]).decode()
        body = (await response.text()).replace('{"puzzles":[]', f'{{"puzzles":{found}')
        await route.fulfill(response=response, body=body)

    url = played.url
    async with visiting(browser, url, reduced_motion="reduce") as tab:
        page = tab.page
        await page.route("**/puzzles", answer)
        await page.goto("/puzzles")
        said = page.locator(".said")
        await expect(said).to_contain_text("Only one move keeps the win")
        await press(page, 1)
        await expect(said).to_contain_text("Pit 1 gives the win away: ")
        await page.get_by_role("button", name="Show the answer").press("Enter")
        await expect(page.locator(".controls", has_text="The game")).to_be_focused()
        await expect(said).to_contain_text("+2, proven. Best play: South")
        await expect(page.get_by_text("easy, seen")).to_have_count(1)
        assert await barriers(page) == []
        await page.get_by_role("button", name="Next puzzle").press("Enter")
        await expect(said).to_contain_text("Only one move keeps the win")
        await expect(page.get_by_role("heading", name="Position b")).to_be_focused()
        assert tab.complaints == []


async def test_without_reviews_there_are_no_puzzles(played: Seen) -> None:
    """The list is empty, and no error."""
    assert await played.api("/puzzles") == {"puzzles": [], "latest": None, "days": []}


async def test_the_lesson_leads_over_six_boards_to_the_first_game(
    played: Seen, browser: Browser
) -> None:
    """A wrong pit is asked again; each board's right one opens the next."""
    async with visiting(browser, played.url, reduced_motion="reduce") as tab:
        page = tab.page
        await page.goto("/lesson")
        for pit in (1, 3, 3, 6, 4):
            await press(page, pit)
            await page.get_by_role("button", name="Next board").press("Enter")
            await expect(page.locator("p.quiet")).to_be_focused()
        await expect(page.get_by_text("Board 6 of 6")).to_be_visible()
        await press(page, 6)
        await expect(page.get_by_text("the opponent keeps the seeds")).to_be_visible()
        assert await barriers(page) == []
        await page.get_by_role("link", name="Play your first game").click()
        await expect(page).to_have_url(f"{played.server.http_url}/play?opponent=level-1")
        assert tab.complaints == []
