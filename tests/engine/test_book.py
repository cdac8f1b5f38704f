"""The opening book is true, and makes the engine exact from the first move."""

from importlib.resources import files

import pytest

from mancala.engine import book
from mancala.engine.search.engine import Engine, EngineOptions, Limit
from mancala.protocol.rules import Board, Rules

START = Board.start()
FILES = files("mancala.engine").joinpath("data")
BOOKS = {
    seeds: book.read(FILES.joinpath(f"book_kalah_6x{seeds}.json").read_text())[1]
    for seeds in (4, 5, 6)
}


def engine() -> Engine:
    return Engine(options=EngineOptions(table_bits=16, cache=None))


def board_of(key: str, seeds: int) -> Board:
    """Set up the position of an entry of Kalah(6, seeds), stores level."""
    mine, theirs = (tuple(map(int, row.split())) for row in key.split("/"))
    left = 12 * seeds - sum(mine) - sum(theirs)
    return Board(Rules(seeds=seeds), (mine, theirs), (left - left // 2, left // 2))


def test_the_first_player_wins_by_eight_with_pit_two() -> None:
    """The start of Kalah(6,4) has its published value and best first move."""
    assert book.find(START) == book.Entry(8, 2)


def test_kalah_6_5_is_won_by_ten() -> None:
    """The start of Kalah(6,5) has its published value."""
    entry = book.find(Board.start(Rules(seeds=5)))
    assert entry is not None
    assert (entry.to_go, entry.is_proven) == (10, True)


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
    """A limit of depth gets an estimate of that depth."""
    report = engine().analyse(START, Limit(depth=3))
    assert (report.depth, report.exact) == (3, False)


@pytest.mark.parametrize("seeds", BOOKS)
def test_every_entry_names_a_legal_move(seeds: int) -> None:
    """No entry sends a player to an empty pit."""
    assert BOOKS[seeds]
    assert all(entry.pit in board_of(key, seeds).legal() for key, entry in BOOKS[seeds].items())


@pytest.mark.parametrize("seeds", BOOKS)
def test_proven_entries_fit_their_neighbours(seeds: int) -> None:
    """Along the book no move gains on the value, and the named one keeps it."""
    for key, entry in BOOKS[seeds].items():
        board = board_of(key, seeds)
        for pit in board.legal():
            after = board.sow(pit).board
            reply = book.find(after)
            if reply is None or not (entry.is_proven and reply.is_proven):
                continue
            gain = after.stores[0] - board.stores[0]
            worth = gain + reply.to_go if after.player == 0 else gain - reply.to_go
            assert worth <= entry.to_go
            assert worth == entry.to_go or pit != entry.pit


THOUGHT = book.Entry(1.5, 4, thought_s=30.0)
UNPROVEN = Board.from_text("<6,0,0,0,3,1,2,2,9,1,4,4,4,3,3>")


def test_a_thought_entry_answers_a_player_with_less_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a long search found is played immediately, and is not called exact."""
    monkeypatch.setattr(book, "find", lambda _: THOUGHT)
    (report,) = engine().think(UNPROVEN, Limit(time_s=0.1))
    assert (report.pit, report.value, report.exact) == (4, 1.5, False)


def test_a_thought_entry_leaves_a_player_with_more_time_to_think(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With more time than the book had, or a limit of nodes, the engine searches itself."""
    monkeypatch.setattr(book, "find", lambda _: THOUGHT)
    report = engine().analyse(UNPROVEN, Limit(time_s=31.0, nodes=100))
    assert report.nodes > 0
    report = engine().analyse(UNPROVEN, Limit(nodes=100))
    assert report.nodes > 0


@pytest.mark.parametrize("name", ["kalah-empty-capture", "article", "kalah:pits=5"])
def test_other_rules_find_nothing(name: str) -> None:
    """The book holds for its own rules only."""
    assert book.find(Board.start(Rules.parse(name))) is None
