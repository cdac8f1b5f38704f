"""Puzzles: which positions of reviewed games are, and how hard they are."""

from mancala.protocol.messages import Assessment, MoveValue
from mancala.protocol.review import GameReview, Result, ReviewedGame, ReviewWork, compose
from mancala.protocol.rules import Board
from mancala.server.model.review.puzzles import (
    FEWEST_PLIES,
    best_moves,
    free_day,
    level_of,
    puzzle_in,
)

CAPTURE = Board.from_text("<6,0,0,1,0,2,0,0,1,2,2,2,2,9,2>")
"""Pit 0 captures nine seeds."""
START = Board.start()
WINS = {0: 6.0, 2: -2.0, 5: -4.0}


def review(
    values: dict[int, float],
    played: int,
    *,
    board: Board = CAPTURE,
    before: int = FEWEST_PLIES,
    depth: int | None = None,
) -> tuple[GameReview, list[Board]]:
    pits = [*[0] * before, played]
    boards = [START] * before + [board]
    none = tuple(MoveValue(pit, 0.0, 5) for pit in START.legal())
    moves = tuple(
        MoveValue(pit, value, None if pit else depth) for pit, value in sorted(values.items())
    )
    best = max(values, key=lambda pit: values[pit])
    found = [Assessment(ply=ply, moves=none, line=(0,), depth=5) for ply in range(before)]
    found.append(Assessment(ply=before, moves=moves, line=(best,)))
    made = compose(ReviewedGame("g", boards, pits, None), ReviewWork(found, 1, "t", 0))
    return made, boards


def test_a_position_where_one_move_keeps_the_result_is_a_puzzle() -> None:
    """Not one where two do, where all is lost, or where a value is an estimate."""
    found = puzzle_in(*review(WINS, played=2))
    assert found is not None
    assert (found.best, found.played, found.keeps) == (0, 2, Result.WIN)
    assert (found.board, found.ply) == (CAPTURE.text, FEWEST_PLIES)
    assert {move.pit: move.value for move in found.moves} == WINS
    assert puzzle_in(*review({**WINS, 5: 2.0}, played=2)) is None
    assert puzzle_in(*review({**WINS, 0: -1.0}, played=2)) is None
    assert puzzle_in(*review(WINS, played=2, depth=9)) is None


def test_no_opening_and_nothing_that_plain_searches_miss_is_a_puzzle() -> None:
    """A person has to be able to solve it."""
    assert puzzle_in(*review(WINS, played=2, before=FEWEST_PLIES - 1)) is None
    hidden = {pit: 6.0 if pit == 5 else -2.0 for pit in START.legal()}
    assert puzzle_in(*review(hidden, played=2, board=START)) is None


def test_the_level_counts_the_searches_that_miss_the_move() -> None:
    """A capture is seen by one sowing; a pit that is as good as others is not found."""
    board = Board.from_text("<6,0,0,1,0,0,0,0,1,2,2,2,2,9,2>")
    assert best_moves(board, 1) == [0]
    assert level_of(board, 0) < level_of(board, 5) == 4


def test_a_puzzle_is_for_the_first_of_two_days_that_has_none() -> None:
    """Its own, then the next, also over the end of a month."""
    assert free_day([], "2026-11-30") == "2026-11-30"
    assert free_day(["2026-11-30"], "2026-11-30") == "2026-12-01"
    assert free_day(["2026-12-01", "2026-11-30"], "2026-11-30") is None
