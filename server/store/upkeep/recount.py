"""What the tables must hold by the games that remain: counted from nothing, and compared.

The tables are kept up to date by each transaction that ends, annuls or reinstates a game. This
counts the same from the games alone, by other queries, so that a fault of the one shows.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from sqlalchemy import Row, Select, Table, delete, func, insert, select

from mancala.protocol.accuracy import Sums
from mancala.protocol.messages import Reason

from ...model.journal import Recounted
from ...model.review.packed_reviews import unpack_sums
from ..database.schema import accuracies, duels, endings, games, matches, pairs, players, reviews
from ..database.writer import Transaction
from ..rows.ladders import NOTHING, PairRow, points_row, tally_row
from ..rows.listing import counting

NO_LADDER: Final = ""
LAST_GAME: Final = "last_game_at"
KEY: Final = ("ladder", "first", "second")
Key = tuple[Any, ...]
Numbers = tuple[int, ...]
COUNTED: Final = (endings, duels, players, pairs, accuracies)


class Difference(NamedTuple):
    """A row that is not what the games come to; None for no row, or for no games."""

    table: str
    key: Key
    kept: Numbers | None
    counted: Numbers | None


class _Recount:
    def __init__(self) -> None:
        self.rows: dict[str, dict[Key, list[int]]] = {
            table.name: defaultdict(lambda: [0] * 4) for table in (endings, duels, players)
        }
        self.rows[pairs.name] = defaultdict(lambda: [0] * len(NOTHING))
        self.rows[accuracies.name] = defaultdict(lambda: [0] * len(Sums._fields))
        self.last_game_at: dict[str, str] = {}

    def add(self, table: Table, key: Key, numbers: Numbers, times: int = 1) -> None:
        row = self.rows[table.name][key]
        for place, number in enumerate(numbers):
            row[place] += times * number

    def count(self, row: Row[Any]) -> None:
        """Add games of the same kind: the same bots, seats and ending."""
        sides = (
            (row.first, row.first_entrant or row.first),
            (row.second, row.second_entrant or row.second),
        )
        seats = sides[:: 1 if row.turn == 0 else -1]
        is_void = row.reason == Reason.ABORTED
        for seat, (bot, entrant) in enumerate(seats):
            outcome = (1, 0, 0, 0) if is_void else (1, *_outcome(row.winner, seat))
            key = (bot, row.ladder or NO_LADDER, entrant, seat, row.reason)
            self.add(endings, key, outcome, row.games)
            if not is_void:
                self.add(players, (bot,), outcome, row.games)
                self.last_game_at[bot] = max(self.last_game_at.get(bot, ""), row.last)
        if is_void:
            return
        (south, one), (north, other) = seats
        self.add(duels, (south, north), (1, *_outcome(row.winner, 0)), row.games)
        if row.ladder is not None and row.rated:
            self.add_pair(tally_row(row.ladder, (one, other), _outcome(row.winner, 0)), row.games)

    def count_pair(self, row: Row[Any]) -> None:
        """Add side-swapped pairs with the same outcomes."""
        half_points = _half(row.winner, 0) + _half(row.back, 1)
        entrants = row.first_entrant, row.second_entrant
        seats = min(entrants), max(entrants)
        seen = half_points if seats == entrants else 4 - half_points
        counts = (int(seen == half) for half in range(5))
        self.add_pair(points_row(row.ladder, seats, counts), row.games)

    def add_pair(self, row: PairRow, times: int) -> None:
        """Add to what two entrants have played."""
        key, numbers = ([row[name] for name in names] for names in (KEY, NOTHING))
        self.add(pairs, tuple(key), tuple(numbers), times)

    def review(self, row: Row[Any]) -> None:
        both = unpack_sums(row.body, row.sums)
        for name, by_phase in zip((row.first, row.second), both, strict=True):
            for phase, sums in by_phase.items():
                self.add(accuracies, (row.ladder or NO_LADDER, name, str(phase)), tuple(sums))


def differences(transaction: Transaction) -> list[Difference]:
    """Return every row of the tables that is not what the games come to."""
    recounted = _recounted(transaction)
    return [found for table in COUNTED for found in _compared(transaction, table, recounted)]


def rewrite(_entry: Recounted, transaction: Transaction) -> None:
    """Write the tables anew, from the games alone."""
    recounted = _recounted(transaction)
    for table in COUNTED:
        transaction.execute(delete(table)).close()
        rows = [
            dict(zip(_names(table), (*key, *numbers), strict=True))
            for key, numbers in recounted.rows[table.name].items()
            if any(numbers)
        ]
        if table is players:
            rows = [{**row, LAST_GAME: recounted.last_game_at[row["name"]]} for row in rows]
        if rows:
            transaction.connection.execute(insert(table), rows).close()


def _recounted(transaction: Transaction) -> _Recount:
    recount = _Recount()
    for row in transaction.execute(_games()):
        recount.count(row)
    for row in transaction.execute(_pairs()):
        recount.count_pair(row)
    for row in transaction.execute(_reviews()):
        recount.review(row)
    return recount


def _games() -> Select[Any]:
    kinds = (
        *((games.c.number % 2).label("turn"), games.c.winner, games.c.reason),
        *(matches.c.first, matches.c.second, matches.c.ladder, matches.c.rated),
        *(matches.c.first_entrant, matches.c.second_entrant),
    )
    return (
        select(*kinds, func.count().label("games"), func.max(games.c.ended_at).label("last"))
        .join_from(games, matches)
        .where(
            games.c.ended_at.is_not(None),
            games.c.annulled_at.is_(None),
            games.c.seq.is_not(None),
        )
        .group_by(*kinds)
    )


def _pairs() -> Select[Any]:
    back = games.alias("back")
    kinds = (
        *(matches.c.ladder, matches.c.first_entrant, matches.c.second_entrant),
        *(games.c.winner, back.c.winner.label("back")),
    )
    played = (*counting(games), *counting(back))
    return (
        select(*kinds, func.count().label("games"))
        .join_from(games, matches)
        .join(back, (back.c.match == games.c.match) & (back.c.number == games.c.number + 1))
        .where(games.c.number % 2 == 0, matches.c.ladder.is_not(None), matches.c.rated, *played)
        .group_by(*kinds)
    )


def _reviews() -> Select[Any]:
    columns = (reviews.c[name] for name in ("ladder", "first", "second", "sums", "body"))
    return (
        select(*columns)
        .join_from(reviews, games)
        .where(reviews.c.version.is_not(None), games.c.annulled_at.is_(None))
    )


def _compared(transaction: Transaction, table: Table, recounted: _Recount) -> Iterator[Difference]:
    keys = len(table.primary_key)
    query = select(*(table.c[name] for name in _names(table)))
    kept = {tuple(row[:keys]): tuple(row[keys:]) for row in transaction.execute(query)}
    counted = {key: tuple(numbers) for key, numbers in recounted.rows[table.name].items()}
    for key in sorted({**kept, **counted}):
        before, after = (_unless_empty(rows.get(key)) for rows in (kept, counted))
        if before != after:
            yield Difference(str(table.name), key, before, after)


def _names(table: Table) -> tuple[str, ...]:
    return tuple(column.name for column in table.columns if column.name != LAST_GAME)


def _unless_empty(numbers: Numbers | None) -> Numbers | None:
    return numbers if numbers is not None and any(numbers) else None


def _outcome(winner: int | None, seat: int) -> Numbers:
    return int(winner == seat), int(winner is None), int(winner == 1 - seat)


def _half(winner: int | None, seat: int) -> int:
    return 1 if winner is None else 2 * int(winner == seat)
