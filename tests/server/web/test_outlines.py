"""Each page is described: to those who hear it, and to those who run a server."""

import re
from pathlib import Path
from typing import Final

from mancala.server import web
from mancala.server.web.pages.pages import PAGES
from mancala.server.web.static import files
from tests.server.web.outlines import OUTLINES
from tests.sources import ROOT

HOSTING: Final = ROOT / "docs" / "hosting.md"
NAMED: Final = re.compile(r"`(/[^`?]*)")
LINK: Final = re.compile(r"""(?:link\(|href[:=] ?)["'`](/[a-z-]*)["'`]""")
BY_ADDRESS: Final = {"/stage"}
"""For a wall: the organiser opens it by its address."""
PLACEHOLDER: Final = re.compile(r"\{[^}]*\}|\b[A-Z]{2,}\b")


def test_every_page_of_the_list_is_named_for_operators() -> None:
    """The table of addresses in the hosting document has each, with words for its parts."""
    rows = [line for line in HOSTING.read_text().splitlines() if line.startswith("| `/")]
    named = {PLACEHOLDER.sub("*", path) for row in rows for path in NAMED.findall(row)}
    missing = [page.path for page in PAGES if PLACEHOLDER.sub("*", page.path) not in named]
    assert not missing, f"name under `What the server shows` in docs/hosting.md: {missing}"


def test_every_page_is_linked_from_another() -> None:
    """One can come to it by following links, and need not know its address."""
    folder = Path(web.__file__).parent
    modules = [body.body.decode() for body in files().values()]
    sources = [*modules, *(path.read_text() for path in folder.rglob("*.py"))]
    linked = {path for text in sources for path in LINK.findall(text)}
    missing = [page.path for page in PAGES if "{" not in page.path and page.path not in linked]
    assert not set(missing) - BY_ADDRESS, f"no page has a link to it: {missing}"


def test_every_page_of_the_list_has_an_outline_and_a_title_of_its_own() -> None:
    """What a screen reader finds is written down for each, and tabs can be told apart."""
    patterns = {page.path: re.sub(r"\{[^}]*\}", "[^/]+", page.path) for page in PAGES}
    shown = {
        path: [found for found in OUTLINES if re.fullmatch(patterns[path], found)]
        for path in patterns
    }
    missing = [path for path, found in shown.items() if not found]
    assert not missing, f"add each to tests/server/web/outlines.py: {missing}"
    assert len({page.title for page in PAGES}) == len(PAGES)
