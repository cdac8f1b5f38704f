"""Ends of games that an event hides: kept apart, and written once the event reveals them.

A hidden game has no place in the lists (the one where it began is kept for it), and stays under way
for all who read the store; so no list, total, record or review of it can say how it ended, and
nothing of it is announced. What its end would have written is sealed, and happens when it is
revealed.
"""

from collections.abc import Callable, Collection
from typing import Final

from msgspec import Struct
from sqlalchemy import bindparam, insert, or_, select, union

from mancala.protocol import codec
from mancala.protocol.results import GameResult, MatchResult

from ...model.journal import (
    Announcement,
    GameClosed,
    MatchClosed,
    Revealed,
    ReviewQueued,
    Sealed,
)
from ..database.schema import games, hidden_games, matches, sealed
from ..database.statements import change, changed, remove
from ..database.writer import Transaction
from . import reviews
from .listing import IS_LISTED, Listing, listing_of
from .matches import SealedEnd, close_game, close_match

SEAL: Final = insert(sealed)
DROP: Final = remove(sealed)
LIST: Final = change(games, "seq", *Listing._fields)
UNHIDE: Final = remove(hidden_games)
BEYOND: Final = 2**31 - 1
"""Above every number of a game."""
OF_THE_EVENT: Final = (
    select(sealed)
    .where(sealed.c.event == bindparam("event"), sealed.c.number < bindparam("until"))
    .order_by(sealed.c.number)
)
PLACE: Final = (
    select(hidden_games.c.seq).where(hidden_games.c.game == games.c.id).scalar_subquery()
).label("seq")
UNLISTED: Final = (
    select(games.c.id, games.c.match, games.c.number, PLACE)
    .join_from(games, matches)
    .where(
        ~IS_LISTED,
        matches.c.event == bindparam("event"),
        matches.c.event_game < bindparam("until"),
    )
    .order_by(games.c.began_at, games.c.id)
)
_SUBJECTS: Final = select(sealed.c.subject)
_GAMES: Final = games.c.id.in_(union(select(hidden_games.c.game), _SUBJECTS))
HIDDEN: Final = union(select(games.c.match).where(_GAMES), _SUBJECTS)
"""The matches of which anything is hidden."""


def seal(entry: Sealed, transaction: Transaction) -> None:
    """Keep an end apart."""
    what = entry.entry
    transaction.put(
        SEAL,
        {
            "subject": entry.subject,
            "kind": type(what).__name__,
            "event": entry.event,
            "number": entry.number,
            "place": entry.place,
            "entry": codec.to_json(what).decode(),
        },
    )


class _GameEnd(SealedEnd):
    game: str
    at: str
    result: tuple[str, str, GameResult, bool]


class _MatchEnd(Struct):
    match: str
    points: tuple[float, float]
    at: str
    result: tuple[str, str, MatchResult, bool]


def _end_game(text: str, transaction: Transaction) -> None:
    end = codec.from_json(text, _GameEnd)
    closed = GameClosed(end.game, end.ended, end.at, Announcement(*end.result))
    close_game(closed, transaction)


def _end_match(text: str, transaction: Transaction) -> None:
    end = codec.from_json(text, _MatchEnd)
    closed = MatchClosed(end.match, end.points, end.at, Announcement(*end.result))
    close_match(closed, transaction)


def _queue(text: str, transaction: Transaction) -> None:
    reviews.queue(codec.from_json(text, ReviewQueued), transaction)


HAPPEN: Final[dict[str, Callable[[str, Transaction], None]]] = {
    GameClosed.__name__: _end_game,
    MatchClosed.__name__: _end_match,
    ReviewQueued.__name__: _queue,
}
"""How each kind happens that can be sealed; of a match, in this order."""


def reveal(entry: Revealed, transaction: Transaction) -> None:
    """List the games that were hidden, and let their ends happen."""
    which = {"event": entry.event, "until": BEYOND if entry.until is None else entry.until}
    for row in transaction.execute(UNLISTED, which).all():
        listing = listing_of(transaction, row.match, row.number)
        transaction.put(LIST, changed(row.id, {"seq": row.seq, **listing._asdict()}))
        transaction.put(UNHIDE, {"game": row.id})
    kinds = [*HAPPEN]
    ends = transaction.execute(OF_THE_EVENT, which).all()
    for row in sorted(ends, key=lambda row: (row.number, kinds.index(row.kind), row.place)):
        HAPPEN[row.kind](row.entry, transaction)
        transaction.put(DROP, {"subject": row.subject, "kind": row.kind})


def event_hiding(transaction: Transaction, bots: Collection[str]) -> str | None:
    one, other = matches.c.first, matches.c.second
    query = select(matches.c.event).where(matches.c.id.in_(HIDDEN))
    query = query.where(or_(one.in_(bots), other.in_(bots))).limit(1)
    return transaction.execute(query).scalar_one_or_none()


def hidden_matches(transaction: Transaction, event: str) -> list[str]:
    """Return the matches of an event of which anything is hidden, by id."""
    query = select(matches.c.id).where(matches.c.id.in_(HIDDEN), matches.c.event == event)
    return [*transaction.execute(query.order_by(matches.c.event_game)).scalars()]
