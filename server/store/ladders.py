"""What a former server left of its ladders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TypeVar

from sqlalchemy import RowMapping, select

from server.journal import KeptLadder
from server.ladder.books import Seats
from server.ladder.entrant import Entrant, Quarantine
from server.ladder.game import Tally
from server.ladder.glicko import Live
from server.store.schema import entrants, members, sessions, tallies
from server.store.writer import Transaction

T = TypeVar("T")


def kept_ladders(transaction: Transaction) -> dict[str, KeptLadder]:
    """Read all ladders, by name."""
    everybody = _by_ladder(
        (row["ladder"], _entrant(row)) for row in transaction.execute(select(entrants)).mappings()
    )
    outcomes = _by_ladder(
        (row["ladder"], _tally(row)) for row in transaction.execute(select(tallies)).mappings()
    )
    query = select(members.c.ladder, sessions.c.name).join_from(
        members, sessions, members.c.secret_hash == sessions.c.secret_hash
    )
    present = _by_ladder((row.ladder, row.name) for row in transaction.execute(query))
    return {
        ladder: KeptLadder(tuple(everybody[ladder]), dict(outcomes[ladder]), tuple(present[ladder]))
        for ladder in {*everybody, *outcomes, *present}
    }


def _by_ladder(pairs: Iterable[tuple[str, T]]) -> defaultdict[str, list[T]]:
    grouped = defaultdict[str, list[T]](list)
    for ladder, value in pairs:
        grouped[ladder].append(value)
    return grouped


def _entrant(row: RowMapping) -> Entrant:
    live = Live(row["elo"], row["deviation"], row["volatility"])
    until, reason = row["quarantined_until"], row["quarantine_reason"]
    quarantine = None if until is None else Quarantine(until, reason)
    return Entrant(row["name"], live, row["strikes"], quarantine)


def _tally(row: RowMapping) -> tuple[Seats, Tally]:
    return (row["first"], row["second"]), Tally(row["wins"], row["draws"], row["losses"])
