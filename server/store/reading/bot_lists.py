"""Lists of bots, by name."""

from typing import Any, Final

from sqlalchemy import ColumnElement, Select, func, literal, null, select, union_all

from ...model.schemas.bots import BotSummary
from ..database.schema import OUTCOMES, bots, players
from ..database.writer import Transaction

PLAYERS: Final = select(
    players.c.name,
    *(players.c[name] for name in OUTCOMES),
    players.c.last_game_at,
    literal(0).label("reserved"),
)
RESERVED: Final = select(
    bots.c.name,
    *(literal(0).label(name) for name in OUTCOMES),
    null().label("last_game_at"),
    literal(1).label("reserved"),
).where(bots.c.is_reviewer.is_(False))


def bots_page(
    transaction: Transaction, *, name: str | None = None, after: str | None = None, limit: int
) -> tuple[BotSummary, ...]:
    """Return bots that played or have a token, ordered by name; only one with ``name``."""
    query = _query(name, after, limit)
    rows = transaction.execute(query).mappings()
    return tuple(BotSummary(**{**row, "reserved": bool(row["reserved"])}) for row in rows)


def _query(name: str | None, after: str | None, limit: int) -> Select[Any]:
    ranges = [
        _range(PLAYERS, players.c.name, name, after),
        _range(RESERVED, bots.c.name, name, after),
    ]
    lines = union_all(*(select(one.limit(limit).subquery()) for one in ranges)).subquery()
    return (
        select(
            lines.c.name,
            *(func.sum(lines.c[count]).label(count) for count in OUTCOMES),
            func.max(lines.c.last_game_at).label("last_game_at"),
            func.max(lines.c.reserved).label("reserved"),
        )
        .group_by(lines.c.name)
        .order_by(lines.c.name)
        .limit(limit)
    )


def _range(
    query: Select[Any], column: ColumnElement[str], name: str | None, after: str | None
) -> Select[Any]:
    if name is not None:
        query = query.where(column == name)
    if after is not None:
        query = query.where(column > after)
    return query.order_by(column)
