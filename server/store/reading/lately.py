"""What happened since a time: for the organiser's page. Read on a connection of its own."""

from collections import Counter
from typing import Any, Final, NamedTuple

from sqlalchemy import Row, func, select

from mancala.protocol import codec
from mancala.protocol.messages import Evidence, Reason

from ...model.day_counts import CountKind
from ...model.orders import LoggedAct
from ...model.schemas.morning import QuarantineView, VoidView
from ...model.timestamps import instant_of
from ..database.schema import day_counts, entrants, games, matches, outbox, reviews
from ..database.writer import Transaction
from ..rows.orders import logged

ROWS_A_READ: Final = 5000
SHOWN: Final = 20
SIZE: Final = (
    "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class"
    " WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace"
)


class Lately(NamedTuple):
    """What the store knows of the time since.

    Attributes:
        endings: finished games by reason, annulled ones under ``annulled``.
        oldest_review: when the one that waits longest ended; None for none.
    """

    endings: dict[str, int]
    void: tuple[VoidView, ...]
    quarantines: tuple[QuarantineView, ...]
    reviews_waiting: int
    oldest_review: str | None
    unpublished: int
    starts: tuple[str, ...]
    acts: tuple[LoggedAct, ...]


def lately(transaction: Transaction, since: str, now: str) -> Lately:
    """Return what happened since a time, RFC 3339."""
    endings, void = _games(transaction, since)
    waiting = select(
        func.count().label("games"), func.min(reviews.c.ended_ms).label("oldest")
    ).where(reviews.c.version.is_(None))
    found = transaction.execute(waiting).mappings().one()
    unsent = select(func.count()).select_from(outbox).where(outbox.c.published_at.is_(None))
    return Lately(
        endings=dict(endings),
        void=tuple(_void(transaction, row) for row in void[:SHOWN]),
        quarantines=_quarantines(transaction, now),
        reviews_waiting=found["games"],
        oldest_review=None if found["oldest"] is None else instant_of(found["oldest"]),
        unpublished=transaction.execute(unsent).scalar_one(),
        starts=_starts(transaction, since),
        acts=tuple(logged(transaction, SHOWN)),
    )


def bytes_of_tables(transaction: Transaction) -> int:
    """Return the bytes of all tables and indices in PostgreSQL; 0 in SQLite, which is a file."""
    if transaction.connection.dialect.name == "sqlite":
        return 0
    return int(transaction.connection.exec_driver_sql(SIZE).scalar_one())


def _games(transaction: Transaction, since: str) -> tuple[Counter[str], list[Row[Any]]]:
    """Count the games that ended since, the latest first, until one began before."""
    endings: Counter[str] = Counter()
    void: list[Row[Any]] = []
    before: int | None = None
    while True:
        columns = (games.c.seq, games.c.id, games.c.match, games.c.began_at, games.c.ended_at)
        query = select(*columns, games.c.reason, games.c.evidence, games.c.annulled_at)
        query = query.where(games.c.seq.is_not(None)).order_by(games.c.seq.desc())
        if before is not None:
            query = query.where(games.c.seq < before)
        rows = transaction.execute(query.limit(ROWS_A_READ)).all()
        for row in rows:
            if row.began_at < since:
                return endings, void
            if row.ended_at is not None:
                endings["annulled" if row.annulled_at is not None else row.reason] += 1
                if row.reason == Reason.ABORTED:
                    void.append(row)
        if not rows:
            return endings, void
        before = rows[-1].seq


def _void(transaction: Transaction, row: Row[Any]) -> VoidView:
    query = select(matches.c.first, matches.c.second).where(matches.c.id == row.match)
    played = transaction.execute(query).one()
    why = codec.from_json(row.evidence, Evidence).detail if row.evidence is not None else ""
    players = played.first, played.second
    return VoidView(game=row.id, players=players, ended_at=row.ended_at, why=why)


def _quarantines(transaction: Transaction, now: str) -> tuple[QuarantineView, ...]:
    until = entrants.c.quarantined_until
    query = select(entrants).where(until > now).order_by(until)
    return tuple(
        QuarantineView(
            ladder=row["ladder"],
            name=row["name"],
            until=row["quarantined_until"],
            reason=row["quarantine_reason"],
        )
        for row in transaction.execute(query).mappings()
    )


def _starts(transaction: Transaction, since: str) -> tuple[str, ...]:
    query = select(day_counts.c.counted_at).where(
        day_counts.c.kind == CountKind.START.value, day_counts.c.counted_at >= since
    )
    return tuple(transaction.execute(query.order_by(day_counts.c.counted_at)).scalars())
