"""The documentation as pages: versions, and a list for language models.

The pages are rendered once, for a release (``tests/packaging/test_dry_run.py``).
"""

import re
from pathlib import Path

import pytest

from docs import site


def test_the_newest_version_is_listed_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Versions that were rendered before stay, and are listed after it."""
    rendered: list[Path] = []

    def render(folder: Path, tag: str) -> None:
        assert tag == "versioned"
        folder.mkdir()
        rendered.append(folder)

    monkeypatch.setattr(site, "render", render)
    (tmp_path / "0.9").mkdir()
    site.render_version(tmp_path)
    listed = re.findall(r'<a href="(.+?)/index.html">', (tmp_path / "index.html").read_text())
    assert listed == [rendered[0].name, "0.9"]


def test_a_page_without_a_title_is_refused(tmp_path: Path) -> None:
    """The list for language models has no empty entries."""
    (tmp_path / "index.md").write_text("text")
    with pytest.raises(ValueError, match="begins with its title"):
        site.llms(tmp_path)
