"""What the games of bots came to, read from totals: a list of bots, and one bot's statistics."""

from collections.abc import Iterable
from typing import Any, Final

import sqlalchemy as sa

from mancala.protocol.messages import Reason

from ...model.schemas.bots import BotSummary
from ...model.schemas.history import (
    BotStatistics,
    Counts,
    Duel,
    EndingCounts,
    LengthCounts,
    OpeningCounts,
    OpponentCounts,
    VersionCounts,
)
from ..database.schema import OUTCOMES, bots, duels, endings, players, splits
from ..database.writer import Transaction
from ..rows.listing import key_of
from ..rows.totals import NO_LADDER, PLIES_A_CLASS, CountedBy

MOST_LISTED: Final = 100


def _summed(table: sa.Table, *by: str) -> sa.Select[Any]:
    sums = (sa.func.sum(table.c[name]).label(name) for name in OUTCOMES)
    return sa.select(*(table.c[name] for name in by), *sums).group_by(
        *(table.c[name] for name in by)
    )


ITS: Final = endings.c.bot == sa.bindparam("bot")
ENDINGS: Final = _summed(endings, "ladder", "seat", "reason").where(ITS)
VERSIONS: Final = (
    _summed(endings, "ladder", "entrant")
    .where(ITS, endings.c.ladder != NO_LADDER, endings.c.reason != str(Reason.ABORTED))
    .order_by(sa.func.sum(endings.c.games).desc(), endings.c.entrant)
    .limit(MOST_LISTED)
)
SPLITS: Final = (
    sa.select(splits)
    .where(splits.c.bot == key_of(sa.bindparam("bot")), splits.c.kind == sa.bindparam("split"))
    .order_by(splits.c.games.desc(), splits.c.value)
    .limit(MOST_LISTED)
)
MET: Final = (
    sa.select(duels)
    .where(duels.c.south == sa.bindparam("bot"))
    .order_by(duels.c.games.desc(), duels.c.north)
    .limit(MOST_LISTED)
)
BACK: Final = sa.select(duels).where(
    duels.c.north == sa.bindparam("bot"), duels.c.south.in_(sa.bindparam("others", expanding=True))
)
DUEL: Final = sa.select(duels).where(
    duels.c.south == sa.bindparam("south"), duels.c.north == sa.bindparam("north")
)
PLAYERS: Final = sa.select(
    players.c.name,
    *(players.c[name] for name in OUTCOMES),
    players.c.last_game_at,
    sa.literal(0).label("reserved"),
)
RESERVED: Final = sa.select(
    bots.c.name,
    *(sa.literal(0).label(name) for name in OUTCOMES),
    sa.null().label("last_game_at"),
    sa.literal(1).label("reserved"),
).where(bots.c.is_reviewer.is_(False))


def bots_page(
    transaction: Transaction, *, name: str | None = None, after: str | None = None, limit: int
) -> tuple[BotSummary, ...]:
    """Return bots that played or have a token, ordered by name; only one with ``name``."""
    query = _bots_query(name, after, limit)
    rows = transaction.execute(query).mappings()
    return tuple(BotSummary(**{**row, "reserved": bool(row["reserved"])}) for row in rows)


def _bots_query(name: str | None, after: str | None, limit: int) -> sa.Select[Any]:
    ranges = [
        _range(PLAYERS, players.c.name, name, after),
        _range(RESERVED, bots.c.name, name, after),
    ]
    lines = sa.union_all(*(sa.select(one.limit(limit).subquery()) for one in ranges)).subquery()
    return (
        sa.select(
            lines.c.name,
            *(sa.func.sum(lines.c[count]).label(count) for count in OUTCOMES),
            sa.func.max(lines.c.last_game_at).label("last_game_at"),
            sa.func.max(lines.c.reserved).label("reserved"),
        )
        .group_by(lines.c.name)
        .order_by(lines.c.name)
        .limit(limit)
    )


def _range(
    query: sa.Select[Any], column: sa.ColumnElement[str], name: str | None, after: str | None
) -> sa.Select[Any]:
    if name is not None:
        query = query.where(column == name)
    if after is not None:
        query = query.where(column > after)
    return query.order_by(column)


def statistics_of(transaction: Transaction, bot: str) -> BotStatistics:
    """Return what the games of a bot came to, apart by all that is counted apart."""
    named = {"bot": bot}
    return BotStatistics(
        endings=tuple(
            EndingCounts(
                ladder=row.ladder or None,
                seat=row.seat,
                reason=Reason(row.reason),
                counts=_counts(row),
            )
            for row in transaction.execute(ENDINGS, named)
        ),
        versions=tuple(
            VersionCounts(ladder=row.ladder, name=row.entrant, counts=_counts(row))
            for row in transaction.execute(VERSIONS, named)
        ),
        openings=tuple(
            OpeningCounts(opening=row.value, counts=_counts(row))
            for row in _splits(transaction, bot, CountedBy.OPENING)
        ),
        lengths=tuple(
            LengthCounts(plies=plies, below=plies + PLIES_A_CLASS, counts=_counts(row))
            for plies, row in sorted(
                (int(row.value), row) for row in _splits(transaction, bot, CountedBy.LENGTH)
            )
        ),
        opponents=_opponents(transaction, bot),
    )


def duel(transaction: Transaction, bot: str, other: str) -> Duel:
    first, second = _seen(transaction, bot, other), _seen(transaction, other, bot)
    return Duel(bot=bot, other=other, first=first, second=_turned(second))


def _seen(transaction: Transaction, south: str, north: str) -> Counts:
    row = transaction.execute(DUEL, {"south": south, "north": north}).one_or_none()
    return Counts() if row is None else _counts(row)


def _turned(counts: Counts) -> Counts:
    return Counts(games=counts.games, wins=counts.losses, draws=counts.draws, losses=counts.wins)


def _opponents(transaction: Transaction, bot: str) -> tuple[OpponentCounts, ...]:
    """Return its opponents: those against whom it moved first, as in every pair of games."""
    found, met = [], transaction.execute(MET, {"bot": bot}).all()
    others = {"bot": bot, "others": [row.north for row in met]}
    turned = {row.south: _turned(_counts(row)) for row in transaction.execute(BACK, others)}
    for row in met:
        back = turned.get(row.north, Counts())
        both = {name: getattr(row, name) + getattr(back, name) for name in OUTCOMES}
        found.append(OpponentCounts(opponent=row.north, counts=Counts(**both)))
    return tuple(sorted(found, key=lambda each: (-each.counts.games, each.opponent)))


def _splits(transaction: Transaction, bot: str, split: CountedBy) -> Iterable[Any]:
    return transaction.execute(SPLITS, {"bot": bot, "split": str(split)})


def _counts(row: Any) -> Counts:  # noqa: ANN401  # a row with outcomes
    return Counts(**{name: int(getattr(row, name)) for name in OUTCOMES})
