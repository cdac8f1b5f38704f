"""A bot under another name: its games, totals, ratings and token follow.

Where the other name has games of its own, both count as one. Rows that are keyed by a name are
taken out and put in under the other, added to the row that is there already; the games follow by
the key of their bot's name. No two bots become one that have met: a game needs two. A review keeps
the name that its reviewer had.

Nothing here reads a table that grows with the games. Rows that name a bot in their second place
have no index for it; they are looked up by the first place, for every bot there is.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from ...model.entrant import entrant_name, renamed
from ...model.journal import BotRenamed, LadderMoved
from ..database.schema import (
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
)
from ..database.statements import unless_there
from ..database.writer import Transaction
from ..rows.ladders import ADD, in_order
from ..rows.listing import IS_LISTED, KEY, keep_key, key_of, played_by
from ..rows.reviews import ADD_SUMS
from ..rows.totals import COUNT_DUEL, COUNT_ENDING, COUNT_PLAYER, COUNT_SPLIT, NO_LADDER

Values = dict[str, Any]
MOST_NAMES: Final = 500
"""Names in one statement."""
RATE, CHART, MEET = map(unless_there, (entrants, points, meetings))


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
    for statement in (*_of_matches(names), *_of_reviews(names), *_of_games(names)):
        transaction.execute(statement).close()
    _move_ratings(transaction, names)  # its opponents are those of the totals
    _move_totals(transaction, names)
    _move_token(transaction, entry)
    transaction.flush()


def have_met(transaction: Transaction, one: str, other: str) -> bool:
    """Return whether two bots have played each other, also in annulled and forgotten games."""
    for south, north in ((one, other), (other, one)):
        keys = games.c.south == _key_of(south), games.c.north == _key_of(north)
        listed = sa.select(games.c.id).where(IS_LISTED, *keys)
        counted = sa.select(duels.c.games).where(duels.c.south == south, duels.c.north == north)
        if any(_finds(transaction, query) for query in (listed, counted)):
            return True
    return False


def known_of(transaction: Transaction, name: str) -> str | None:
    its_games = sa.select(games.c.id).where(games.c.id.in_(played_by(_key_of(name), games.c.id)))
    counted = sa.select(endings.c.games).where(endings.c.bot == name)
    if any(_finds(transaction, query) for query in (its_games, counted)):
        return "games"
    return (
        "a token"
        if _finds(transaction, sa.select(bots.c.name).where(bots.c.name == name))
        else None
    )


def _key_of(name: str) -> sa.ColumnElement[int]:
    return key_of(sa.literal(name))


def _finds(transaction: Transaction, query: sa.Select[Any]) -> bool:
    return transaction.execute(query.limit(1)).first() is not None


def _of_matches(names: _Names) -> list[Any]:
    stem = len(entrant_name(names.old, None))
    statements = []
    for side in ("first", "second"):
        entrant = matches.c[f"{side}_entrant"]
        version = entrant_name(names.new, None) + sa.func.substr(entrant, stem + 1)
        its = matches.c.id.in_(played_by(names.old_key, games.c.match))
        changed = {side: names.new, entrant.name: version}
        statements.append(
            sa.update(matches).where(its, matches.c[side] == names.old).values(changed)
        )
    return statements


def _of_games(names: _Names) -> list[Any]:
    return [
        sa.update(games)
        .where(IS_LISTED, games.c[seat] == names.old_key)
        .values({seat: names.new_key})
        for seat in ("south", "north")
    ]


def _of_reviews(names: _Names) -> list[Any]:
    stem = entrant_name(names.old, None)
    version = entrant_name(names.new, None)
    its = reviews.c.game.in_(played_by(names.old_key, games.c.id))
    return [
        sa.update(reviews)
        .where(its, _is_version(reviews.c[seat], names.old))
        .values({seat: version + sa.func.substr(reviews.c[seat], len(stem) + 1)})
        for seat in ("first", "second")
    ]


def _is_version(column: sa.Column[Any], bot: str) -> sa.ColumnElement[bool]:
    stem = entrant_name(bot, None)
    return sa.or_(column == stem, sa.func.substr(column, 1, len(stem) + 1) == f"{stem}@")


def _move_totals(transaction: Transaction, names: _Names) -> None:
    put, taken = transaction.put, partial(_taken, transaction)
    for row in taken(endings, [endings.c.bot == names.old]):
        entrant = names.entrant(row["entrant"]) if row["ladder"] != NO_LADDER else names.new
        put(COUNT_ENDING, {**row, "bot": names.new, "entrant": entrant})
    for row in taken(duels, _duels_of(names.old)):
        seats = {seat: names.bot(row[seat]) for seat in ("south", "north")}
        put(COUNT_DUEL, {**row, **seats})
    for row in taken(players, [players.c.name == names.old]):
        put(COUNT_PLAYER, {**row, "name": names.new})
    for row in taken(splits, [splits.c.bot == names.old_key]):
        put(COUNT_SPLIT, {**row, "bot": names.new_key})
    for row in taken(accuracies, [_is_version(accuracies.c.name, names.old)]):
        put(ADD_SUMS, {**row, "name": names.entrant(row["name"])})


def _move_ratings(transaction: Transaction, names: _Names) -> None:
    put, taken = transaction.put, partial(_taken, transaction)
    versions = sa.select(endings.c.ladder, endings.c.entrant).distinct()
    its = transaction.execute(versions.where(endings.c.bot == names.old)).all()
    opponents = _opponents(transaction, names.old)
    for row in taken(pairs, _pairs_of(its, opponents)):
        entrants_of = {side: names.entrant(row[side]) for side in ("first", "second")}
        put(ADD, in_order({**row, **entrants_of}))
    for row in taken(entrants, [_is_version(entrants.c.name, names.old)]):
        put(RATE, {**row, "name": names.entrant(row["name"])})
    for row in taken(points, [points.c.bot == names.old_key]):
        put(CHART, {**row, "bot": names.new_key, "entrant": names.entrant(row["entrant"])})
    met = sa.or_(meetings.c.name == names.old, meetings.c.other == names.old)
    for row in taken(meetings, [met]):
        put(MEET, {**row, "name": names.bot(row["name"]), "other": names.bot(row["other"])})


def _duels_of(bot: str) -> list[sa.ColumnElement[bool]]:
    known = duels.c.south.in_(sa.select(players.c.name))
    return [duels.c.south == bot, sa.and_(known, duels.c.north == bot)]


def _opponents(transaction: Transaction, bot: str) -> list[str]:
    first, second = _duels_of(bot)
    found = sa.union(sa.select(duels.c.north).where(first), sa.select(duels.c.south).where(second))
    return list(transaction.execute(found).scalars())


def _pairs_of(its: Iterable[Any], opponents: Sequence[str]) -> Iterator[sa.ColumnElement[bool]]:
    """Yield conditions on rows with a bot's versions, first or second; each a range of the key."""
    for ladder, version in its:
        yield sa.and_(pairs.c.ladder == ladder, pairs.c.first == version)
        for begin in range(0, len(opponents), MOST_NAMES):
            bots_met = endings.c.bot.in_(opponents[begin : begin + MOST_NAMES])
            others = sa.select(endings.c.entrant).where(bots_met, endings.c.ladder == ladder)
            is_in = pairs.c.ladder == ladder, pairs.c.first.in_(others)
            yield sa.and_(*is_in, pairs.c.second == version)


