"""Where games begin."""

from itertools import islice
from pathlib import Path

import pytest

from mancala.engine.openings import (
    SHIPPED,
    Book,
    Opening,
    OpeningKind,
    OpeningsError,
    choose,
    generate,
    read,
    shipped,
    write,
)
from mancala.engine.search.engine import tables_for
from mancala.engine.search.solver import Solver
from mancala.protocol.rules import KALAH, PRESETS, Board, Rules

SMALL = Rules(pits=4, seeds=3)
WANTED = OpeningKind(plies=(3, 8), seeds=(10, 24), band=0, proof_nodes=100_000)


def value(solver: Solver, text: str) -> int:
    *_, last = solver.solve(Board.from_text(text, SMALL))
    assert last.value.exact
    return last.value.low


def found(seed: int, count: int = 10, wanted: OpeningKind = WANTED) -> list[Opening]:
    candidates = generate(SMALL, wanted, seed=seed)
    return list(islice((opening for opening in candidates if opening is not None), count))


@pytest.mark.parametrize("band", [0, 4])
def test_generated_openings_are_worth_what_they_state(band: int) -> None:
    """Each is proven, within the band, and occurs once."""
    solver = Solver(SMALL, tables=tables_for(SMALL), table_bits=16)
    wanted = OpeningKind(plies=(3, 8), seeds=(10, 24), band=band, proof_nodes=100_000)
    openings = found(1, wanted=wanted)
    assert len({opening.board for opening in openings}) == 10
    for opening in openings:
        assert opening.value == value(solver, opening.board)
        assert abs(opening.value) <= band


def test_openings_too_early_for_a_proof_are_thought_fair() -> None:
    """Early positions are taken on the search's word, the same each time, and state no value."""
    wanted = OpeningKind(plies=(2, 6), seeds=(64, 72), band=1, thought_nodes=2000)
    candidates = [list(islice(generate(Rules(seeds=6), wanted, seed=5), 40)) for _ in range(2)]
    assert candidates[0] == candidates[1]
    openings = [opening for opening in candidates[0] if opening is not None]
    assert openings
    for opening in openings:
        assert opening.value is None
        board = Board.from_text(opening.board, Rules(seeds=6))
        assert 64 <= board.in_play <= 72


def test_the_same_seed_finds_the_same_openings() -> None:
    """A book can be made again, on any machine."""
    assert found(2) == found(2)
    assert found(2) != found(3)


def test_a_game_without_further_positions_ends_the_search() -> None:
    """On the smallest boards every position is soon known, and the search says so by ending."""
    tiny = Rules(pits=1, seeds=1)
    wanted = OpeningKind(plies=(1, 2), seeds=(1, 2), band=9, proof_nodes=10)
    assert len(list(generate(tiny, wanted, seed=1))) < 5


@pytest.mark.parametrize("rules", [*PRESETS.values(), SMALL, Rules(pits=9, seeds=2)])
def test_an_event_never_uses_an_opening_twice(rules: Rules) -> None:
    """Where the book ends, random starts go on, and all are different."""
    book = Book(str(rules), (Opening(Board.start(rules).text, None),))
    chosen = choose(book, rules, 60, seed=1)
    assert chosen[0] == book.openings[0]
    assert len({opening.board for opening in chosen}) == 60
    for opening in chosen:
        assert not Board.from_text(opening.board, rules).is_over


def test_the_seed_decides_which_openings_an_event_gets() -> None:
    """The same seed gives the same ones in the same order, another seed others."""
    book = Book("kalah", tuple(found(1, 10)))
    assert choose(book, SMALL, 5, seed=1) == choose(book, SMALL, 5, seed=1)
    assert choose(book, SMALL, 5, seed=1) != choose(book, SMALL, 5, seed=2)


def test_a_game_with_one_position_is_played_from_it() -> None:
    """Rules that have no other start do not hold an event for ever."""
    tiny = Rules(pits=1, seeds=1)
    assert len(choose(None, tiny, 3, seed=1)) == 3


def test_a_written_book_is_read_back(tmp_path: Path) -> None:
    """A book goes to a file, a line an opening, and comes back."""
    book = Book(str(SMALL), tuple(found(1)), band=0, seed=1)
    path = tmp_path / "book.json"
    write(book, path)
    assert read(path.read_bytes(), SMALL) == book
    assert len(path.read_text().splitlines()) == len(book.openings) + 2


def test_plain_lines_of_boards_are_a_book() -> None:
    """Anyone can write openings by hand, with remarks."""
    content = b"# mine\n<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>\n\n<6,1,0,4,4,0,5,5,5,4,4,4,4,4,4>\n"
    assert [opening.value for opening in read(content, KALAH).openings] == [None, None]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"{", "JSON|truncated"),
        (b'{"rules":"article","openings":[]}', "for article, not for kalah"),
        (b"<4,0,0,1,1,1,1,1,1,1,1>", "4 pits a row"),
        (b"<6,40,8,0,0,0,0,0,0,0,0,0,0,0,0>", "the game is over"),
        (b"<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>\n" * 2, "twice"),
        (b"hello", "a board is written"),
        (b"\xff", "UTF-8"),
    ],
)
def test_what_is_no_book_is_refused(content: bytes, complaint: str) -> None:
    """A wrong file is reported before the first game."""
    with pytest.raises(OpeningsError, match=complaint):
        read(content, KALAH)


@pytest.mark.parametrize("name", SHIPPED)
def test_the_shipped_books_hold_proven_openings(name: str) -> None:
    """Each book comes with its rules; every opening is different and within its band."""
    rules = {
        "kalah-6-4": KALAH,
        "kalah-6-6": Rules(seeds=6),
        "kalah-empty-capture-6-4": PRESETS["kalah-empty-capture"],
    }[name]
    book = shipped(rules)
    assert book is not None
    assert len({opening.board for opening in book.openings}) == len(book.openings) >= 50
    for opening in book.openings:
        assert opening.value is not None
        assert abs(opening.value) <= (book.band or 0)
        assert Board.from_text(opening.board, rules).total == 12 * rules.seeds


def test_a_few_shipped_openings_are_proven_again() -> None:
    """The latest of the shipped positions are solved anew, and are worth what they state."""
    book = shipped(KALAH)
    assert book is not None
    solver = Solver(KALAH, tables=tables_for(KALAH), table_bits=18)
    latest = sorted(book.openings, key=lambda o: Board.from_text(o.board).in_play)
    for opening in latest[:5]:
        *_, last = solver.solve(Board.from_text(opening.board), guess=0.0)
        assert (last.value.low, last.value.high) == (opening.value, opening.value)
