"""The recipes of the cookbook do what they say."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from tests.sources import ROOT

PAGE = ROOT / "docs" / "cookbook.md"


def test_every_recipe_prints_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one session, from the first to the last, as in a notebook."""
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8").replace("```", "\n")
    recipes = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    failures: list[str] = []
    done = doctest.DocTestRunner().run(recipes, out=failures.append)
    assert not done.failed, "".join(failures)
    assert text.count("\n## ") == 10
