"""The opening book is true, and makes the engine exact from the first move."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from engine import book
from engine.search import Engine, EngineOptions, Limit
from protocol.rules import Board, Rules

START = Board.start()
ENTRIES = json.loads(files("engine").joinpath("data", "book_kalah.json").read_text())["entries"]


def engine() -> Engine:
    """Build a small engine that has the book."""
    return Engine(options=EngineOptions(table_bits=16, cache=None))


def board_of(key: str) -> Board:
    """Set up the position of an entry, stores level."""
    mine, theirs = (tuple(map(int, row.split())) for row in key.split("/"))
    left = 48 - sum(mine) - sum(theirs)
    return Board(Rules(), (mine, theirs), (left - left // 2, left // 2))


def test_the_first_player_wins_by_eight_with_pit_two() -> None:
    """The start of Kalah(6,4) has its published value and best first move."""
    assert book.find(START) == (8, 2)


def test_the_engine_answers_from_the_book_at_once() -> None:
    """Without any time, a book position is answered exactly."""
    (report,) = engine().think(START, Limit(time_s=0.0))
    assert (report.pit, report.value, report.exact) == (2, 8.0, True)


def test_values_count_from_the_stores() -> None:
    """What is in the stores is added to what the book says is still to come."""
    board = START.sow(2).board
    (report,) = engine().think(board, Limit(time_s=0.0))
    assert (report.value, report.exact) == (8.0, True)


def test_a_depth_asks_the_search_and_not_the_book() -> None:
    """Whoever sets a depth gets an estimate of that depth."""
    *_, report = engine().think(START, Limit(depth=3))
    assert (report.depth, report.exact) == (3, False)


def test_every_entry_names_a_legal_move_and_fits_its_neighbours() -> None:
    """Along the book no move gains on the value, and the named one keeps it."""
    assert len(ENTRIES) > 250
    for key in ENTRIES:
        board = board_of(key)
        entry = book.find(board)
        assert entry is not None
        for pit in board.legal():
            after = board.sow(pit).board
            reply = book.find(after)
            if reply is None:
                continue
            gain = after.stores[0] - board.stores[0]
            worth = gain + reply.to_go if after.player == 0 else gain - reply.to_go
            assert worth <= entry.to_go
            assert worth == entry.to_go or pit != entry.pit


@pytest.mark.parametrize("name", ["kalah-empty-capture", "article", "kalah:pits=5"])
def test_other_rules_find_nothing(name: str) -> None:
    """The book holds for its own rules only."""
    assert book.find(Board.start(Rules.parse(name))) is None
