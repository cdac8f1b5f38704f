"""Positions on the analysis board."""

from __future__ import annotations

from .views import View


class AnalysedMove(View, frozen=True):
    """A legal move of a position that was analysed.

    Attributes:
        pit: the pit sown.
        value: final difference of stores for the mover.
        proven: whether ``value`` is exact.
        depth: plies searched for an estimate; none if it is proven.
    """

    pit: int
    value: float
    proven: bool
    depth: int | None


class AnalysisView(View, frozen=True):
    """What a position and its moves are worth.

    Attributes:
        board: the position as text, the mover first.
        rules: the rules as text.
        best: the best move.
        value: what it is worth: the final difference of stores for the mover.
        proven: whether ``value`` is proven, and that no other move is better.
        line: best play from here, ``best`` first.
        moves: every legal move, by pit.
    """

    board: str
    rules: str
    best: int
    value: float
    proven: bool
    line: tuple[int, ...]
    moves: tuple[AnalysedMove, ...]
