"""The analysis board, and hints, with an analyst that says what a test wants."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, Route, expect

from mancala.protocol.rules import Board, Rules
from tests.server.web.browser import barriers, visiting
from tests.server.web.seen import seen

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module")
async def page(tmp_path: Path, browser: Browser) -> AsyncIterator[Page]:
    """A tab whose analyst finds pit N worth N, and is busy at the first question."""
    answers = 0

    async def answer(route: Route) -> None:
        nonlocal answers
        answers += 1
        given = parse_qs(urlsplit(route.request.url).query)
        board = Board.from_text(given["board"][0], Rules.parse(given["rules"][0]))
        moves = [
            {
                "pit": pit,
                "value": float(pit),
                "proven": pit % 2 == 0,
                "depth": 9 if pit % 2 else None,
            }
            for pit in board.legal()
        ]
        best = moves[-1]
        found = {**best, "best": best["pit"], "line": [best["pit"]], "moves": moves}
        body = found if answers > 1 else {"error": {"code": "busy", "message": "busy"}}
        await route.fulfill(body=json.dumps(body), status=200 if answers > 1 else 503)

    async with (
        seen(tmp_path) as club,
        visiting(browser, club.url, reduced_motion="reduce") as visit,
    ):
        await visit.page.route("**/api/v1/analysis?**", answer)
        yield visit.page
        assert [each for each in visit.complaints if "503" not in each] == []


async def test_all_moves_of_a_position_are_valued_best_first(page: Page) -> None:
    """What is proven is marked, and the best move has an arrow; every visitor may ask."""
    await page.goto("/analysis?board=<6,5,3,0,1,0,6,7,8,0,4,3,4,6,1>")
    await expect(page.locator("tbody tr")).to_have_text(
        ["Pit 6+5depth 9", "Pit 5+4proven", "Pit 4+3depth 9", "Pit 2+1depth 9"]
    )
    await expect(page.locator(".arrow.best")).to_have_count(1)
    assert await barriers(page) == []
    await page.get_by_role("button", name="Pit 6", exact=True).press("Enter")
    await expect(page.get_by_text("North is to move.")).to_be_visible()
    await expect(page.locator(".values")).to_be_focused()


async def test_variations_are_sown_and_taken_back_and_the_address_is_the_position(
    page: Page,
) -> None:
    """A sowing changes the address; going back, or opening it anew, shows the position.

    Who goes by keys stays near: a pit leads to the one opposite, a way that ends to the moves.
    """
    await page.goto("/analysis")
    await page.get_by_role("button", name="South's pit 3, 4 seeds").press("Enter")
    await expect(page.locator(".variation")).to_have_text("Sown: South 3")
    assert "%3C6%2C1%2C0%2C4%2C4%2C0%2C5%2C5%2C5" in page.url
    await page.get_by_role("button", name="South's pit 1, 4 seeds").press("Enter")
    await expect(page.locator(".variation")).to_have_text("Sown: South 3-1")
    await expect(page.get_by_text("North is to move.")).to_be_visible()
    await expect(page.get_by_role("button", name="North's pit 6, 4 seeds")).to_be_focused()
    moved = page.url
    await page.goto(moved)
    await expect(page.get_by_text("North is to move.")).to_be_visible()
    await page.go_back()
    back = page.get_by_role("button", name="Take back")
    await back.press("Enter")
    await expect(page.get_by_role("button", name="South's pit 1, 4 seeds")).to_be_enabled()
    await back.press("Enter")
    await expect(page.get_by_role("region", name="Moves of the study")).to_be_focused()


async def test_the_rules_of_the_address_are_analysed(page: Page) -> None:
    """Also a mix without a name of its own: once it was analysed as plain Kalah."""
    await page.goto("/analysis?board=<2,9,0,1,1,1,1>&rules=kalah:majority=true")
    await expect(page.get_by_text("The game is over, 9 : 0.")).to_be_visible()
    await expect(page.get_by_label("Rules")).to_have_value("kalah:majority=true")
    await page.get_by_label("Rules").select_option("kalah")
    await expect(page.get_by_text("South is to move.")).to_be_visible()
    for text, pits in (("congkak", 7), ("kalah:pits=3,seeds=7", 3)):  # and the start is theirs
        await page.goto(f"/analysis?rules={text}")
        await expect(
            page.get_by_role("button", name=f"South's pit {pits}, 7 seeds")
        ).to_be_visible()
        await expect(page.get_by_role("button", name="South's pit", exact=False)).to_have_count(
            pits
        )
    await page.goto("/analysis?rules=kalah:backwards=true")
    await expect(page.get_by_text("does not know the rules kalah:backwards=true")).to_be_visible()


async def test_a_position_is_set_up_by_clicks_and_by_text(page: Page) -> None:
    """Clicks add and take seeds; a text replaces all, and nonsense is named as such."""
    await page.goto("/analysis?board=<3,0,0,2,2,2,2,2,2>")
    await page.get_by_label("A click on a pit").select_option("add")
    await page.get_by_role("button", name="North's pit 2, 2 seeds").click()
    await expect(page.get_by_label("Board", exact=True)).to_have_value("<3,0,0,2,2,2,2,3,2>")
    await page.get_by_label("Board", exact=True).fill("<2,1,1,0,3,1,1>")
    await page.get_by_role("button", name="Show", exact=True).click()
    await expect(page.get_by_role("button", name="South's pit 2, 3 seeds")).to_be_visible()
    await page.get_by_label("Board", exact=True).fill("<2,1>")
    await page.get_by_role("button", name="Show", exact=True).click()
    await expect(page.get_by_text("That is no board")).to_be_visible()


async def test_variations_become_a_tree_and_its_link_a_study(page: Page) -> None:
    """Another move from the same position is a variation; the address opens all of it anew."""
    await page.goto("/analysis")
    tree = page.get_by_role("region", name="Moves of the study")
    await page.get_by_role("button", name="South's pit 3, 4 seeds").click()
    await page.get_by_role("button", name="South's pit 6, 5 seeds").click()
    await page.get_by_label("A note on this position").fill("gives two seeds away")
    await page.get_by_label("A note on this position").press("Tab")
    await page.get_by_role("button", name="Take back").click()
    await page.get_by_role("button", name="South's pit 1, 4 seeds").click()
    await expect(tree).to_have_text("South3South6gives two seeds awaySouth1")
    await page.goto(page.url)
    await expect(tree).to_have_text("South3South6gives two seeds awaySouth1")
    await expect(tree.locator("[aria-current]")).to_have_text("1")
    await page.get_by_role("button", name="Make it the main line").click()
    await expect(tree).to_have_text("South3South1South6gives two seeds away")
    assert parse_qs(urlsplit(page.url).query)["study"][0].endswith(">3.1(6{gives two seeds away})")
    await page.keyboard.press("ArrowLeft")
    await page.keyboard.press("ArrowLeft")
    await expect(page.get_by_role("button", name="Take back")).to_be_disabled()
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("ArrowRight")
    await expect(page.locator(".variation")).to_have_text("Sown: South 3-1")
    await page.get_by_role("button", name="Delete from here").click()
    await expect(tree).to_have_text("South36gives two seeds away")
    assert await barriers(page) == []


@pytest.mark.parametrize("text", ["<2,1>1", "<2,0,0,1,1,1,1>9", "<2,0,0,1,1,1,1>1(", "nothing"])
async def test_a_study_that_cannot_be_played_is_named_as_such(page: Page, text: str) -> None:
    """A board, a move or a bracket that is wrong: nothing of it is shown."""
    await page.goto(f"/analysis?board=<2,0,0,1,1,1,1>&study={quote(text)}")
    await expect(page.get_by_text("That is no study of this board.")).to_be_visible()


async def test_a_game_is_analysed_with_all_its_moves(page: Page) -> None:
    """As far as the position it was left at; from there, variations can be sown."""
    study = "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>3.6.1"
    await page.goto(f"/analysis?board=<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>&study={study}&at=3.6")
    await expect(page.locator(".variation")).to_have_text("Sown: South 3-6")
    await page.keyboard.press("ArrowRight")
    await expect(page.locator(".variation")).to_have_text("Sown: South 3-6, North 1")
