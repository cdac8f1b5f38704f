"""Puzzles: positions of reviewed games in which exactly one move keeps the result, by proof.

Each game gives at most one, where its player went wrong if there is such a position. The level says
how many of three plain searches, of one, two and three sowings, miss the move.
"""

from __future__ import annotations

import asyncio
from typing import Final

from mancala.protocol.record import GameRecord, replay
from mancala.protocol.review import GameReview, Result, ReviewedPly, result
from mancala.protocol.rules import Board

from ...model.reviews import ReviewKey
from ...model.schemas.analysis import AnalysedMove, Puzzle, PuzzleList
from ...store.reading.archive import Archive
from ..feed.kept_answers import Prepared

LOOKED_AT: Final = 120
"""Reviews, the latest ones, that are searched for puzzles."""
SHOWN: Final = 40
DEPTHS: Final = (1, 2, 3)
FEWEST_CHOICES: Final = 3
KEPT_S: Final = 60.0


class Puzzles:
    """Cuts puzzles from the latest reviews.

    A review is read once: unpacking one takes milliseconds, and dozens may be new after a minute.
    """

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._by_review: dict[ReviewKey, Puzzle | None] = {}
        self._found = Prepared("puzzles", self._cut, KEPT_S)

    def prepare(self) -> None:
        """Cut the puzzles before the first visitor asks for them."""
        self._found.begin()

    async def show(self) -> PuzzleList:
        """Return the puzzles, the easiest first; the former ones while new ones are cut."""
        return PuzzleList(puzzles=await self._found.get())

    async def _cut(self) -> tuple[Puzzle, ...]:
        known, self._by_review = self._by_review, {}
        found: list[Puzzle] = []
        for key in await self._archive.latest_reviews(LOOKED_AT):
            puzzle = known[key] if key in known else await self._cut_from(key.game)
            self._by_review[key] = puzzle
            if puzzle is not None:
                found.append(puzzle)
            if len(found) == SHOWN:
                break
        return tuple(sorted(found, key=lambda puzzle: puzzle.level))

    async def _cut_from(self, game: str) -> Puzzle | None:
        try:
            review = await self._archive.review(game)
        except LookupError:  # forgotten since
            return None
        ply = None if review is None else puzzling(review)
        record = None if ply is None else await self._archive.record(game)
        if ply is None or record is None:
            return None
        return await asyncio.to_thread(puzzle_of, record, ply)


def puzzling(review: GameReview) -> ReviewedPly | None:
    """Return the ply of a game that makes the best puzzle; None without one."""
    found = [ply for ply in review.plies if _is_puzzle(ply)]
    return next((ply for ply in found if ply.loss > 0), found[0] if found else None)


def _is_puzzle(ply: ReviewedPly) -> bool:
    if len(ply.moves) < FEWEST_CHOICES or not all(move.proven for move in ply.moves):
        return False
    kept = result(ply.value, ply.player)
    keeping = [move for move in ply.moves if result(move.value, ply.player) is kept]
    return kept is not Result.LOSS and [move.pit for move in keeping] == [ply.best]


def puzzle_of(record: GameRecord, ply: ReviewedPly) -> Puzzle:
    """Return the puzzle of a ply of a game."""
    board = list(replay(record))[ply.ply]
    sign = 1 if ply.player == 0 else -1
    return Puzzle.of(
        ply,
        game=record.game,
        ended_at=record.ended_at or "",
        board=board.text,
        rules=str(board.rules),
        played=ply.pit,
        keeps=result(ply.value, ply.player),
        level=level_of(board, ply.best),
        moves=tuple(
            AnalysedMove(pit=move.pit, value=sign * move.value, proven=True, depth=None)
            for move in ply.moves
        ),
    )


def level_of(board: Board, best: int) -> int:
    """Return 1 plus the number of plain searches that do not find a move."""
    return 1 + sum(best_moves(board, depth) != [best] for depth in DEPTHS)


def best_moves(board: Board, depth: int) -> list[int]:
    """Return the moves that a search of some sowings by the difference of stores finds best."""
    values = {pit: _value(board.sow(pit).board, depth - 1, board.player) for pit in board.legal()}
    return [pit for pit, value in values.items() if value == max(values.values())]


def _value(board: Board, depth: int, player: int) -> int:
    if board.is_over:
        return board.score(player)
    if depth == 0:
        return board.stores[player] - board.stores[1 - player]
    values = (_value(board.sow(pit).board, depth - 1, player) for pit in board.legal())
    return max(values) if board.player == player else min(values)
