"""A bot under another name: its games, totals, ratings and token follow.

Where the other name has games of its own, both count as one. Rows that are keyed by a name are
taken out and put in under the other, added to the row that is there already; the games follow by
the key of their bot's name. No two bots become one that have met: a game needs two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    Column,
    ColumnElement,
    Delete,
    Insert,
    Table,
    delete,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert

from mancala.server.model.entrant import entrant_name, renamed
from mancala.server.model.journal import BotRenamed
from mancala.server.store.listing import keep_key
from mancala.server.store.schema import (
    accuracies,
    bots,
    duels,
    endings,
    entrants,
    games,
    matches,
    meetings,
    pairs,
    players,
    points,
    reviews,
    splits,
    tallies,
)
from mancala.server.store.totals import COUNT_PLAYER, NO_LADDER
from mancala.server.store.upsert import accumulate
from mancala.server.store.writer import Transaction

Values = dict[str, Any]
HALVES: Final = tuple(f"points_{half}" for half in range(5))


class _Names(NamedTuple):
    """Both names of a bot, and their keys in the lists."""

    old: str
    new: str
    old_key: int
    new_key: int

    def bot(self, name: str) -> str:
        """Return a bot's name, or the other one for the bot that is renamed."""
        return self.new if name == self.old else name

    def entrant(self, entrant: str) -> str:
        """Return an entrant; that of the other name for a version of the bot."""
        return renamed(entrant, self.old, self.new)


def rename(entry: BotRenamed, transaction: Transaction) -> None:
    """Move all that is known of a bot to another name."""
    keys = (keep_key(transaction, name) for name in (entry.old, entry.new))
    names = _Names(entry.old, entry.new, *keys)
    for statement in (*_of_matches(names), *_of_games(names), *_of_reviews(names)):
        transaction.execute(statement).close()
    _move_totals(transaction, names)
    _move_ratings(transaction, names)
    _move_token(transaction, entry)
    transaction.flush()


def met(transaction: Transaction, one: str, other: str) -> int:
    """Return how many matches two bots have played, annulled ones too."""
    both = or_(
        (matches.c.first == one) & (matches.c.second == other),
        (matches.c.first == other) & (matches.c.second == one),
    )
    return int(
        transaction.execute(select(func.count()).select_from(matches).where(both)).scalar_one()
    )


def known_of(transaction: Transaction, name: str) -> str | None:
    """Return what is known of a bot's name, in words; None for nothing."""
    played = select(matches.c.id).where(or_(matches.c.first == name, matches.c.second == name))
    if transaction.execute(played.limit(1)).first() is not None:
        return "games"
    reserved = select(bots.c.name).where(bots.c.name == name)
    return "a token" if transaction.execute(reserved).first() is not None else None


def _of_matches(names: _Names) -> list[Any]:
    stem = len(entrant_name(names.old, None))
    statements = []
    for side in ("first", "second"):
        entrant = matches.c[f"{side}_entrant"]
        version = entrant_name(names.new, None) + func.substr(entrant, stem + 1)
        changed = {side: names.new, entrant.name: version}
        statements.append(update(matches).where(matches.c[side] == names.old).values(changed))
    return statements


def _of_games(names: _Names) -> list[Any]:
    return [
        update(games).where(games.c[seat] == names.old_key).values({seat: names.new_key})
        for seat in ("south", "north")
    ]


def _of_reviews(names: _Names) -> list[Any]:
    stem = entrant_name(names.old, None)
    version = entrant_name(names.new, None)
    statements = [
        update(reviews)
        .where(_is_version(reviews.c[seat], names.old))
        .values({seat: version + func.substr(reviews.c[seat], len(stem) + 1)})
        for seat in ("first", "second")
    ]
    reviewer = update(reviews).where(reviews.c.reviewer == names.old).values(reviewer=names.new)
    return [*statements, reviewer]


