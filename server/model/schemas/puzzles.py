"""Puzzles: positions with one right move."""

from __future__ import annotations

from mancala.protocol.review import Result

from .analysis import AnalysedMove
from .views import View


class Puzzle(View, frozen=True):
    """A position of a game in which exactly one move keeps the result, by proof.

    Attributes:
        game: the game.
        ply: the number of sowings before it.
        ended_at: when the game ended, RFC 3339 in UTC.
        board: the position as text, the mover first.
        rules: the rules as text.
        best: the one right move.
        played: the move of the game.
        line: best play from the position.
        keeps: what the right move leads to: a win or a draw.
        level: 1 to 4: one more than the number of plain searches, of one, two and three sowings,
            that miss the move.
        moves: what each move is worth for the mover.
    """

    game: str
    ply: int
    ended_at: str
    board: str
    rules: str
    best: int
    played: int
    line: tuple[int, ...]
    keeps: Result
    level: int
    moves: tuple[AnalysedMove, ...]


class PuzzleList(View, frozen=True):
    """The puzzles of the latest reviews, the easiest first.

    Attributes:
        puzzles: at most 40.
    """

    puzzles: tuple[Puzzle, ...]
