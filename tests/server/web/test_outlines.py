"""Each page is described: to those who hear it, and to those who run a server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from mancala.server.web.pages import PAGES
from tests.server.web.outlines import OUTLINES

HOSTING: Final = Path(__file__).parents[3] / "docs" / "hosting.md"
NAMED: Final = re.compile(r"`(/[^`?]*)")
PLACEHOLDER: Final = re.compile(r"\{[^}]*\}|\b[A-Z]{2,}\b")


def test_every_page_of_the_list_is_named_for_operators() -> None:
    """The table of addresses in the hosting document has each, with words for its parts."""
    rows = [line for line in HOSTING.read_text().splitlines() if line.startswith("| `/")]
    named = {PLACEHOLDER.sub("*", path) for row in rows for path in NAMED.findall(row)}
    missing = [page.path for page in PAGES if PLACEHOLDER.sub("*", page.path) not in named]
    assert missing == []


def test_every_module_of_a_page_has_an_outline() -> None:
    """What a screen reader finds is written down for a page of each module."""
    outlined = {
        page.module
        for page in PAGES
        for path in OUTLINES
        if re.fullmatch(re.sub(r"\{[^}]*\}", "[^/]+", page.path), path.partition("?")[0])
    }
    assert {page.module for page in PAGES} - outlined == set()
