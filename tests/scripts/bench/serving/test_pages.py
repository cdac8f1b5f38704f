"""Which pages of a server are measured."""

import re
from typing import Any, Final

import pytest

from mancala.scripts.bench.serving import pages
from mancala.server.web.pages.pages import PAGES

FULL: Final[dict[str, Any]] = {
    "games": [{"game": "g1", "match": "m1", "players": ["ann", "bob"]}],
    "ladders": [{"ladder": "main"}],
    "events": [{"name": "cup"}],
    "submissions": [{"key": "0123"}],
    "days": [{"day": "2026-11-29"}],
}


def found(monkeypatch: pytest.MonkeyPatch, answers: dict[str, Any]) -> list[str]:
    monkeypatch.setattr(pages, "_api", lambda _url, _path: answers)
    return pages.addresses("http://127.0.0.1:1")


def test_every_page_that_the_server_has_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """One address of each kind at least."""
    measured = found(monkeypatch, FULL)
    shapes = [re.sub(r"\{[^}]*\}", "[^/]+", page.path) for page in PAGES]
    missing = [shape for shape in shapes if not any(re.fullmatch(shape, at) for at in measured)]
    assert missing == []
    assert "/games/g1?embed" in measured


def test_an_empty_server_has_no_page_of_a_thing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of a game nor of a bot, a ladder or an event."""
    measured = found(monkeypatch, {key: [] for key in FULL})
    fixed = {page.path for page in PAGES if "{" not in page.path}
    assert set(measured) == {*fixed, "/league/fox"}
