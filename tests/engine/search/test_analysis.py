"""One call analyses a board."""

import pytest

from mancala.engine.search.engine import Engine, EngineOptions, Limit, analyse
from mancala.protocol.rules import Board, Rules

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


def test_a_value_that_is_not_known_is_none() -> None:
    """The best move of Kalah(6,6) is known; the others are not, and have not been searched."""
    with_book = Engine(options=EngineOptions(table_bits=16, cache=None))
    start = Board.start(Rules.parse("kalah:seeds=6"))
    known, *others = analyse(start, time=1.0, engine=with_book).moves
    assert (known.value, known.exact) == (4.0, True)
    assert [move.value for move in others] == [None] * 5


def test_all_first_moves_of_the_usual_start_are_known() -> None:
    """Each has the published value, without a search."""
    with_book = Engine(options=EngineOptions(table_bits=16, cache=None))
    moves = analyse(Board.start(), time=1.0, engine=with_book).moves
    values = {move.pit: move.value for move in moves}
    assert values == {0: -14.0, 1: -10.0, 2: 8.0, 3: -2.0, 4: -8.0, 5: 4.0}


def test_the_value_of_a_search_without_an_iteration_is_none() -> None:
    """It names a legal move all the same, and asking for the value says why there is none."""
    engine = Engine(options=SMALL)
    report = next(engine.think(Board.start(), Limit(nodes=1)))
    assert report.pit in Board.start().legal()
    assert report.value is None
    with pytest.raises(ValueError, match="before its first iteration"):
        _ = report.known_value