def _is_version(column: Column[Any], bot: str) -> ColumnElement[bool]:
    stem = entrant_name(bot, None)
    return or_(column == stem, func.substr(column, 1, len(stem) + 1) == f"{stem}@")


def _move_totals(transaction: Transaction, names: _Names) -> None:
    def ending(row: Values) -> Values:
        entrant = names.entrant(row["entrant"]) if row["ladder"] != NO_LADDER else names.new
        return {**row, "bot": names.new, "entrant": entrant}

    def duel(row: Values) -> Values:
        return {**row, "south": names.bot(row["south"]), "north": names.bot(row["north"])}

    met_each_other = or_(duels.c.south == names.old, duels.c.north == names.old)
    _move(transaction, endings, endings.c.bot == names.old, ending, accumulate(endings))
    _move(transaction, duels, met_each_other, duel, accumulate(duels))
    _move(
        transaction,
        players,
        players.c.name == names.old,
        lambda row: {**row, "name": names.new},
        COUNT_PLAYER,
    )
    _move(
        transaction,
        splits,
        splits.c.bot == names.old_key,
        lambda row: {**row, "bot": names.new_key},
        accumulate(splits),
    )
    _move(
        transaction,
        accuracies,
        _is_version(accuracies.c.name, names.old),
        lambda row: {**row, "name": names.entrant(row["name"])},
        accumulate(accuracies),
    )


def _move_ratings(transaction: Transaction, names: _Names) -> None:
    def seats(row: Values) -> Values:
        return {**row, **{side: names.entrant(row[side]) for side in ("first", "second")}}

    for table, move in ((tallies, seats), (pairs, lambda row: _in_order(seats(row)))):
        is_its = [_is_version(table.c[side], names.old) for side in ("first", "second")]
        _move(transaction, table, or_(*is_its), move, accumulate(table))
    _move(
        transaction,
        entrants,
        _is_version(entrants.c.name, names.old),
        lambda row: {**row, "name": names.entrant(row["name"])},
        _unless_there(entrants),
    )
    _move(
        transaction,
        points,
        points.c.bot == names.old_key,
        lambda row: {**row, "bot": names.new_key, "entrant": names.entrant(row["entrant"])},
        _unless_there(points),
    )
    _move(
        transaction,
        meetings,
        or_(meetings.c.name == names.old, meetings.c.other == names.old),
        lambda row: {**row, "name": names.bot(row["name"]), "other": names.bot(row["other"])},
        _unless_there(meetings),
    )


def _in_order(row: Values) -> Values:
    """Return a row of pairs counted for the entrant whose name comes first."""
    if row["first"] < row["second"]:
        return row
    turned = dict(zip(HALVES, (row[half] for half in reversed(HALVES)), strict=True))
    return {**row, "first": row["second"], "second": row["first"], **turned}


def _unless_there(table: Table) -> Insert:
    return insert(table).on_conflict_do_nothing()


def _move(
    transaction: Transaction,
    table: Table,
    is_meant: ColumnElement[bool],
    move: Callable[[Values], Mapping[str, Any]],
    put_in: Insert,
) -> None:
    """Take rows of a table out, and put them in again as ``move`` returns them."""
    found = [dict(row) for row in transaction.execute(select(table).where(is_meant)).mappings()]
    taken: Delete = delete(table).where(is_meant)
    transaction.execute(taken).close()
    for row in found:
        transaction.put(put_in, dict(move(row)))


def _move_token(transaction: Transaction, entry: BotRenamed) -> None:
    """Let the token follow; where the other name has its own, the former one stays reserved."""
    reserved = select(bots.c.name).where(bots.c.name == entry.new)
    if transaction.execute(reserved).first() is None:
        change = update(bots).values(name=entry.new)
    else:
        change = update(bots).where(bots.c.revoked_at.is_(None)).values(revoked_at=entry.at)
    transaction.execute(change.where(bots.c.name == entry.old)).close()
