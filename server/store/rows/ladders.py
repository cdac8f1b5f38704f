"""What a former server left of its ladders."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Iterable
from itertools import compress
from typing import Any, Final, NamedTuple, TypeVar

from sqlalchemy import RowMapping, and_, literal_column, select

from ...model.entrant import Entrant, LiveRating, Quarantine
from ...model.game import Tally
from ...model.journal import KeptLadder
from ...model.pair_counts import PairCounts
from ...model.seat_columns import SeatColumns, no_pairs, no_tallies
from ..database.pair_rows import BACK, OUTCOMES, POINTS
from ..database.schema import entrants, meetings, members, pairs, sessions
from ..database.writer import Transaction

T = TypeVar("T")

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
    found = transaction.execute(ENTRANTS).mappings()
    rated = _by_ladder((row["ladder"], _entrant(row)) for row in found)
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


def _entrant(row: RowMapping) -> Entrant:
    live = LiveRating(row["elo"], row["deviation"], row["volatility"])
    until, reason = row["quarantined_until"], row["quarantine_reason"]
    quarantine = None if until is None else Quarantine(until, reason)
    return Entrant(row["name"], live, row["strikes"], quarantine)
