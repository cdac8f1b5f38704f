"""Reviews for the archive of a bench: of a few games, by the engine, each stored many times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Final

from mancala.protocol.review import ReviewedGame
from mancala.protocol.rules import Board, Rules
from mancala.server.model.reviews import FinishedReview, Urgency
from mancala.server.model.timestamps import milliseconds_of
from mancala.server.reviews.dispatcher import finish

COLUMNS: Final = (
    *("game", "ladder", "first", "second", "urgency", "ended_ms"),
    *("version", "proven", "reviewer", "body"),
)
REVIEW_S: Final = 2.8
"""The house reviewers' time for a game by default."""

Line = tuple[int, ...]


class Reviews:
    """Makes the rows of reviews.

    Args:
        lines: the pits of the games that are reviewed.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = frozenset(lines)
        self._reviewed = cache(_reviewed)

    def row(
        self, game: str, names: tuple[str, str], at: str, line: Line
    ) -> Iterator[tuple[Any, ...]]:
        """Yield the row of a game, if it is reviewed."""
        if line in self._lines:
            found = self._reviewed(line)
            review = found.review.version, found.review.proven, "reviewer-1", found.body
            yield (game, "main", *names, int(Urgency.OTHER), milliseconds_of(at), *review)


def _reviewed(line: Line) -> FinishedReview:
    from mancala.engine.game_reviews import ReviewerPool

    boards = [Board.start(Rules())]
    for pit in line:
        boards.append(boards[-1].sow(pit).board)
    found = finish(
        ReviewedGame("", boards, line, 0), ReviewerPool().work(boards, line, time_s=REVIEW_S)
    )
    if not isinstance(found, FinishedReview):
        raise found
    return found
