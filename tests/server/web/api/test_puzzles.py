"""Puzzles: which positions are, how hard they are, and how they and the lesson are answered."""

from __future__ import annotations

import asyncio
import json
from typing import Any, cast

import pytest
from playwright.async_api import Browser, Page, Route, expect

from mancala.protocol.messages import Assessment, MoveValue
from mancala.protocol.record import GameRecord
from mancala.protocol.review import GameReview, Result, ReviewedGame, ReviewWork, compose
from mancala.protocol.rules import Board
from mancala.server.model.reviews import ReviewKey
from mancala.server.store.reading.archive import Archive
from mancala.server.web.api.puzzles import Puzzles, best_moves, level_of, puzzle_of, puzzling
from tests.server.web.browser import barriers, visiting
from tests.server.web.seen import Seen

pytestmark = pytest.mark.asyncio(loop_scope="module")

START = Board.start()


def review(values: dict[int, float], played: int, depth: int | None = None) -> GameReview:
    """Return the review of a game of one move from the start, whose moves have these values."""
    moves = tuple(
        MoveValue(pit, value, None if pit else depth) for pit, value in sorted(values.items())
    )
    best = max(values, key=lambda pit: values[pit])
    found = (Assessment(ply=0, moves=moves, line=(best,)),)
    return compose(ReviewedGame("g", [START], [played], None), ReviewWork(found, 1, "t", 0))


ONE_WINS = {0: -2.0, 1: -4.0, 2: 6.0, 3: -2.0, 4: 0.0, 5: -8.0}


async def test_a_position_where_one_move_keeps_the_result_is_a_puzzle() -> None:
    """Not one where two do, where all is lost, or where a value is an estimate."""
    ply = puzzling(review(ONE_WINS, played=4))
    assert ply is not None
    assert (ply.best, ply.pit) == (2, 4)
    assert puzzling(review({**ONE_WINS, 5: 2.0}, played=4)) is None
    assert puzzling(review({**ONE_WINS, 2: -1.0, 4: -2.0}, played=4)) is None
    assert puzzling(review(ONE_WINS, played=4, depth=9)) is None


async def test_a_puzzle_shows_the_values_for_its_mover() -> None:
    """The board has the mover first, and the move of the game is named."""
    ply = puzzling(review(ONE_WINS, played=4))
    record = GameRecord("g", START.rules, (), START.state, ())  # type: ignore[arg-type]  # no players
    assert ply is not None
    found = puzzle_of(record, ply)
    assert (found.board, found.best, found.played) == (START.text, 2, 4)
    assert found.keeps is Result.WIN
    assert {move.pit: move.value for move in found.moves} == ONE_WINS


async def test_the_level_counts_the_searches_that_miss_the_move() -> None:
    """A capture is seen by one sowing; a pit that is as good as others is not found."""
    capture = Board.from_text("<6,0,0,1,0,0,0,0,1,2,2,2,2,9,2>")
    assert best_moves(capture, 1) == [0]
    assert level_of(capture, 0) < level_of(capture, 5) == 4


class ReviewedArchive:
    """An archive of reviewed games that are one puzzle each.

    Attributes:
        latest: its reviews.
        asked: the games whose review was asked for, in order.
        gate: what answers wait for.
    """

    def __init__(self, *latest: ReviewKey) -> None:
        self.latest = list(latest)
        self.asked: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def latest_reviews(self, _limit: int) -> list[ReviewKey]:
        """Return them."""
        return self.latest

    async def review(self, game: str) -> GameReview:
        """Return a review, unless it was forgotten."""
        self.asked.append(game)
        await self.gate.wait()
        if game == "forgotten":
            raise LookupError(game)
        return review(ONE_WINS, played=4)

    async def record(self, game: str) -> GameRecord:
        """Return a record."""
        return GameRecord(game, START.rules, (), START.state, ())  # type: ignore[arg-type]  # no players


async def shown(puzzles: Puzzles) -> list[str]:
    """Return the games of the puzzles shown."""
    return [each.game for each in (await puzzles.show()).puzzles]


async def test_each_review_is_read_once_and_no_page_waits_for_new_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The former puzzles are shown meanwhile; a better review of a game is read."""
    monkeypatch.setattr("mancala.server.web.api.puzzles.KEPT_S", 0.0)
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


def puzzle(game: str, best: int) -> dict[str, Any]:
    """Return a puzzle of the start, as the API writes it."""
    moves = [
        {"pit": pit, "value": 2.0 if pit == best else -3.0, "proven": True, "depth": None}
        for pit in range(6)
    ]
    return {
        "game": game,
        "ply": 0,
        "ended_at": "2026-11-21T12:00:00.000+00:00",
        "board": START.text,
        "rules": str(START.rules),
        "best": best,
        "played": 0,
        "line": [best],
        "keeps": "win",
        "level": 2,
        "moves": moves,
    }


async def press(page: Page, pit: int) -> None:
    """Press one of South's pits."""
    await page.get_by_role("button", name=f"South's pit {pit},").click()


async def test_a_wrong_answer_is_refuted_and_the_right_one_explained(
    played: Seen, browser: Browser
) -> None:
    """By their values; the next puzzle follows, and the list knows which were seen."""

    async def answer(route: Route) -> None:
        response = await route.fetch()
        found = json.dumps([puzzle("a", 2), puzzle("b", 3)])
        body = (await response.text()).replace('{"puzzles":[]}', f'{{"puzzles":{found}}}')
        await route.fulfill(response=response, body=body)

    url = played.server.http_url or ""
    async with visiting(browser, url, reduced_motion="reduce") as tab:
        page = tab.page
        await page.route("**/puzzles", answer)
        await page.goto("/puzzles")
        said = page.locator(".said")
        await expect(said).to_contain_text("Only one move keeps the win")
        await press(page, 1)
        await expect(said).to_contain_text("Pit 1 gives the win away: ")
        await page.get_by_role("button", name="Show the answer").click()
        await expect(said).to_contain_text("+2, proven. Best play: South")
        await expect(page.get_by_text("easy, seen")).to_have_count(1)
        assert await barriers(page) == []
        await page.get_by_role("button", name="Next puzzle").click()
        await expect(said).to_contain_text("Only one move keeps the win")
        assert tab.complaints == []


async def test_without_reviews_there_are_no_puzzles(played: Seen) -> None:
    """The list is empty, and no error."""
    assert await played.api("/puzzles") == {"puzzles": []}


async def test_the_lesson_leads_over_six_boards_to_the_first_game(
    played: Seen, browser: Browser
) -> None:
    """A wrong pit is asked again; each board's right one opens the next."""
    async with visiting(browser, played.server.http_url or "", reduced_motion="reduce") as tab:
        page = tab.page
        await page.goto("/lesson")
        for pit in (1, 3, 3, 6, 4):
            await press(page, pit)
            await page.get_by_role("button", name="Next board").click()
        await expect(page.get_by_text("Board 6 of 6")).to_be_visible()
        await press(page, 6)
        await expect(page.get_by_text("the opponent keeps the seeds")).to_be_visible()
        assert await barriers(page) == []
        await page.get_by_role("link", name="Play your first game").click()
        await expect(page).to_have_url(f"{played.server.http_url}/play?opponent=level-1")
        assert tab.complaints == []
