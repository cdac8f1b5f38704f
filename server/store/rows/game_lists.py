"""Lists of games: by bot, match, ladder and status, the latest first.

Each list is a range of one index, which ends with ``seq``, the order in which games began. A list
of a bot's games is several of them: one for each seat and each ladder that it has played in, which
costs less than one more index for each seat. A page begins after the last game of the page before
it, so its cost depends neither on its position nor on how many games there are, and new games do
not shift it.

What no index has, such as how a game ended, is looked for within such a range, a bounded number of
games at a time. A page may then have fewer games than wanted, or none, and still a next page.
"""

from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Outcome, Reason
from mancala.protocol.rules import Rules

from ...model.schemas.games import BotResult, GameNeighbours, GameStatus, GameSummary, MatchView
from ..database.schema import RESULT, games, matches, moves, names
from ..database.shapes import maker_of
from ..database.writer import Transaction
from .listing import IS_LISTED, counting
from .matches import match_of

SOUTH: Final = sa.case((games.c.number % 2 == 0, matches.c.first), else_=matches.c.second)
NORTH: Final = sa.case((games.c.number % 2 == 0, matches.c.second), else_=matches.c.first)
PLIES: Final = sa.func.coalesce(
    games.c.plies,
    sa.select(sa.func.coalesce(sa.func.max(moves.c.ply) + 1, 0))
    .where(moves.c.game == games.c.id)
    .scalar_subquery(),
)
OWN: Final = ("id", "match", "number", "began_at", "ended_at", "annulled_at", *RESULT)
MAKE_OUTCOME: Final = maker_of(Outcome, games.columns)
GAMES: Final = sa.select(
    *(games.c[name] for name in OWN),
    SOUTH.label("south"),
    NORTH.label("north"),
    PLIES.label("plies"),
    *(matches.c[name] for name in ("rules", "clock", "rated", "ladder", "openings")),
).join_from(games, matches)
ENDS: Final[sa.Select[Any]] = sa.select(
    *(
        sa.select(end(games.c.seq)).where(games.c.seq.is_not(None)).scalar_subquery()
        for end in (sa.func.min, sa.func.max)
    )
)
FROM_PLACE: Final = (
    sa.select(games.c.seq, games.c.began_at)
    .where(games.c.seq >= sa.bindparam("place"))
    .order_by(games.c.seq)
    .limit(1)
)
SEATS: Final = (games.c.south, games.c.north)
MOST_LADDERS: Final = 100
"""Of a bot in more ladders, the games are sorted: a database bounds the parts of a question."""


def _ladders_of(seat: sa.ColumnElement[int]) -> sa.Select[Any]:
    """Return the keys of the ladders in which a bot played in a seat, and null, as a query.

    Each is sought in the index after the one before, whatever the number of games.
    """
    its = sa.select(sa.func.min(games.c.ladder).label("key")).where(
        seat == sa.bindparam("bot"), games.c.seq.is_not(None)
    )
    found = its.cte("ladders", recursive=True)
    following = its.where(games.c.ladder > found.c.key).scalar_subquery()
    found = found.union_all(sa.select(following).where(found.c.key.is_not(None)))
    return sa.select(found.c.key)


LADDERS_OF: Final = tuple(map(_ladders_of, SEATS))
FIRST: Final = -(2**62)
LAST: Final = 2**62
"""Beyond every place; a query names a bound, so that an index of listed games serves it."""


SCANNED: Final = 1000
"""Games of a range, or of a bot in one seat, that one page looks at, for what no index has."""
FIRST_PART: Final = 4
"""A page looks at a fourth of them first, which fills it where most games are wanted."""


