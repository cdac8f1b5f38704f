"""The words of the pages: each comes from the catalogue, and each language has them all."""

import re
import sys
from pathlib import Path
from typing import Final

import pytest
from starlette.requests import Request

from mancala.server import web
from mancala.server.web.languages import (
    ENGLISH,
    HOLE,
    IN_HTML,
    LANGUAGES,
    Catalogue,
    catalogues,
    keys_in,
    language_of,
)
from mancala.server.web.pages.captions import TEXTS
from mancala.server.web.pages.pages import PAGES
from mancala.server.web.pages.refusals import HEADINGS
from mancala.server.web.pages.shell import GAMES, NONE
from mancala.server.web.static import files
from tests.server.web.seen import Seen
from tests.sources import ROOT

OTHERS: Final = tuple(language for language in LANGUAGES if language != ENGLISH)
IN_ENGLISH_ONLY: Final = ("client.js", "notation.js", "report.js", "rules.js", "worker.js")
"""What is no page of a server: reports are files, and have no reader whose language is known."""
NAMES: Final = {
    *("Elo", "Kalah", "Buchholz", "Sonneborn-Berger"),
    *("Avalanche", "Congkak", "Mangala", "Oware"),
}
SENTENCE: Final = re.compile(r'(?<!\bt\()(?<!\brich\()"([A-Z][a-z]+\b[^"]*|[^"]* [^"]*[.…?!])"')
COMMENT: Final = re.compile(r"^\s*(//|/\*|\*|import|export \{).*$", re.MULTILINE)
SYNONYMS: Final = (
    *({"opponent", "opponents"}, {"wins", "won"}, {"a draw", "drawn"}),
    *({"from", "since"}, {"since", "start", "starts"}, {"start", "starts"}),
    *({"stage", "the stage"}, {"game", "the game", "games_number"}, {"games", "games with"}),
    *({"opening", "the opening"}, {"finished", "over"}, {"playing", "running"}),
    *({"in all", "totals"}, {"paired by", "pairing"}),
)
"""English words for one thing in two places, which a language may call the same."""
PLURALS: Final = {"ar": ("zero", "one", "two", "few", "many", "other")}
FEW: Final = ("one", "other")
"""The categories of the other languages; French and Spanish have one more, for millions."""


def scripts() -> dict[str, bytes]:
    return {
        name: file.body
        for name, file in files().items()
        if name.endswith(".js") and name not in IN_ENGLISH_ONLY
    }


def keys() -> set[str]:
    folder = Path(web.__file__).parent
    sources = [path.read_text() for path in sorted(folder.rglob("*.py"))]
    templates = [files()["index.html"].body.decode(), *sources]
    written = {
        found.replace("\\\n", "").replace("\\'", "'")
        for text in templates
        for found in IN_HTML.findall(text)
        if re.match(r"[A-Z][^\[\]]+$", found)
    }
    titles = {page.title for page in PAGES if HOLE.sub("", page.title)}
    used = {key for body in scripts().values() for key in keys_in(body)}
    return used | written | titles | {*HEADINGS.values(), *TEXTS, GAMES, NONE}


def entries(key: str, language: str) -> tuple[str, ...]:
    plurals = PLURALS.get(language, FEW)
    return tuple(f"{key}_{plural}" for plural in plurals) if "{{count}}" in key else (key,)


def test_captions_say_what_the_page_says() -> None:
    """A picture and the page tell of a game in the same sentences."""
    assert {key for body in scripts().values() for key in keys_in(body)} >= TEXTS


@pytest.mark.parametrize("language", OTHERS)
def test_each_language_has_every_text_and_no_other(language: str) -> None:
    """A text that is new, changed or gone is one in the catalogues, too."""
    wanted = {entry for key in keys() for entry in entries(key, language)}
    found = set(catalogues()[language].entries)
    contexts = {entry for entry in found if entry.rpartition("_")[0] in wanted}
    missing, unused = sorted(wanted - found), sorted(found - contexts - wanted)
    assert not missing, f"translate in server/web/languages/{language}.json: {missing}"
    assert not unused, f"no page has it; remove from {language}.json: {unused}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_text_has_the_values_of_its_key(language: str) -> None:
    """None is forgotten; only a number up to two may be said as a word."""
    for entry, text in catalogues()[language].entries.items():
        wanted, found = (set(HOLE.findall(each)) for each in (entry, text))
        missing = {"count"} if entry.endswith(("_zero", "_one", "_two")) else set[str]()
        assert wanted - missing <= found <= wanted, entry


def glossary() -> list[tuple[str, dict[str, list[str]], list[str]]]:
    """Return each term, its stems in each language, and the words that are not used for it."""
    text = (ROOT / "docs" / "glossary.md").read_text().partition("## In other languages")[2]
    lines = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    _head, _line, *rows = [[cell.strip() for cell in line] for line in lines]
    return [
        (
            term,
            dict(zip(OTHERS, (cell.split(", ") for cell in stems), strict=True)),
            unused.split(", "),
        )
        for term, *stems, unused in rows
    ]


