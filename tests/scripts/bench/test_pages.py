"""Which pages of a server are measured."""

from __future__ import annotations

from typing import Any

import pytest

from mancala.scripts.bench import pages

GAME = {"game": "g1", "match": "m1", "players": ["ann", "bob"]}


@pytest.mark.parametrize("games", [[], [GAME]], ids=["empty", "played"])
def test_every_kind_of_page_that_the_server_has_is_measured(
    monkeypatch: pytest.MonkeyPatch, games: list[dict[str, Any]]
) -> None:
    """A server without games has no page of a game, a match or a bot."""
    answers = {"games": games, "ladders": [{"ladder": "main"}]}
    monkeypatch.setattr(pages, "_api", lambda _url, _path: answers)
    found = pages.addresses("http://127.0.0.1:1")
    assert {"/", "/play", "/analysis", "/take-part", "/ladders/main"} <= set(found)
    own = {"/games/g1", "/games/g1/9", "/games/g1?embed", "/matches/m1", "/bots/ann"}
    assert own & set(found) == (own if games else set())