class GameFilter(NamedTuple):
    """What is wanted of a list of games; None matches all.

    ``opponent``, ``result`` and ``version``, ``bot@version``, are those of the bot. ``since`` is
    the first time at which a game may have begun, ``until`` the first one that is too late.
    """

    bot: str | None = None
    match: str | None = None
    ladder: str | None = None
    status: GameStatus | None = None
    opponent: str | None = None
    result: BotResult | None = None
    version: str | None = None
    reason: Reason | None = None
    since: str | None = None
    until: str | None = None

    @property
    def has_own_index(self) -> bool:
        """Whether one index serves a bot's games: of a match, of a ladder, or under way."""
        return (self.match, self.ladder) != (None, None) or self.status is GameStatus.RUNNING

    @property
    def is_scanned(self) -> bool:
        """Whether there is no index for a part of it."""
        return (self.result, self.version, self.reason) != (None, None, None)


class GameKey(NamedTuple):
    """The sort key of a game in lists, the latest first."""

    started_at: str
    game: str


class FoundGames(NamedTuple):
    """A page of games, the latest first, and where the next page goes on, if there is one."""

    games: tuple[GameSummary, ...] = ()
    next: GameKey | None = None


class IndexRange(NamedTuple):
    """The games of a page that one index has, the latest first.

    Attributes:
        seat: the bot's seat in them; None where no bot is wanted.
    """

    places: sa.Select[Any]
    most: int
    seat: int | None


