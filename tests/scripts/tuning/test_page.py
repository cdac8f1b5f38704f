"""The page of a run of ``mancala tune --play``."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from mancala.engine.tuning.cmaes_tuner import Generation, Parameter, ParameterPlace, Trial
from mancala.scripts.tuning.page import page
from tests.scripts.console.views.pages import reading

PARAMETERS = (Parameter("tempo", -1.0, 1.0, 0.0, 1 / 64, ParameterPlace.WEIGHTS),)

pytestmark = pytest.mark.asyncio(loop_scope="module")


def generation(number: int) -> Generation:
    trials = (Trial((0.5,), ((3, -1), (2, 8))), Trial((-0.25,), ((-3, -1), (0, 0))))
    return Generation(number, trials)


async def test_a_page_can_be_read_from_the_first_generation_on(
    tmp_path: Path, browser: Browser
) -> None:
    """One point is a chart, too; a browser that is left open looks again."""
    text = page("mancala tune --play <now>", PARAMETERS, [generation(0)], None)
    assert 'http-equiv="refresh"' in text
    report = tmp_path / "tuning.html"
    report.write_text(text, encoding="utf-8")
    async with reading(browser, report) as visit:
        said = visit.page.get_by_text("Generations so far: 1. mancala tune --play <now>")
        await expect(said).to_be_visible()
        await expect(visit.page.get_by_role("img", name="generation 0: 0.07")).to_be_visible()


async def test_a_page_grows_with_the_generations(tmp_path: Path, browser: Browser) -> None:
    """Each course has a point a generation."""
    report = tmp_path / "tuning.html"
    text = page("mancala tune --play", PARAMETERS, [generation(n) for n in range(5)], None)
    report.write_text(text, encoding="utf-8")
    async with reading(browser, report) as visit:
        course = visit.page.get_by_role("img", name="tempo 4: 0.13 ± 0.38")
        points = await course.locator("polyline").get_attribute("points")
        assert len((points or "").split()) == 5
