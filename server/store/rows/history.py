"""Ratings over time: the last one of each day on which an entrant played."""

from collections.abc import Iterable, Sequence
from datetime import date
from itertools import groupby
from typing import Any, Final

from sqlalchemy import bindparam, select

from ...model.entrant import bot_name
from ...model.journal import RatingNoted
from ...model.schemas.history import RatingHistory, RatingLine, RatingPoint
from ..database.schema import names, points
from ..database.statements import upsert
from ..database.writer import Transaction
from .listing import keep_key, key_of

EPOCH: Final = date(1970, 1, 1).toordinal()
MOST_READ: Final = 20_000
MOST_POINTS: Final = 366
TENTHS: Final = 10
LOOKED_BACK_DAYS: Final = 31

NOTE: Final = upsert(points)
LADDERS: Final = names.alias("ladders")
OF_BOT: Final = (
    select(
        LADDERS.c.name.label("ladder"),
        *(points.c[name] for name in ("entrant", "day", "elo", "error", "games")),
    )
    .join_from(points, LADDERS, LADDERS.c.key == points.c.ladder)
    .where(points.c.bot == key_of(bindparam("bot")))
    .order_by(points.c.bot, points.c.ladder, points.c.entrant, points.c.day)
    .limit(MOST_READ)
)
OF_ENTRANT: Final = OF_BOT.where(
    points.c.ladder == key_of(bindparam("ladder")), points.c.entrant == bindparam("entrant")
)
BEFORE: Final = (
    select(points.c.entrant, points.c.elo)
    .join_from(points, LADDERS, LADDERS.c.key == points.c.ladder)
    .where(
        LADDERS.c.name == bindparam("ladder"),
        points.c.bot.in_(
            select(names.c.key).where(names.c.name.in_(bindparam("bots", expanding=True)))
        ),
        points.c.entrant.in_(bindparam("entrants", expanding=True)),
        points.c.day.between(bindparam("first"), bindparam("last")),
    )
    .order_by(points.c.day)
)


def note(entry: RatingNoted, transaction: Transaction) -> None:
    """Note a rating; it takes the place of an earlier one of the same day."""
    transaction.put(
        NOTE,
        {
            "bot": keep_key(transaction, bot_name(entry.name)),
            "ladder": keep_key(transaction, entry.ladder),
            "entrant": entry.name,
            "day": date.fromisoformat(entry.at[:10]).toordinal() - EPOCH,
            "elo": round(TENTHS * entry.elo),
            "error": round(TENTHS * entry.error),
            "games": entry.games,
        },
    )


def ratings_of(transaction: Transaction, bot: str) -> RatingHistory:
    """Return the ratings of a bot's versions over time, in all ladders."""
    return RatingHistory(lines=tuple(_lines(transaction.execute(OF_BOT, {"bot": bot}))))


def ratings_in(transaction: Transaction, ladder: str, entrants: Iterable[str]) -> RatingHistory:
    """Return the ratings of some versions over time, in one ladder."""
    lines: list[RatingLine] = []
    for entrant in entrants:
        keys = {"bot": bot_name(entrant), "ladder": ladder, "entrant": entrant}
        lines += _lines(transaction.execute(OF_ENTRANT, keys))
    return RatingHistory(lines=tuple(lines))


def ratings_before(
    transaction: Transaction, ladder: str, entrants: Iterable[str], day: date
) -> dict[str, float]:
    """Return the ratings of some versions at the end of the day before a day, by name."""
    asked = tuple(entrants)
    last = day.toordinal() - EPOCH - 1
    keys = {
        "ladder": ladder,
        "bots": tuple(map(bot_name, asked)),
        "entrants": asked,
        "first": last - LOOKED_BACK_DAYS,
        "last": last,
    }
    return {row.entrant: row.elo / TENTHS for row in transaction.execute(BEFORE, keys)}


def _lines(rows: Iterable[Any]) -> Iterable[RatingLine]:
    for (ladder, entrant), found in groupby(rows, lambda row: (row.ladder, row.entrant)):
        kept = thinned(list(found))
        yield RatingLine(
            ladder=ladder, name=entrant, bot=bot_name(entrant), points=tuple(map(_point, kept))
        )


def thinned(rows: Sequence[Any]) -> list[Any]:
    """Return at most :data:`MOST_POINTS` of these, evenly, with the first and the last."""
    if len(rows) <= MOST_POINTS:
        return list(rows)
    last = len(rows) - 1
    return [rows[round(at * last / (MOST_POINTS - 1))] for at in range(MOST_POINTS)]


def _point(row: Any) -> RatingPoint:  # noqa: ANN401  # a row of ``OF_BOT``
    low, high = row.elo - row.error, row.elo + row.error
    return RatingPoint(
        day=date.fromordinal(row.day + EPOCH).isoformat(),
        rating=row.elo / TENTHS,
        interval=(low / TENTHS, high / TENTHS),
        games=row.games,
    )
