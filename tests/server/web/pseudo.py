"""A language for tests, in which each text of the catalogue stands in brackets.

What stands outside of them on a page is data, or a text that did not come from the catalogue.
"""

from typing import Final

from playwright.async_api import Page

BRACKETS: Final = """const parse = JSON.parse;
    const words = new Proxy({}, {get: (_words, key) =>
        `\u27e8${String(key).replace(/_(one|other|replay)$/, '')}\u27e9`});
    JSON.parse = (text) => { const found = parse(text);
        return found?.page ? {...found, words} : found; };"""
BARE: Final = """() => {
    const shown = document.querySelector('main').cloneNode(true);
    for (const each of shown.querySelectorAll('script, noscript, code, pre')) each.remove();
    const told = ['aria-label', 'title', 'placeholder', 'alt'];
    const texts = [...shown.querySelectorAll('*')].flatMap(
        (each) => told.map((name) => each.getAttribute(name) ?? ''));
    for (const each of shown.querySelectorAll('td, th, option, dt, dd, li')) each.append(' ');
    let text = [shown.textContent, ...texts].join(' ');
    for (let before = ''; before !== text;) {
        before = text;
        text = text.replace(/\u27e8[^\u27e8\u27e9]*\u27e9/g, ' ');
    }
    return text.match(/(?<![\\p{L}\\p{N}])\\p{L}{2,}(?![\\p{L}\\p{N}])/gu) ?? []; }"""


async def in_brackets(page: Page) -> None:
    await page.add_init_script(BRACKETS)


async def bare_words(page: Page) -> set[str]:
    return set(await page.evaluate(BARE))
