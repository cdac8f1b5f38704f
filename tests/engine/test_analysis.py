"""One call analyses a board."""

from __future__ import annotations

import pytest

from engine.analysis import analyse
from engine.search import Engine, EngineOptions
from protocol.rules import Board

SMALL = EngineOptions(table_bits=16, cache=None, book=False)


def test_a_limit_of_depth_is_kept() -> None:
    """The report is that of the depth asked for, with a legal move."""
    report = analyse(Board.start(), depth=4, engine=Engine(options=SMALL))
    assert report.depth == 4
    assert report.pit in Board.start().legal()


def test_a_finished_game_is_refused() -> None:
    """There is nothing to analyse once a row is empty."""
    over = Board.from_text("<6,20,20,0,0,0,0,0,0,1,2,1,2,1,1>")
    with pytest.raises(ValueError, match="the game is over"):
        analyse(over, nodes=10, engine=Engine(options=SMALL))
