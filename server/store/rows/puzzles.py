"""The puzzles of days: chosen once, when a review is stored, and never changed."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace
from sqlalchemy import insert, select

from ...model.puzzles import free_day
from ...model.schemas.analysis import DailyPuzzle, Puzzle
from ..database.schema import puzzles
from ..database.shapes import row_of, things
from ..database.writer import Transaction

KEEP: Final = insert(puzzles)
LATEST_FIRST: Final = select(puzzles).order_by(puzzles.c.day.desc())


def offer(transaction: Transaction, puzzle: Puzzle, at: str, ended_at: str) -> None:
    """Take a puzzle that was found at a time for that day or the next, if one has none yet."""
    last = things(transaction, DailyPuzzle, LATEST_FIRST.limit(2))
    day = free_day([each.day for each in last], at[:10])
    if day is not None:
        number = last[0].number + 1 if last else 1
        kept = DailyPuzzle(day, number, replace(puzzle, ended_at=ended_at))
        transaction.put(KEEP, row_of(KEEP, kept))


def until(transaction: Transaction, day: str, limit: int) -> list[DailyPuzzle]:
    """Return the puzzles of a day and of those before it, the latest first."""
    return things(transaction, DailyPuzzle, LATEST_FIRST.where(puzzles.c.day <= day).limit(limit))
