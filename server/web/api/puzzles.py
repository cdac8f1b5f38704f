"""The puzzles that are shown: those of days, and those of the latest reviews to practise with."""

import asyncio
from typing import Final

from mancala.protocol.record import GameRecord, replay
from mancala.protocol.review import GameReview

from ...model.review.puzzles import candidates, puzzle_in
from ...model.review.reviews import ReviewKey
from ...model.schemas.analysis import DailyPuzzle, Puzzle, PuzzleDay, PuzzleList
from ...store.reading.archive import Archive
from ..feed.kept_answers import Prepared

LOOKED_AT: Final = 120
"""Reviews, the latest ones, that are searched for puzzles."""
SHOWN: Final = 40
DAYS: Final = 400
"""Days in the list."""
KEPT_S: Final = 60.0


class Puzzles:
    """Cuts puzzles from the latest reviews, and lists those of days.

    A review is read once: unpacking one takes milliseconds, and dozens may be new after a minute.
    """

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._by_review: dict[ReviewKey, Puzzle | None] = {}
        self._found = Prepared("puzzles", self._cut, KEPT_S)

    def prepare(self) -> None:
        """Cut the puzzles before the first visitor asks for them."""
        self._found.begin()

    async def show(self, today: str) -> PuzzleList:
        """Return the puzzles, the easiest first; the former ones while new ones are cut."""
        days = await self._archive.puzzles_until(today, DAYS)
        return PuzzleList(
            puzzles=await self._found.get(),
            latest=days[0] if days else None,
            days=tuple(
                PuzzleDay.of(each.puzzle, day=each.day, number=each.number) for each in days
            ),
        )

    async def of_day(self, day: str, today: str) -> DailyPuzzle | None:
        found = await self._archive.puzzles_until(min(day, today), 1)
        return found[0] if found and found[0].day == day else None

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
        review = await self._archive.review_if_any(game)
        if review is None or not candidates(review):
            return None
        record = await self._archive.record(game)
        if record is None:
            return None
        return await asyncio.to_thread(_puzzle_of, review, record)


def _puzzle_of(review: GameReview, record: GameRecord) -> Puzzle | None:
    return puzzle_in(review, list(replay(record)), record.ended_at or "")
