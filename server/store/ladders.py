"""What a former server left of its ladders."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

from sqlalchemy import RowMapping, and_, literal_column, select

from mancala.server.model.entrant import Entrant, LiveRating, Quarantine
from mancala.server.model.game import Tally
from mancala.server.model.journal import NOTHING_PLAYED, KeptLadder
from mancala.server.model.pair_counts import NO_PAIRS
from mancala.server.model.seat_columns import SeatColumns, no_pairs, no_tallies
from mancala.server.store.schema import entrants, meetings, members, pairs, sessions, tallies
from mancala.server.store.writer import Transaction

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
TALLIES: Final = select(
    *(tallies.c[name] for name in ("ladder", "first", "second", *Tally._fields))
)
PAIRS: Final = select(pairs)


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
    outcomes = _in_columns(transaction.fetch_pieces(TALLIES), no_tallies)
    paired = _in_columns(transaction.fetch_pieces(PAIRS), no_pairs)
    present = _by_ladder((row.ladder, row.name) for row in transaction.execute(PRESENT))
    met = _by_ladder((row.ladder, (row.name, row.other)) for row in transaction.execute(LAST_MET))
    return {
        ladder: KeptLadder(
            tuple(rated[ladder]),
            outcomes.get(ladder, NOTHING_PLAYED),
            tuple(present[ladder]),
            dict(met[ladder]),
            paired.get(ladder, NO_PAIRS),
        )
        for ladder in {*rated, *outcomes, *present}
    }


def _by_ladder(pairs: Iterable[tuple[str, T]]) -> defaultdict[str, list[T]]:
    grouped = defaultdict[str, list[T]](list)
    for ladder, value in pairs:
        grouped[ladder].append(value)
    return grouped


def _in_columns(
    pieces: Iterable[list[tuple[Any, ...]]], empty: Callable[[], SeatColumns[T]]
) -> dict[str, SeatColumns[T]]:
    """Return rows of a ladder, two seats and their counts, by ladder.

    They come in any order: one by an index took three times as long.
    """
    found: dict[str, SeatColumns[T]] = {}
    for rows in pieces:
        for ladder in {row[0] for row in rows}:
            columns = found.setdefault(ladder, empty())
            columns.extend([row for row in rows if row[0] == ladder])
    return found


def _entrant(row: RowMapping) -> Entrant:
    live = LiveRating(row["elo"], row["deviation"], row["volatility"])
    until, reason = row["quarantined_until"], row["quarantine_reason"]
    quarantine = None if until is None else Quarantine(until, reason)
    return Entrant(row["name"], live, row["strikes"], quarantine)
