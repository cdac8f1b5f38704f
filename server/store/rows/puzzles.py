"""The puzzles of days: chosen once, when a review is stored, and never changed."""

from typing import Final

from msgspec.structs import replace
from sqlalchemy import func, insert, select

from ...model.puzzles import free_day
from ...model.schemas.analysis import DailyPuzzle, Puzzle
from ..database.schema import puzzles
from ..database.shapes import row_of, things
from ..database.writer import Transaction

KEEP: Final = insert(puzzles)
DAYS: Final = select(puzzles.c.day).order_by(puzzles.c.day.desc())
NUMBERED: Final = select(func.coalesce(func.max(puzzles.c.number), 0))
LATEST_FIRST: Final = select(puzzles).order_by(puzzles.c.day.desc())


def offer(transaction: Transaction, puzzle: Puzzle, at: str, ended_at: str) -> None:
    """Take a puzzle that was found at a time for that day or the next, if one has none yet."""
    taken = transaction.execute(DAYS.where(puzzles.c.day >= at[:10])).scalars().all()
    day = free_day(taken, at[:10])
    if day is not None:
        number = transaction.execute(NUMBERED).scalar_one() + 1
        kept = DailyPuzzle(day, number, replace(puzzle, ended_at=ended_at))
        transaction.put(KEEP, row_of(KEEP, kept))


def latest_days(transaction: Transaction) -> tuple[str, ...]:
    return tuple(transaction.execute(DAYS.limit(2)).scalars())


def until(transaction: Transaction, day: str, limit: int) -> list[DailyPuzzle]:
    """Return the puzzles of a day and of those before it, the latest first."""
    return things(transaction, DailyPuzzle, LATEST_FIRST.where(puzzles.c.day <= day).limit(limit))
