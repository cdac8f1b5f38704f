"""The documentation under ``/docs``: its files and nothing else."""

import re
from base64 import b64encode
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path

import pytest
import pytest_asyncio

from mancala.server.web.pages.documentation import documentation_routes
from tests.server.web.seen import Seen, seen

SCRIPT = "document.body.dataset.theme = 'auto';"
together = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shown(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Seen]:
    """A server with two pages and a style, beside a file that must not be shown."""
    folder = tmp_path_factory.mktemp("documentation")
    pages = folder / "pages"
    (pages / "_static").mkdir(parents=True)
    (pages / "index.html").write_text(f"<title>Index</title><script>{SCRIPT}</script>")
    (pages / "tour.html").write_text("<title>Tour</title>")
    (pages / "tour.md").write_text("# Tour")
    (pages / "llms.txt").write_text("# Index")
    (pages / "_static" / "furo.css").write_text("body {}")
    (pages / "notes.secret").write_text("of no type that pages need")
    (folder / "secret.html").write_text("outside")
    (pages / "link.html").symlink_to(folder / "secret.html")
    async with seen(folder, docs=str(pages)) as looking:
        yield looking


@together
async def test_pages_and_styles_are_served(shown: Seen) -> None:
    """The index stands at the folder's own address; files below keep their types."""
    assert "<title>Index" in (await shown.get("/docs/")).text
    assert "<title>Tour" in (await shown.get("/docs/tour.html")).text
    style = await shown.get("/docs/_static/furo.css")
    assert style.headers["Content-Type"] == "text/css; charset=utf-8"
    tag = style.headers["ETag"]
    again = await shown.get("/docs/_static/furo.css", headers={"If-None-Match": tag})
    assert again.status_code == 304


@together
async def test_twins_in_markdown_are_served_as_text(shown: Seen) -> None:
    """A program that reads gets the pages without their HTML, and the list of them."""
    twin = await shown.get("/docs/tour.md")
    assert (twin.text, twin.headers["Content-Type"]) == ("# Tour", "text/markdown; charset=utf-8")
    listed = await shown.get("/docs/llms.txt")
    assert listed.headers["Content-Type"] == "text/plain; charset=utf-8"


@together
async def test_the_address_without_a_slash_leads_to_the_index(shown: Seen) -> None:
    """Links between pages are relative, so the browser is sent to the folder."""
    response = await shown.get("/docs")
    assert response.status_code == 307
    assert response.headers["Location"] == "docs/"


@together
@pytest.mark.parametrize(
    "path",
    [
        "/docs/%2e%2e/secret.html",
        "/docs/..%2fsecret.html",
        "/docs/_static/%2e%2e/%2e%2e/secret.html",
        "/docs//etc/passwd",
        "/docs/link.html",
        "/docs/notes.secret",
        "/docs/missing.html",
        "/docs/_static",
    ],
)
async def test_no_path_leads_to_another_file(shown: Seen, path: str) -> None:
    """What is no page of the folder is not found, however its path is written."""
    response = await shown.get(path)
    assert response.status_code == 404
    assert "outside" not in response.text


@together
async def test_a_page_may_run_its_own_scripts_and_no_others(shown: Seen) -> None:
    """The policy names the inline scripts that stood in the file, by their hashes."""
    index = (await shown.get("/docs/")).headers
    tour = (await shown.get("/docs/tour.html")).headers
    source = f"'sha256-{b64encode(sha256(SCRIPT.encode()).digest()).decode()}'"
    assert f"script-src 'self' {source};" in index["Content-Security-Policy"]
    assert "script-src 'self';" in tour["Content-Security-Policy"]
    assert index["X-Content-Type-Options"] == "nosniff"


@together
async def test_nothing_can_be_written(shown: Seen) -> None:
    """Other methods than GET and HEAD are refused."""
    assert (await shown.http.put("/docs/tour.html", content="x")).status_code == 405


def test_a_folder_without_pages_has_no_routes(tmp_path: Path) -> None:
    """A server whose documentation was not rendered shows none."""
    assert documentation_routes(tmp_path / "missing") == []
    assert documentation_routes(tmp_path) == []


async def test_without_rendered_pages_the_packages_own_documents_are_listed(tmp_path: Path) -> None:
    """The address in the footer of every page leads somewhere, and so does each of its links."""
    async with seen(tmp_path, docs=str(tmp_path / "missing")) as looking:
        assert (await looking.get("/docs")).headers["Location"] == "docs/"
        index = (await looking.get("/docs/")).text
        for path in re.findall('<a href="(/[^"]*)"', index):
            assert (await looking.get(path)).status_code == 200, path
        protocol = await looking.get("/docs/protocol.md")
        assert "mancala.v1" in protocol.text
