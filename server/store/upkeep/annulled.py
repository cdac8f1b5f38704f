"""Games that the operator annuls: which ones, what they counted for, totals without them."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from mancala.protocol import codec
from mancala.protocol.messages import Reason

from ...model.game import Seats
from ...model.journal import GamesMarked
from ..database.schema import games, matches
from ..database.statements import change, changed
from ..database.writer import Transaction
from ..rows import contests, reviews, totals
from ..rows.game_lists import place_at
from ..rows.listing import IS_LISTED, key_of, played_by

MOST_GAMES: Final = 100_000
"""Games that one order may annul: they are one transaction, beside which no move is written."""
MARK: Final = change(games, "annulled_at")
FACTS: Final = (
    *(games.c.id, games.c.match, games.c.number, games.c.winner, games.c.reason),
    *(games.c.ended_at, games.c.annulled_at),
    *(matches.c.first, matches.c.second, matches.c.ladder, matches.c.rated),
    *(matches.c.first_entrant, matches.c.second_entrant),
    matches.c.ended_at.label("match_ended_at"),
)
IN_MATCH: Final = (
    sa.select(*FACTS)
    .join_from(games, matches)
    .where(games.c.match == sa.bindparam("key"))
    .order_by(games.c.number)
)


class Selection(NamedTuple):
    """Which games are meant; what is None or empty does not matter. Times are RFC 3339, in UTC."""

    games: tuple[str, ...] = ()
    match: str | None = None
    bot: str | None = None
    other: str | None = None
    ladder: str | None = None
    since: str | None = None
    until: str | None = None


class FinishedGame(NamedTuple):
    """A finished game as it counts; its bots and their versions are in seat order."""

    id: str
    match: str
    number: int
    names: tuple[str, str]
    entrants: Seats
    ladder: str | None
    winner: int | None
    reason: Reason
    is_rated: bool
    is_annulled: bool
    is_under_way: bool

    @property
    def tallied(self) -> bool:
        """Whether it is among a ladder's tallies, unless it is annulled."""
        return self.ladder is not None and self.is_rated and self.reason is not Reason.ABORTED

    def points(self, side: int) -> float:
        """Return what it brought to a side of its match: 1, ½ or 0."""
        seat = side ^ (self.number % 2)
        return 0.5 if self.winner is None else float(self.winner == seat)


def find(transaction: Transaction, selection: Selection) -> list[FinishedGame]:
    """Return the finished games that are meant, by id; at most one more than ``MOST_GAMES``."""
    query = _query(selection, _within(transaction, selection)).limit(MOST_GAMES + 1)
    found = transaction.execute(query).mappings()
    return sorted(map(_game, found), key=lambda game: game.id)


def end_of_part(transaction: Transaction, selection: Selection) -> str:
    """Return a time before which at most ``MOST_GAMES`` of the games began, RFC 3339."""
    query = _query(selection, _within(transaction, selection)).with_only_columns(games.c.began_at)
    one_more = query.order_by(games.c.began_at).offset(MOST_GAMES).limit(1)
    return str(transaction.execute(one_more).scalar_one())


def find_all(transaction: Transaction, ids: Sequence[str]) -> list[FinishedGame]:
    found: list[FinishedGame] = []
    for begin in range(0, len(ids), 500):
        some = tuple(ids[begin : begin + 500])
        found += find(transaction, Selection(some))
    return found


def of_matches(transaction: Transaction, ids: Iterable[str]) -> dict[str, list[FinishedGame]]:
    return {
        match: [
            _game(row)
            for row in transaction.execute(IN_MATCH, {"key": match}).mappings()
            if row["ended_at"] is not None
        ]
        for match in ids
    }


def openings_of_match(transaction: Transaction, match: str) -> tuple[str, ...]:
    """Return the openings of a match as text; none for the standard start."""
    query = sa.select(matches.c.openings).where(matches.c.id == match)
    text = transaction.execute(query).scalar_one()
    return () if text is None else codec.from_json(text, tuple[str, ...])


def mark(entry: GamesMarked, transaction: Transaction) -> None:
    """Mark games, and take them out of the totals and accuracies, or add them again."""
    sign = 1 if entry.annulled_at is None else -1
    for game in entry.games:
        transaction.put(MARK, changed(game, {"annulled_at": entry.annulled_at}))
        totals.count(transaction, game, sign=sign)
        reviews.recount(transaction, game, sign=sign)
        contests.mark_annulled(transaction, game, annulled=entry.annulled_at is not None)
    transaction.flush()
    totals.forget_empty(transaction)


def _query(selection: Selection, within: sa.ColumnElement[bool]) -> sa.Select[Any]:
    query = sa.select(*FACTS).join_from(games, matches).where(games.c.ended_at.is_not(None), within)
    if selection.games:
        query = query.where(games.c.id.in_(selection.games))
    for column, value in (
        (games.c.match, selection.match),
        (matches.c.ladder, selection.ladder),
    ):
        if value is not None:
            query = query.where(column == value)
    for bot in (selection.bot, selection.other):
        if bot is not None:
            query = query.where(sa.or_(matches.c.first == bot, matches.c.second == bot))
    if selection.since is not None:
        query = query.where(games.c.began_at >= selection.since)
    if selection.until is not None:
        query = query.where(games.c.began_at < selection.until)
    return query


def _within(transaction: Transaction, selection: Selection) -> sa.ColumnElement[bool]:
    """Return a condition that makes a selection ranges of indexes."""
    if selection.games or selection.match is not None:
        return sa.true()
    if selection.bot is not None:
        return games.c.id.in_(played_by(key_of(sa.literal(selection.bot)), games.c.id))
    places: list[sa.ColumnElement[bool]] = [IS_LISTED]
    if selection.since is not None:
        places.append(games.c.seq >= place_at(transaction, selection.since))
    if selection.until is not None:
        places.append(games.c.seq < place_at(transaction, selection.until))
    return sa.and_(*places)


def _game(row: sa.RowMapping) -> FinishedGame:
    sides = (
        (row["first"], row["first_entrant"] or row["first"]),
        (row["second"], row["second_entrant"] or row["second"]),
    )
    south, north = sides if row["number"] % 2 == 0 else sides[::-1]
    return FinishedGame(
        id=row["id"],
        match=row["match"],
        number=row["number"],
        names=(south[0], north[0]),
        entrants=(south[1], north[1]),
        ladder=row["ladder"],
        winner=row["winner"],
        reason=Reason(row["reason"]),
        is_rated=row["rated"],
        is_annulled=row["annulled_at"] is not None,
        is_under_way=row["match_ended_at"] is None,
    )
