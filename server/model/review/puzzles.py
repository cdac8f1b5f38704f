"""Puzzles: positions of reviewed games in which exactly one move keeps the result, by proof. Pure.

Each game gives at most one, where its player went wrong if there is such a position. A person has
to be able to solve it: a plain search of three sowings finds the move, and the opening is over.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

from mancala.protocol.review import GameReview, Result, ReviewedPly, result
from mancala.protocol.rules import Board

from ..schemas.analysis import AnalysedMove, Puzzle

DEPTHS: Final = (1, 2, 3)
FEWEST_CHOICES: Final = 3
FEWEST_PLIES: Final = 8
"""Sowings before a puzzle."""
TOO_HARD: Final = 1 + len(DEPTHS)
"""The level of a puzzle whose move no plain search finds."""


def puzzle_in(review: GameReview, boards: Sequence[Board], ended_at: str = "") -> Puzzle | None:
    """Return the best puzzle of a game, given its positions; None without one."""
    for ply in candidates(review):
        board = boards[ply.ply]
        if (level := level_of(board, ply.best)) < TOO_HARD:
            return _puzzle(review.game, ply, board, level, ended_at)
    return None


def candidates(review: GameReview) -> list[ReviewedPly]:
    """Return the plies that may be a puzzle, those where the player went wrong first."""
    return sorted(filter(_is_puzzle, review.plies), key=lambda ply: ply.loss == 0)


def level_of(board: Board, best: int) -> int:
    """Return 1 plus the number of plain searches that do not find a move."""
    return 1 + sum(best_moves(board, depth) != [best] for depth in DEPTHS)


def best_moves(board: Board, depth: int) -> list[int]:
    """Return the moves that a search of some sowings by the difference of stores finds best."""
    values = {pit: _value(board.sow(pit).board, depth - 1, board.player) for pit in board.legal()}
    return [pit for pit, value in values.items() if value == max(values.values())]


def free_day(taken: Sequence[str], day: str) -> str | None:
    """Return the day that a puzzle found on ``day`` is for: that one, else the next; else None."""
    after = (date.fromisoformat(day) + timedelta(days=1)).isoformat()
    return next((each for each in (day, after) if each not in taken), None)


def _is_puzzle(ply: ReviewedPly) -> bool:
    if ply.ply < FEWEST_PLIES or len(ply.moves) < FEWEST_CHOICES:
        return False
    kept = result(ply.value, ply.player)
    keeping = [move.pit for move in ply.moves if result(move.value, ply.player) is kept]
    is_proven = all(move.proven for move in ply.moves)
    return is_proven and kept is not Result.LOSS and keeping == [ply.best]


def _puzzle(game: str, ply: ReviewedPly, board: Board, level: int, ended_at: str) -> Puzzle:
    sign = 1 if ply.player == 0 else -1
    return Puzzle.of(
        ply,
        game=game,
        ended_at=ended_at,
        board=board.text,
        rules=str(board.rules),
        played=ply.pit,
        keeps=result(ply.value, ply.player),
        level=level,
        moves=tuple(
            AnalysedMove(pit=move.pit, value=sign * move.value, proven=True, depth=None)
            for move in ply.moves
        ),
    )


def _value(board: Board, depth: int, player: int) -> int:
    if board.is_over:
        return board.score(player)
    if depth == 0:
        return board.stores[player] - board.stores[1 - player]
    values = (_value(board.sow(pit).board, depth - 1, player) for pit in board.legal())
    return max(values) if board.player == player else min(values)
