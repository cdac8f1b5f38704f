"""A person in the browser, with real processes: a game against a level by keyboard."""

import asyncio
import re
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Locator, Page, expect

from mancala.protocol.rules import KALAH, Board, State
from tests.end_to_end.arena import hosted
from tests.patience import WALK_S
from tests.server.web.browser import browsing, visiting

SETTINGS: Final = """
http_port = 0
[play]
levels = true
[reviewers]
house = 1
seconds = 0.5
"""
NAME: Final = "eve"
LEVEL: Final = "Level 9, Baobab"
"""One that does not lose to a player who gives seeds away; level 3 does, now and then."""
RELOAD_AT: Final = 3
HINT_AT: Final = 1
MOST_TURNS: Final = 200
MOST_STOPS: Final = 60
"""Stops of the tabulator on a page."""
SIDE: Final = re.compile(r"pits ([0-9, ]+), store ([0-9]+)")


async def test_a_person_plays_a_level_by_keyboard_and_reads_what_lost(tmp_path: Path) -> None:
    """With a reload in the middle and a hint; the review names the losing move afterwards."""
    async with (
        asyncio.timeout(WALK_S),
        hosted(tmp_path, SETTINGS) as host,
        browsing() as browser,
        visiting(browser, host.arena.http or "", reduced_motion="reduce") as visit,
    ):
        page = visit.page
        await choose_level(page)
        turns = await lose(page)
        assert turns > RELOAD_AT
        await expect(page.locator(".said")).to_contain_text("You lose")
        lost = re.compile(r"^You let the (win|draw) go at move \d+: pit \d instead of pit \d")
        reason = page.locator(".losing").get_by_role("link", name=lost)
        await expect(reason).to_be_visible()
        await tab_to(page, reason)
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("losing move:")).to_be_visible()
        await expect(page.locator(".arrow.best")).to_have_count(1)
        # 503 while the analyst starts.
        assert [each for each in visit.complaints if "503" not in each] == []


async def choose_level(page: Page) -> None:
    await page.goto("/play")
    levels = page.get_by_role("option", name=LEVEL, exact=True)
    while not await levels.count():  # the levels are connecting
        await page.reload()
        await expect(page.get_by_role("heading", name="Play", exact=True)).to_be_visible()
    await tab_to(page, page.locator("select[name=opponent]"))
    await page.keyboard.type(LEVEL)
    await tab_to(page, page.get_by_label("Your name"))
    await page.keyboard.press("Control+A")
    await page.keyboard.type(NAME)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name=f"{NAME} against {LEVEL}")).to_be_visible()


async def lose(page: Page) -> int:
    ended = page.get_by_role("button", name="Rematch")
    question = page.locator("button.pit[aria-disabled=false]").first
    for turn in range(MOST_TURNS):
        await expect(ended.or_(question)).to_be_visible()
        if await ended.is_visible():
            return turn
        await expect(page.locator(".said")).to_contain_text("Your turn.")
        if turn == HINT_AT:
            await ask_for_a_hint(page)
        board = await board_of(page)
        if turn == RELOAD_AT:
            await page.reload()
            await expect(question).to_be_visible()
            assert await board_of(page) == board
        await page.keyboard.press(str(most_generous(board) + 1))
        await expect(page.locator(".board")).not_to_have_attribute("aria-label", text_of(board))
    pytest.fail("the game has no end")


async def ask_for_a_hint(page: Page) -> None:
    await tab_to(page, page.get_by_role("button", name="Hint"))
    await page.keyboard.press("Enter")
    await expect(page.locator(".said")).to_contain_text(re.compile(r"Hint: pit \d, "))
    await expect(page.locator(".arrow.best")).to_have_count(1)


async def board_of(page: Page) -> Board:
    """Return the position that a screen reader tells; the person moves first, and is to move."""
    told = await page.locator(".board").get_attribute("aria-label") or ""
    sides = SIDE.findall(told)
    first, second = (tuple(map(int, pits.split(", "))) for pits, _ in sides)
    stores = (int(sides[0][1]), int(sides[1][1]))
    return Board.from_state(State((first, second), stores, 0), KALAH)


def text_of(board: Board) -> str:
    first, second = (
        f"{name}: pits {', '.join(map(str, board.pits[seat]))}, store {board.stores[seat]}"
        for seat, name in enumerate((NAME, LEVEL))
    )
    return f"{first}. {second}. {NAME} to move."


def most_generous(board: Board) -> int:
    """Return the pit after which the opponent holds the most seeds."""

    def given(pit: int) -> int:
        after = board.sow(pit).board
        return after.stores[1] + sum(after.pits[1])

    return max(board.legal(), key=given)


async def tab_to(page: Page, wanted: Locator) -> None:
    await expect(wanted).to_be_visible()
    for _ in range(MOST_STOPS):
        if await wanted.evaluate("(each) => each === document.activeElement"):
            return
        await page.keyboard.press("Tab")
    pytest.fail(f"the tabulator does not reach {wanted}")
