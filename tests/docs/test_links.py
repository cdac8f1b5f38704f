"""Links of documents that become pages."""

from pathlib import Path

import pytest

from docs.links import PAGES, to_pages
from tests.sources import ROOT


@pytest.mark.parametrize(
    ("link", "document", "page"),
    [
        ("[spec](protocol/SPEC.md)", "README.md", "[spec](protocol.md)"),
        (
            "[strength](../engine/STRENGTH.md#the-search)",
            "a/b.md",
            "[strength](strength.md#the-search)",
        ),
        ("[hosting](docs/hosting.md)", "README.md", "[hosting](hosting.md)"),
        ("[`sprt.py`](../server/rating/sprt.py)", "engine/STRENGTH.md", "`sprt.py`"),
        ("[search](#the-search)", "engine/STRENGTH.md", "[search](#the-search)"),
        ("[site](https://example.org/a.md)", "README.md", "[site](https://example.org/a.md)"),
    ],
)
def test_links_lead_to_pages(link: str, document: str, page: str) -> None:
    """A link to a page leads there, a link to a source file becomes text, others stay."""
    assert to_pages(link, Path(document)) == page


@pytest.mark.parametrize("document", PAGES)
def test_documents_that_are_pages_exist(document: str) -> None:
    """Each page includes the document that links to it stand for."""
    page = (ROOT / "docs" / PAGES[document]).read_text()
    assert f"include}} ../{document}" in page
    assert (ROOT / document).exists()
