"""What was played in a position, in the latest games."""

from __future__ import annotations

from .history import Counts
from .views import View


class ExploredMove(View, frozen=True):
    """A move that was played in a position.

    Attributes:
        pit: the pit sown.
        counts: what the games with it came to for the mover.
        game: the latest of them.
        ply: the number of sowings before the move in that game.
    """

    pit: int
    counts: Counts
    game: str
    ply: int


class ExplorerView(View, frozen=True):
    """What was played in a position.

    Attributes:
        board: the position as text, the mover first.
        rules: the rules as text.
        games: finished games that were looked at, the latest ones.
        moves: the moves played, the most played first.
    """

    board: str
    rules: str
    games: int
    moves: tuple[ExploredMove, ...]
