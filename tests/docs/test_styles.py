"""The style page in a browser: each theme beside the others, and every element in it."""

import re
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import expect

from docs.styles import QUERIES, SCHEMES, THEMES, themed, write
from mancala.server.web.static import files
from tests.scripts.console.views.pages import reading
from tests.server.web.browser import browsing

STYLE: Final = files()["style.css"].body.decode()
AROUND: Final = {
    *("bill", "boards", "embed", "halves", "heading", "languages", "links", "projector"),
    *("rules", "several", "stage", "stage-side", "table", "values"),
}
"""Classes that only place what others dress."""
GROUND: Final = "(body) => getComputedStyle(body).backgroundColor"
CLASSES: Final = "(all) => all.flatMap((each) => [...each.classList])"


async def test_it_shows_every_element_in_each_theme(tmp_path: Path) -> None:
    """A class that the style sheet dresses is somewhere on it; the frames' grounds differ."""
    path = tmp_path / "styles.html"
    write(path)
    rules = re.sub(r"/\*.*?\*/", "", STYLE, flags=re.DOTALL)
    dressed = {
        name
        for selector in re.findall(r"([^{}]+)\{", rules)
        for name in re.findall(r"\.([a-z][a-z0-9-]*)", selector)
    }
    async with browsing() as browser, reading(browser, path) as visit:
        grounds = set()
        for theme in THEMES:
            frame = visit.page.frame_locator(f'[title="{theme}"]')
            await expect(frame.get_by_role("heading", name="Charts")).to_be_visible()
            shown = await frame.locator("[class]").evaluate_all(CLASSES)
            assert dressed - {*shown} == AROUND
            grounds.add(await frame.locator("body").evaluate(GROUND))
        assert len(grounds) == len(THEMES)


@pytest.mark.parametrize("theme", THEMES)
def test_a_theme_is_that_of_the_style_sheet(theme: str) -> None:
    """Its rules hold whatever the browser's own theme is, and no other theme's do."""
    for text in (SCHEMES, *QUERIES.values()):
        assert STYLE.count(text) == 1
        assert text not in themed(STYLE, theme)
    assert themed(STYLE, theme).count("@media all") == (theme != "light")
