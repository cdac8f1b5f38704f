"""``mancala new``: a starter in a folder of its own."""

from pathlib import Path

import pytest

from mancala.bot.starters import LANGUAGES
from tests.scripts.commands.results import result_of


@pytest.mark.parametrize("language", [*LANGUAGES, "js", "Go"])
def test_writes_a_starter_and_lists_its_files(language: str, tmp_path: Path) -> None:
    """Each file that the JSON names is there, the README among them."""
    place = tmp_path / "ada"
    option = "--language" if language == "Go" else "--lang"
    files = result_of("new", "ada", option, language, "--dir", str(place))["files"]
    assert str(place / "README.md") in files
    assert sorted(files) == sorted(str(path) for path in place.rglob("*") if path.is_file())


def test_a_repository_comes_with_workflows(tmp_path: Path) -> None:
    """They stand where forges look for them."""
    place = tmp_path / "ada"
    files = result_of("new", "ada", "--repository", "--dir", str(place))["files"]
    assert str(place / ".github" / "workflows" / "bot.yml") in files
    assert "mancala rate python:play.py:choose" in (place / ".gitlab-ci.yml").read_text()


def test_javascript_comes_with_the_client(tmp_path: Path) -> None:
    """The client of the page, and its types."""
    result_of("new", "ada", "--lang", "js", "--dir", str(tmp_path / "ada"))
    assert "export class Client" in (tmp_path / "ada" / "client.js").read_text()
    assert (tmp_path / "ada" / "client.d.ts").exists()
