"""What a kind of player knows about itself."""

from __future__ import annotations

import pytest

from mancala.bot.players import kind as player_kind
from mancala.bot.players.registry import PLAYERS, make_player
from mancala.bot.players.spec import SpecError


def test_a_player_whose_extra_is_missing_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without numba the engine is known by name, and asking for it names the extra."""
    monkeypatch.setattr(player_kind, "find_spec", lambda _package: None)
    assert PLAYERS["greedy"].missing is None
    with pytest.raises(SpecError, match=r'pip install .*\[engine\]"'):
        make_player("engine:depth=3")
