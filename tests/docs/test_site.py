"""The documentation as pages: HTML, Markdown twins, a list for language models, versions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs import site


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a site with this version, which renders without a warning, and an earlier one."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "0.9").mkdir()
    site.render_version(folder)
    return folder


def pages(rendered: Path) -> Path:
    """Return the folder of this version."""
    (found,) = (path for path in rendered.glob("*.*/") if path.name != "0.9")
    return found


def test_the_pages_show_what_the_documents_say(rendered: Path) -> None:
    """The readme is a page with its title, and links to its twin and to the other versions."""
    tour = (pages(rendered) / "tour.html").read_text()
    assert "A bot in fifteen lines" in tour
    assert 'type="text/markdown" href="tour.md"' in tour
    assert 'href="./../index.html">Other versions' in tour


def test_each_page_has_a_twin_in_markdown(rendered: Path) -> None:
    """With the references that are written from the code, and pictures that are there."""
    folder = pages(rendered)
    generated = {"genindex", "py-modindex", "search"}
    names = {path.stem for path in folder.glob("*.html")} - generated
    assert {path.stem for path in folder.glob("*.md")} == names
    assert "## `mancala analyze`" in (folder / "commands.md").read_text()
    assert "legal()" in (folder / "library.md").read_text()
    twins = [(folder / name).read_text() for name in ("classroom.md", "tour.md")]
    pictures = [path for twin in twins for path in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", twin)]
    assert len(pictures) > 3
    assert all((folder / picture).exists() for picture in pictures)


def test_language_models_find_every_page(rendered: Path) -> None:
    """Their list has each page once, with its title and first sentence."""
    folder = pages(rendered)
    text = (folder / "llms.txt").read_text()
    assert text.startswith("# Mancala Arena\n\n> Mancala Arena lets programs play mancala")
    linked = re.findall(r"^- \[.+\]\((.+)\): .+[.:]$", text, re.MULTILINE)
    assert sorted(linked) == sorted(
        path.name for path in folder.glob("*.md") if path.stem != "index"
    )


def test_the_newest_version_is_listed_first(rendered: Path) -> None:
    """Versions that were rendered before stay, and are listed after it."""
    listed = re.findall(r'<a href="(.+?)/index.html">', (rendered / "index.html").read_text())
    assert listed == [pages(rendered).name, "0.9"]


def test_a_page_without_a_title_is_refused(tmp_path: Path) -> None:
    """The list for language models has no empty entries."""
    (tmp_path / "index.md").write_text("text")
    with pytest.raises(ValueError, match="begins with its title"):
        site.llms(tmp_path)