def _taken(
    transaction: Transaction, table: sa.Table, meant: Iterable[sa.ColumnElement[bool]]
) -> list[Values]:
    """Take out rows that meet any condition, and return them."""
    found: list[Values] = []
    for condition in meant:
        rows = transaction.execute(sa.select(table).where(condition)).mappings()
        found += [dict(row) for row in rows]
        transaction.execute(sa.delete(table).where(condition)).close()
    return found


def _move_token(transaction: Transaction, entry: BotRenamed) -> None:
    """Let the token follow; where the other name has its own, the former one stays reserved."""
    reserved = sa.select(bots.c.name).where(bots.c.name == entry.new)
    if transaction.execute(reserved).first() is None:
        change = sa.update(bots).values(name=entry.new)
    else:
        change = sa.update(bots).where(bots.c.revoked_at.is_(None)).values(revoked_at=entry.at)
    transaction.execute(change.where(bots.c.name == entry.old)).close()


BY_NAME: Final = (matches, endings, pairs, entrants, reviews, accuracies)
BY_KEY: Final = (games, points)


def rename_ladder(entry: LadderMoved, transaction: Transaction) -> None:
    """Move all that was played in a ladder to another one; its members and limits stay."""
    transaction.execute(sa.delete(entrants).where(entrants.c.ladder == entry.new)).close()
    old, new = (keep_key(transaction, name) for name in (entry.old, entry.new))
    for table in BY_NAME:
        change = sa.update(table).where(table.c.ladder == entry.old).values(ladder=entry.new)
        transaction.execute(change).close()
    for table in BY_KEY:
        change = sa.update(table).where(table.c.ladder == old).values(ladder=new)
        transaction.execute(change).close()
    transaction.flush()


def has_games(transaction: Transaction, ladder: str) -> bool:
    """Return whether any game is listed under a ladder, rated or not."""
    for (key,) in transaction.fetch(KEY, {"name": ladder}):
        query = sa.select(games.c.id).where(games.c.ladder == key, IS_LISTED).limit(1)
        return transaction.execute(query).first() is not None
    return False
