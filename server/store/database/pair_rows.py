"""Rows of ``pairs``: what two entrants have played, from either seat."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ...model.game import Seats, Tally
from .schema import pairs
from .upsert import accumulate, upsert

OUTCOMES: Final = Tally._fields
BACK: Final = tuple(f"back_{outcome}" for outcome in OUTCOMES)
"""Outcomes of the games in which the entrant moved first whose name comes second."""
POINTS: Final = tuple(f"points_{half}" for half in range(5))
SET_TALLY: Final = {columns: upsert(pairs, columns) for columns in (OUTCOMES, BACK)}
SET_POINTS: Final = upsert(pairs, POINTS)
ADD: Final = accumulate(pairs)
NOTHING: Final = dict.fromkeys((*POINTS, *OUTCOMES, *BACK), 0)

PairRow = dict[str, Any]


def outcomes_from(seats: Seats) -> tuple[str, ...]:
    """Return the columns of the outcomes of games from these seats."""
    return OUTCOMES if seats[0] < seats[1] else BACK


def tally_row(ladder: str, seats: Seats, tally: Iterable[int]) -> PairRow:
    """Return the row of two entrants with the outcomes of their games from these seats only."""
    counts = dict(zip(outcomes_from(seats), tally, strict=True))
    return {"ladder": ladder, "first": min(seats), "second": max(seats), **NOTHING, **counts}


def points_row(ladder: str, seats: Seats, counts: Iterable[int]) -> PairRow:
    """Return the row of two entrants, in the order of their names, with side-swapped pairs only."""
    first, second = seats
    points = dict(zip(POINTS, counts, strict=True))
    return {"ladder": ladder, "first": first, "second": second, **NOTHING, **points}


def in_order(row: PairRow) -> PairRow:
    """Return a row with the entrant first whose name comes first."""
    if row["first"] < row["second"]:
        return row
    swapped = zip(
        (*POINTS, *OUTCOMES, *BACK),
        (row[column] for column in (*reversed(POINTS), *BACK, *OUTCOMES)),
        strict=True,
    )
    return {**row, "first": row["second"], "second": row["first"], **dict(swapped)}
