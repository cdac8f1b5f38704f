"""Ladders in the store: what two entrants have played, and what a former server left.

A row of ``pairs`` names first the entrant whose name comes first, and counts games from either
seat.
"""

import gc
from collections import defaultdict
from collections.abc import Iterable
from itertools import compress
from typing import Any, Final, NamedTuple, TypeVar

from sqlalchemy import and_, literal_column, select

from ...model.game import Seats, Tally
from ...model.journal import EntrantRated, KeptLadder, PairsCounted, SeatsTallied
from ...model.pair_counts import PairCounts
from ...model.seat_columns import SeatColumns, no_pairs, no_tallies
from ..database.schema import entrants, meetings, members, pairs, sessions
from ..database.shapes import things
from ..database.statements import accumulate, upsert
from ..database.writer import Transaction

T = TypeVar("T")
PairRow = dict[str, Any]

OUTCOMES: Final = Tally._fields
BACK: Final = tuple(f"back_{outcome}" for outcome in OUTCOMES)
"""Outcomes of the games in which the entrant moved first whose name comes second."""
POINTS: Final = tuple(f"points_{half}" for half in range(5))
SET_TALLY: Final = {columns: upsert(pairs, columns) for columns in (OUTCOMES, BACK)}
SET_POINTS: Final = upsert(pairs, POINTS)
ADD: Final = accumulate(pairs)
NOTHING: Final = dict.fromkeys((*POINTS, *OUTCOMES, *BACK), 0)

PRESENT: Final = select(members.c.ladder, sessions.c.name).join_from(
    members, sessions, members.c.secret_hash == sessions.c.secret_hash
)
LAST_MET: Final = select(meetings.c.ladder, meetings.c.name, meetings.c.other).join_from(
    PRESENT.subquery("present"),
    meetings,
    and_(
        meetings.c.ladder == literal_column("present.ladder"),
        meetings.c.name == literal_column("present.name"),
    ),
)
ENTRANTS: Final = select(entrants)
PAIRS: Final = select(
    *(pairs.c[name] for name in ("ladder", "first", "second", *OUTCOMES, *BACK, *POINTS))
)


def tally(entry: SeatsTallied, transaction: Transaction) -> None:
    """Write the outcomes of the games from two seats."""
    row = tally_row(entry.ladder, entry.seats, entry.tally)
    transaction.put(SET_TALLY[outcomes_from(entry.seats)], row)


def count_pairs(entry: PairsCounted, transaction: Transaction) -> None:
    """Write the side-swapped pairs of two entrants."""
    transaction.put(SET_POINTS, points_row(entry.ladder, entry.seats, entry.counts.counts))


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


class _Played(NamedTuple):
    """What was played in a ladder."""

    tallies: SeatColumns[Tally]
    pairs: SeatColumns[PairCounts]


def kept_ladders(transaction: Transaction) -> dict[str, KeptLadder]:
    """Read all ladders, by name.

    Meanwhile no garbage is collected: nothing of this is any, and the search took half the time.
    """
    is_enabled = gc.isenabled()
    gc.disable()
    try:
        return _read(transaction)
    finally:
        if is_enabled:
            gc.enable()


def _read(transaction: Transaction) -> dict[str, KeptLadder]:
    found = things(transaction, EntrantRated, ENTRANTS)
    rated = _by_ladder((each.ladder, each.entrant) for each in found)
    played = _played(transaction.fetch_pieces(PAIRS))
    present = _by_ladder((row.ladder, row.name) for row in transaction.execute(PRESENT))
    met = _by_ladder((row.ladder, (row.name, row.other)) for row in transaction.execute(LAST_MET))
    return {
        ladder: KeptLadder(
            tuple(rated[ladder]),
            played[ladder].tallies,
            tuple(present[ladder]),
            dict(met[ladder]),
            played[ladder].pairs,
        )
        for ladder in {*rated, *played, *present}
    }


def _by_ladder(pairs: Iterable[tuple[str, T]]) -> defaultdict[str, list[T]]:
    grouped = defaultdict[str, list[T]](list)
    for ladder, value in pairs:
        grouped[ladder].append(value)
    return grouped


def _played(pieces: Iterable[list[tuple[Any, ...]]]) -> defaultdict[str, _Played]:
    """Return what was played by ladder.

    The rows come in any order: one by an index took three times as long. They are taken column by
    column, which takes half as long as row by row.
    """
    found = defaultdict[str, _Played](lambda: _Played(no_tallies(), no_pairs()))
    for rows in pieces:
        for ladder in {row[0] for row in rows}:
            its = zip(*(row for row in rows if row[0] == ladder), strict=True)
            _ladder, first, second, *counts = its
            tallies, seen = found[ladder]
            tallies.extend_columns(*_with_counts(first, second, *counts[:3]))
            tallies.extend_columns(*_with_counts(second, first, *counts[3:6]))
            seen.extend_columns(*_with_counts(first, second, *counts[6:]))
    return found


def _with_counts(*columns: tuple[Any, ...]) -> Iterable[Iterable[Any]]:
    """Return the columns of seats and counts without the rows that have no count."""
    have_any = [*map(any, zip(*columns[2:], strict=True))]
    return columns if all(have_any) else [compress(each, have_any) for each in columns]