@pytest.mark.parametrize("language", OTHERS)
def test_one_thing_has_one_word(language: str) -> None:
    """That of the glossary, in every text; "Mulde" was "Loch" elsewhere, "match" had two words."""
    for key, text in catalogues()[language].entries.items():
        asked, told = (HOLE.sub("", each).casefold().replace("i̇", "i") for each in (key, text))
        for term, stems, unused in glossary():
            if re.search(rf"\b{term}s?\b(?! =)", asked):
                assert any(stem.casefold() in told for stem in stems[language]), (key, text, term)
            for word in filter(None, {*unused} - {*map(str.casefold, stems[language])}):
                assert not re.search(rf"\b{word}s?\b", told), (key, text, word)


@pytest.mark.parametrize("language", OTHERS)
def test_one_word_has_one_meaning(language: str) -> None:
    """Short words that differ in English differ: a seeding was a sowing, a gauntlet a challenge."""
    heads: dict[str, set[str]] = {}
    for key, text in catalogues()[language].entries.items():
        if len(key.split()) <= 3 and "{{" not in key:
            heads.setdefault(text.casefold().rstrip("."), set()).add(key.casefold().rstrip("."))
    assert [same for same in heads.values() if len(same) > 1 and same not in SYNONYMS] == []


def test_english_has_a_singular_of_each_plural() -> None:
    """Other texts are their own keys."""
    wanted = {entry for key in keys() if "{{count}}" in key for entry in entries(key, ENGLISH)}
    english = catalogues()[ENGLISH].entries
    found = set(english)
    plurals = {key: text for key, text in english.items() if key.endswith("_other")}
    assert plurals == {f"{text}_other": text for text in plurals.values()}
    assert not wanted - found, f"add to server/web/languages/en.json: {sorted(wanted - found)}"
    assert not found - wanted, f"no page has it; remove from en.json: {sorted(found - wanted)}"


def test_no_module_has_a_sentence_of_its_own() -> None:
    """What a reader sees goes through the catalogue."""
    for name, body in scripts().items():
        bare = SENTENCE.findall(COMMENT.sub("", body.decode()))
        assert [text for text in bare if text.partition("(")[0] not in NAMES] == [], name


def test_a_text_is_filled_with_its_values_and_a_part_keeps_its_plurals() -> None:
    """Values take the places of their names; a page gets what its modules name, in all forms."""
    words = Catalogue("xx", {"a {{b}}": "{{b}} A", "n_one": "1", "n_other": "N", "z": "Z"})
    assert words.text("a {{b}}", b=3) == "3 A"
    assert words.text("unknown") == "unknown"
    assert words.html("<p>[[z]]</p>") == "<p>Z</p>"
    assert words.part(frozenset({"n"})) == {"n_one": "1", "n_other": "N"}


@pytest.mark.asyncio(loop_scope="module")
async def test_the_browser_chooses_the_language_unless_the_reader_does(played: Seen) -> None:
    """First what was chosen, now or before; then what the browser prefers; else English."""
    for wanted, query, cookie, language, word in (
        ("", "", "", "en", ">Ladders<"),
        ("it, pt;q=0.5", "", "", "en", ">Ladders<"),
        ("en;q=0.4, tr-TR", "", "", "tr", ">Ligler<"),
        ("ar-EG, fr", "", "", "ar", ">السلالم<"),
        ("tr", "", "es", "es", ">Clasificaciones<"),
        ("tr", "?lang=de", "es", "de", ">Ranglisten<"),
        ("tr", "?lang=xx", "", "tr", ">Ligler<"),
    ):
        headers = {"Accept-Language": wanted, "Cookie": f"lang={cookie}"}
        answer = await played.get(f"/ladders{query}", headers=headers)
        direction = "rtl" if language == "ar" else "ltr"
        assert f'<html lang="{language}" dir="{direction}">' in answer.text
        assert word in answer.text
        kept = "lang=de; HttpOnly; Max-Age=31536000; Path=/; SameSite=lax"  # for a year
        assert answer.headers.get("Set-Cookie") == (kept if query == "?lang=de" else None)
        assert {"Accept-Language", "Cookie"} <= set(answer.headers["Vary"].split(", "))


def test_a_long_cookie_is_not_looked_through_again_and_again() -> None:
    """Its quotes are not undone; that took Python seconds, and the choice needs none."""
    calls = 0

    def count(_frame: object, event: str, _arg: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    cookie = b'a="' + rb"\"" * 7000 + b"; lang=de"
    request = Request({"type": "http", "query_string": b"", "headers": [(b"cookie", cookie)]})
    sys.setprofile(count)
    try:
        assert language_of(request) == "de"
    finally:
        sys.setprofile(None)
    assert calls < 500


@pytest.mark.asyncio(loop_scope="module")
async def test_titles_and_refusals_are_in_the_readers_language(played: Seen) -> None:
    """The server's own words are those of the catalogue, too."""
    headers = {"Accept-Language": "de", "Accept": "text/html"}
    game = (await played.api("/games?limit=1"))["games"][0]["game"]
    page = await played.get(f"/games/{game}/3", headers=headers)
    assert "<title>bob gegen cid, Zug 3 · test</title>" in page.text
    missing = await played.get("/nowhere", headers=headers)
    assert "<h1>Hier ist nichts</h1>" in missing.text