def games_page(
    transaction: Transaction, wanted: GameFilter, after: GameKey | None, limit: int
) -> FoundGames:
    bounds = _bounds(transaction, wanted, after)
    keys = keys_of(transaction, wanted)
    if bounds is None or keys is None:
        return FoundGames()
    found = FoundGames()
    for most in (SCANNED // FIRST_PART, SCANNED) if wanted.is_scanned else (limit + 1,):
        ranges = _ranges(transaction, wanted, keys, bounds, most)
        found = _page(transaction, wanted, ranges, limit)
        if len(found.games) == limit or found.next is None:
            break
    return found


def _page(
    transaction: Transaction, wanted: GameFilter, ranges: list[IndexRange], limit: int
) -> FoundGames:
    end = FIRST
    if wanted.is_scanned:
        end = max(_end(transaction, each) for each in ranges)
    places = sa.union_all(*(_filtered(each, wanted, end, limit + 1) for each in ranges)).subquery()
    query = GAMES.add_columns(games.c.seq).where(games.c.seq.in_(sa.select(places.c.seq)))
    rows = transaction.execute(_latest(query, limit + 1)).mappings().all()
    found = tuple(map(game_summary, rows[:limit]))
    if len(rows) > limit:
        return FoundGames(found, GameKey(found[-1].started_at, found[-1].game))
    return FoundGames(found, _key_at(transaction, end) if end > FIRST else None)


def _bounds(
    transaction: Transaction, wanted: GameFilter, after: GameKey | None
) -> tuple[int, int] | None:
    """Return the places between which a page's games are; None if the cursor's game is unknown."""
    before = LAST if after is None else place_of(transaction, after.game)
    if before is None:
        return None
    since = FIRST if wanted.since is None else place_at(transaction, wanted.since)
    until = LAST if wanted.until is None else place_at(transaction, wanted.until)
    return since, min(before, until)


def _ranges(
    transaction: Transaction,
    wanted: GameFilter,
    keys: dict[str, int],
    bounds: tuple[int, int],
    most: int,
) -> list[IndexRange]:
    since, before = bounds
    query = sa.select(games.c.seq).where(games.c.seq < before, *_conditions(wanted, keys))
    if since > FIRST:
        query = query.where(games.c.seq >= since)
    if wanted.bot is None:
        return [IndexRange(_latest(query, most), most, None)]
    lists = [
        (each, seat)
        for seat in (0, 1)
        for each in _lists_of_seat(transaction, query, wanted, keys, seat)
    ]
    if wanted.is_scanned:
        most = max(1, 2 * most // len(lists))
    return [IndexRange(_latest(each, most), most, seat) for each, seat in lists]


def _lists_of_seat(
    transaction: Transaction,
    query: sa.Select[Any],
    wanted: GameFilter,
    keys: dict[str, int],
    seat: int,
) -> list[sa.Select[Any]]:
    """Return those games of a query that a bot played in one seat, as ranges of an index each."""
    column, other = (_key_column(each, wanted) for each in (SEATS[seat], SEATS[1 - seat]))
    key = keys[str(wanted.bot)]
    its = query.where(column == key)
    if wanted.opponent is not None:
        return [its.where(other == keys[wanted.opponent])]
    if wanted.has_own_index:
        return [its]
    ladders = transaction.execute(LADDERS_OF[seat], {"bot": key}).scalars().all()
    if len(ladders) > MOST_LADDERS:
        return [its]
    # PostgreSQL takes the games of no ladder for ordered only if the ladder is named.
    ordered = its.order_by(games.c.ladder.desc())
    return [ordered.where(games.c.ladder == ladder) for ladder in ladders]


def _filtered(found: IndexRange, wanted: GameFilter, end: int, most: int) -> sa.Select[Any]:
    """Return those games of a range, from a place on, that meet what no index has."""
    places = found.places.subquery()
    if not wanted.is_scanned:
        return sa.select(places.c.seq)
    query = sa.select(games.c.seq).join_from(places, games, games.c.seq == places.c.seq)
    query = query.where(places.c.seq >= end)
    if wanted.reason is not None:
        query = query.where(games.c.reason == str(wanted.reason))
    if wanted.version is not None:
        side = ENTRANTS[found.seat or 0]
        query = query.join(matches).where(side == wanted.version)
    if wanted.result is not None:
        query = query.where(*_has_result(wanted.result, found.seat or 0))
    return sa.select(_latest(query, most).subquery().c.seq)


def _latest(query: sa.Select[Any], most: int) -> sa.Select[Any]:
    """Return the latest games of a query, at most a number of them.

    The number is a part of the statement. PostgreSQL plans a statement once for all parameters
    when it is asked often, takes an unknown limit for a tenth of the table, and reads all of it.
    """
    limit = sa.bindparam(None, most, sa.Integer, literal_execute=True)
    return query.order_by(games.c.seq.desc()).limit(limit)


def _has_result(result: BotResult, seat: int) -> tuple[sa.ColumnElement[bool], ...]:
    counts = counting(games)
    if result is BotResult.DRAW:
        return (*counts, games.c.winner.is_(None))
    return (*counts, games.c.winner == (seat if result is BotResult.WIN else 1 - seat))


def _end(transaction: Transaction, looked_at: IndexRange) -> int:
    """Return the last place of a range that was looked at; :data:`FIRST` if that was its end."""
    found = looked_at.places.subquery()
    query = sa.select(sa.func.count().label("looked_at"), sa.func.min(found.c.seq).label("last"))
    row = transaction.execute(query).one()
    return FIRST if row.looked_at < looked_at.most else int(row.last)


def _key_at(transaction: Transaction, place: int) -> GameKey:
    query = sa.select(games.c.began_at, games.c.id).where(games.c.seq == place)
    return GameKey._make(transaction.execute(query).one())


ENTRANTS: Final = tuple(
    sa.case((games.c.number % 2 == side, matches.c.first_entrant), else_=matches.c.second_entrant)
    for side in (0, 1)
)
"""The rated versions of both bots of a game, in seat order."""


def _conditions(wanted: GameFilter, keys: dict[str, int]) -> list[sa.ColumnElement[bool]]:
    conditions: list[sa.ColumnElement[bool]] = []
    if wanted.match is not None:
        conditions.append(games.c.match == wanted.match)
    if wanted.ladder is not None:
        conditions.append(_key_column(games.c.ladder, wanted) == keys[wanted.ladder])
    if wanted.status is not None:
        is_running = games.c.ended_at.is_(None)
        conditions.append(is_running if wanted.status is GameStatus.RUNNING else ~is_running)
    return conditions


def _key_column(column: sa.ColumnElement[int], wanted: GameFilter) -> sa.ColumnElement[int]:
    """Return a column to compare with a key.

    Games under way are few, and have an index. An index of all games of a bot or a ladder must not
    be preferred to it, which was done where that one is estimated to be short.
    """
    return column + 0 if wanted.status is GameStatus.RUNNING else column


def keys_of(transaction: Transaction, wanted: GameFilter) -> dict[str, int] | None:
    found_in = (wanted.bot, wanted.opponent, wanted.ladder)
    named = {name for name in found_in if name is not None}
    if not named:
        return {}
    rows = transaction.execute(sa.select(names.c.name, names.c.key).where(names.c.name.in_(named)))
    found = {row.name: row.key for row in rows}
    return found if found.keys() == named else None


def place_of(transaction: Transaction, game: str) -> int | None:
    """Return the place of a game in the order of all; None if it is not listed."""
    query = sa.select(games.c.seq).where(games.c.id == game)
    return transaction.execute(query).scalar_one_or_none()


def place_at(transaction: Transaction, instant: str) -> int:
    """Return the place of the first game that began at a time or later, by bisection.

    Places are in the order of beginnings, except for games that were read from an archive.
    """
    ends: Any = transaction.execute(ENDS).one()
    if ends[0] is None:
        return LAST
    low, high = int(ends[0]), int(ends[1]) + 1
    while low < high:
        middle = (low + high) // 2
        row = transaction.execute(FROM_PLACE, {"place": middle}).one_or_none()
        if row is None or row.began_at >= instant:
            high = middle
        else:
            low = int(row.seq) + 1
    return low


def neighbours(transaction: Transaction, game: str) -> GameNeighbours | None:
    """Return the games that began before and after a game; None when there is no such game."""
    seq, place = games.c.seq, place_of(transaction, game)
    if place is None:
        return None
    earlier = sa.select(games.c.id).where(seq < place).order_by(seq.desc()).limit(1)
    later = sa.select(games.c.id).where(seq > place).order_by(seq).limit(1)
    return GameNeighbours(
        previous=transaction.execute(earlier).scalar_one_or_none(),
        next=transaction.execute(later).scalar_one_or_none(),
    )


def match_view(transaction: Transaction, match: str) -> MatchView | None:
    row = transaction.execute(sa.select(matches).where(matches.c.id == match)).mappings().first()
    return None if row is None else _match_view(transaction, row)


def _match_view(transaction: Transaction, row: sa.RowMapping) -> MatchView:
    match = match_of(row)
    terms = match.terms
    query = GAMES.where(games.c.match == match.id, IS_LISTED).order_by(games.c.number)
    played = tuple(map(game_summary, transaction.execute(query).mappings()))
    for game in played:
        match.games.append(game.game)
        if game.reason is not None and not game.annulled:
            match.count(game.winner, game.reason)
    return MatchView(
        match=match.id,
        ladder=match.ladder,
        rated=terms.rated,
        rules=terms.rules,
        clock=terms.clock,
        players=match.names,
        planned=terms.games,
        games=played,
        score=match.score,
        status=status_of(row),
        started_at=match.began_at,
        ended_at=row["ended_at"],
    )


def game_summary(row: sa.RowMapping) -> GameSummary:
    ended = outcome_of(row)
    return GameSummary(
        game=row["id"],
        match=row["match"],
        ladder=row["ladder"],
        rated=row["rated"],
        rules=codec.from_json(row["rules"], Rules),
        clock=codec.from_json(row["clock"], TimeControl),
        players=(row["south"], row["north"]),
        status=status_of(row),
        plies=row["plies"],
        winner=None if ended is None else ended.winner,
        stores=None if ended is None else ended.stores,
        reason=None if ended is None else ended.reason,
        started_at=row["began_at"],
        ended_at=row["ended_at"],
        annulled=row["annulled_at"] is not None,
    )


def status_of(row: sa.RowMapping) -> GameStatus:
    return GameStatus.RUNNING if row["ended_at"] is None else GameStatus.OVER


def outcome_of(row: sa.RowMapping) -> Outcome | None:
    """Return how a game ended; None while it is under way."""
    return None if row["ended_at"] is None else MAKE_OUTCOME(row)
