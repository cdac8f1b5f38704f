"""The page of a rating."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from mancala.engine.yardstick import BASELINES
from mancala.protocol.loss import ProvenPosition
from mancala.protocol.messages import Reason
from mancala.scripts.commands.playing.rate import write_page
from mancala.server.contest.rate.answers import PositionAnswer
from mancala.server.contest.rate.rating import PlayerRating
from tests.scripts.console.views.pages import reading
from tests.server.web.browser import barriers

pytestmark = pytest.mark.asyncio(loop_scope="module")

VALUES = {0: 4, 1: -2, 2: 0}


def answer(number: int, phase: str, pit: int | None) -> PositionAnswer:
    position = ProvenPosition(
        number, phase, "<3,0,0,2,2,2,2,2,2>", VALUES, dict.fromkeys(BASELINES, (0, 1))
    )
    return PositionAnswer(position, pit, 1.5, Reason.TIMEOUT if pit is None else None)


async def test_the_page_shows_the_loss_in_each_phase_and_the_faults(
    tmp_path: Path, browser: Browser
) -> None:
    """A late answer counts as the worst move, and is named as what it was."""
    answers = [answer(0, "early", 0), answer(1, "early", 1), answer(2, "late", None)]
    report = tmp_path / "rating.html"
    write_page(PlayerRating("<me>", 1, asked=answers), report)
    async with reading(browser, report) as visit:
        opened = visit.page
        await expect(opened.get_by_role("heading", level=1)).to_have_text("How strong is <me>?")
        await expect(opened.locator("tbody td:first-child")).to_have_text(
            ["Early", "Late", "All", "<me>", *BASELINES, "3"]
        )
        loss = opened.get_by_role("region", name="Loss against perfect play")
        await expect(loss.get_by_role("img", name="33 % best moves")).to_be_visible()
        await expect(opened.get_by_role("cell", name="1 out of time")).to_be_visible()
        assert await barriers(opened) == []
