"""What a former server left of its ladders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final, TypeVar

from sqlalchemy import RowMapping, Select, and_, func, select, union_all

from server.model.entrant import Entrant, LiveRating, Quarantine
from server.model.game import Seats, Tally
from server.model.journal import KeptLadder
from server.model.pair_counts import PairCounts
from server.store.schema import entrants, matches, members, pairs, sessions, tallies
from server.store.writer import Transaction

T = TypeVar("T")

PRESENT: Final = select(members.c.ladder, sessions.c.name).join_from(
    members, sessions, members.c.secret_hash == sessions.c.secret_hash
)


def _last_met() -> Select[tuple[str, str, str]]:
    """Select the latest opponent of each member of a ladder."""
    seats = (matches.c.first, matches.c.second)
    both = union_all(
        *(
            select(
                matches.c.ladder,
                mine.label("name"),
                other.label("other"),
                matches.c.id,
                matches.c.began_at,
            ).where(matches.c.ladder.is_not(None))
            for mine, other in (seats, seats[::-1])
        )
    ).subquery()
    present = PRESENT.subquery()
    latest = func.row_number().over(
        partition_by=(both.c.ladder, both.c.name),
        order_by=(both.c.began_at.desc(), both.c.id.desc()),
    )
    is_theirs = and_(both.c.ladder == present.c.ladder, both.c.name == present.c.name)
    numbered = (
        select(both.c.ladder, both.c.name, both.c.other, latest.label("place"))
        .join_from(both, present, is_theirs)
        .subquery()
    )
    columns = numbered.c.ladder, numbered.c.name, numbered.c.other
    return select(*columns).where(numbered.c.place == 1)


LAST_MET: Final = _last_met()


def kept_ladders(transaction: Transaction) -> dict[str, KeptLadder]:
    """Read all ladders, by name."""
    members = _by_ladder(
        (row["ladder"], _entrant(row)) for row in transaction.execute(select(entrants)).mappings()
    )
    outcomes = _by_ladder(
        (row["ladder"], _tally(row)) for row in transaction.execute(select(tallies)).mappings()
    )
    paired = _by_ladder(
        (row["ladder"], _pairs(row)) for row in transaction.execute(select(pairs)).mappings()
    )
    present = _by_ladder((row.ladder, row.name) for row in transaction.execute(PRESENT))
    met = _by_ladder((row.ladder, (row.name, row.other)) for row in transaction.execute(LAST_MET))
    return {
        ladder: KeptLadder(
            tuple(members[ladder]),
            dict(outcomes[ladder]),
            tuple(present[ladder]),
            dict(met[ladder]),
            dict(paired[ladder]),
        )
        for ladder in {*members, *outcomes, *present}
    }


def _by_ladder(pairs: Iterable[tuple[str, T]]) -> defaultdict[str, list[T]]:
    grouped = defaultdict[str, list[T]](list)
    for ladder, value in pairs:
        grouped[ladder].append(value)
    return grouped


def _entrant(row: RowMapping) -> Entrant:
    live = LiveRating(row["elo"], row["deviation"], row["volatility"])
    until, reason = row["quarantined_until"], row["quarantine_reason"]
    quarantine = None if until is None else Quarantine(until, reason)
    return Entrant(row["name"], live, row["strikes"], quarantine)


def _tally(row: RowMapping) -> tuple[Seats, Tally]:
    return (row["first"], row["second"]), Tally(row["wins"], row["draws"], row["losses"])


def _pairs(row: RowMapping) -> tuple[Seats, PairCounts]:
    a, b, c, d, e = (row[f"points_{half}"] for half in range(5))
    return (row["first"], row["second"]), PairCounts((a, b, c, d, e))
