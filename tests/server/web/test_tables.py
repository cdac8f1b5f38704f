"""Tables on a phone: which columns are shown, and where names go on in the next line."""

from typing import Any, Final

import pytest
from playwright.async_api import Browser

from tests.server.web.browser import Tab, visiting
from tests.server.web.seen import Seen

pytestmark = pytest.mark.asyncio(loop_scope="module")

PHONE: Final[dict[str, Any]] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
SHOW: Final = """async ([module, names]) => {
    const { h, nameCell, number, table } = await import(module);
    const figures = () => Array(9).fill(12345678).map(number);
    const rows = names.map((name) => h('tr', {}, nameCell(name), ...figures()));
    const shown = table('Names', ['Bot', ...Array(9).fill('#Points')], rows);
    document.querySelector('main').replaceChildren(h('section', { class: 'card' }, shown));
}"""
HEADS: Final = """async (module) => {
    const { h, table } = await import(module);
    const row = h('tr', {}, h('td'), h('td'), h('td'));
    const shown = table('', ['Bot', '~#Games', '~~#Rank range'], [row]);
    document.querySelector('main').replaceChildren(shown);
}"""
LINES: Final = """() => [...document.querySelectorAll('td.name')].map((cell) => {
    const [lines, range] = [[], document.createRange()];
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let top = null, text = texts.nextNode(); text; text = texts.nextNode()) {
        [...text.data].forEach((letter, at) => {
            range.setStart(text, at);
            range.setEnd(text, at + 1);
            const box = range.getBoundingClientRect();
            if (top === null || box.top > top + box.height / 2) lines.push('');
            top = box.top;
            lines[lines.length - 1] += letter;
        });
    }
    return lines;
})"""
MOVED: Final = """(place) => {
    place.scrollLeft = 999;
    const name = place.querySelector('tbody td');
    const { left, top } = name.getBoundingClientRect();
    return [place.scrollLeft > 0, document.elementFromPoint(left + 5, top + 5) === name];
}"""
ABOUT: Final = """async ([module, result]) => {
    const { about } = await import(module);
    const players = [{ name: 'ann' }, { name: 'bob' }];
    const shown = about({ players, rules: { pits: 6, seeds: 4 }, result });
    return shown.map((each) => each.textContent);
}"""
BROKEN: Final = (
    ["transposition_", "search"],
    ["Kalah-", "Champion-of-", "Aachen"],
    ["Minimax", "Of", "The", "Second", "Year"],
    ["alphabeta", "@1.0.0"],
)


async def showing(tab: Tab, *names: str) -> None:
    await tab.page.goto("/bots")
    await tab.page.get_by_role("table").wait_for()
    await tab.page.evaluate(SHOW, [await tab.module("dom.js"), list(names)])


async def test_names_go_on_between_their_words(played: Seen, browser: Browser) -> None:
    """Before a version, after a sign, and where a capital begins a word."""
    async with visiting(browser, played.url, **PHONE) as tab:
        await showing(tab, *("".join(pieces) for pieces in BROKEN))
        words = [set(pieces) for pieces in BROKEN]
        for lines, pieces in zip(await tab.page.evaluate(LINES), words, strict=True):
            assert all(_is_made_of(line, pieces) for line in lines), lines


def _is_made_of(line: str, pieces: set[str]) -> bool:
    return not line or any(
        line.startswith(piece) and _is_made_of(line[len(piece) :], pieces) for piece in pieces
    )


async def test_a_name_without_words_goes_on_where_the_column_ends(
    played: Seen, browser: Browser
) -> None:
    """The longest name that a bot may have leaves room for its figures."""
    async with visiting(browser, played.url, **PHONE) as tab:
        await showing(tab, "x" * 48)
        assert await tab.page.locator("td.name").evaluate("(cell) => cell.clientWidth") < 195


async def test_the_name_stays_while_a_table_is_moved_sideways(
    played: Seen, browser: Browser
) -> None:
    """A figure at the far end of a row still has its name beside it."""
    async with visiting(browser, played.url, **PHONE) as tab:
        await showing(tab, "ann", "bob")
        assert await tab.page.locator(".scroll").evaluate(MOVED) == [True, True]


async def test_a_phone_is_spared_the_columns_that_are_told_elsewhere(
    played: Seen, browser: Browser
) -> None:
    """Moves and time stand on the game's page; a wide screen shows them."""
    async with visiting(browser, played.url, **PHONE) as tab:
        await tab.page.goto("/games")
        heads = tab.page.get_by_role("columnheader")
        assert await heads.all_inner_texts() == ["Game", "First", "Second", "Result"]
        await tab.page.set_viewport_size({"width": 1280, "height": 900})
        wide = ["Game", "First", "Second", "Result", "Moves", "Started"]
        assert await heads.all_inner_texts() == wide


async def test_a_tablet_is_spared_fewer_columns(played: Seen, browser: Browser) -> None:
    """So that it breaks no name into three lines."""
    async with visiting(browser, played.url, **PHONE) as tab:
        await showing(tab)
        await tab.page.evaluate(HEADS, await tab.module("dom.js"))
        for width, heads in (
            (390, ["Bot"]),
            (768, ["Bot", "Games"]),
            (1280, ["Bot", "Games", "Rank range"]),
        ):
            await tab.page.set_viewport_size({"width": width, "height": 900})
            assert await tab.page.get_by_role("columnheader").all_inner_texts() == heads


async def test_no_table_is_cut_on_paper(played: Seen, browser: Browser) -> None:
    """On a sheet of A4, whose margins leave 718 pixels, all columns are there."""
    async with visiting(browser, played.url, viewport={"width": 718, "height": 1050}) as tab:
        await tab.page.emulate_media(media="print")
        for path in ("/games", "/bots", "/bots/ann"):
            await tab.page.goto(path)
            await tab.page.get_by_role("table").first.wait_for()
            beyond = await tab.page.locator(".scroll").evaluate_all(
                "(all) => all.map((each) => each.scrollWidth - each.clientWidth)"
            )
            assert max(beyond) <= 0, path


async def test_what_a_page_does_not_know_of_a_result_is_listed_by_its_name(
    played: Seen, browser: Browser
) -> None:
    """A field that results get is shown before the page has words for it."""
    (game, *_) = (await played.api("/games"))["games"]
    async with visiting(browser, played.url) as tab:
        await tab.page.goto(f"/games/{game['game']}")
        result = {"winner": 0, "stores": [25, 23], "reason": "normal", "weather": "rain"}
        shown = await tab.page.evaluate(ABOUT, [await tab.module("replay.js"), result])
    assert shown[shown.index("weather") + 1] == "rain"
    assert "reason" not in shown
