"""Read-only queries for the API: games, records, matches and bots.

Reads never block the journal: they have a connection and a thread of their own, and see the last
commit while the writer goes on. Only a store in memory has a single connection; there the writer's
thread reads too.

Concurrent requests for the same query share one result, so many viewers of one page cost one query.
Lists use keyset pagination, not offsets: a page begins after the last row of the previous page, so
its cost does not depend on its position, and new games don't shift it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from sqlalchemy import (
    Case,
    RowMapping,
    Select,
    and_,
    case,
    func,
    literal,
    null,
    or_,
    select,
    tuple_,
    union_all,
)

from protocol import codec
from protocol.accuracy import PhaseAccuracy
from protocol.clock import Clock, Ledger, TimeControl
from protocol.messages import Evidence, Info, Reason
from protocol.record import GameRecord, Outcome, RecordedMove
from protocol.results import Contestant, GameResult
from protocol.review import GameReview
from protocol.rules import Board, Rules
from server.model.entrant import entrant_name
from server.model.match import opening_of
from server.model.schemas.bots import BotSummary, LadderAccuracy
from server.model.schemas.games import GameNeighbours, GameStatus, GameSummary, MatchView
from server.store import reviews
from server.store.mappers import match_of, openings_of
from server.store.schema import bots, games, matches, moves, outbox
from server.store.writer import Transaction

T = TypeVar("T")

SOUTH: Final = case((games.c.number % 2 == 0, matches.c.first), else_=matches.c.second)
NORTH: Final = case((games.c.number % 2 == 0, matches.c.second), else_=matches.c.first)
PLIES: Final = (
    select(func.coalesce(func.max(moves.c.ply) + 1, 0))
    .where(moves.c.game == games.c.id)
    .scalar_subquery()
)
GAMES: Final = select(
    games,
    SOUTH.label("south"),
    NORTH.label("north"),
    PLIES.label("plies"),
    *(matches.c[name] for name in ("rules", "clock", "rated", "ladder", "openings")),
).join_from(games, matches)
_KEY: Final = tuple_(games.c.began_at, games.c.id)
_LATEST_FIRST: Final = (games.c.began_at.desc(), games.c.id.desc())
_EARLIEST_FIRST: Final = (games.c.began_at, games.c.id)
COUNTED: Final = and_(games.c.ended_at.is_not(None), games.c.reason != Reason.ABORTED)


class ReadConnection(Protocol):
    """A connection for reading."""

    def read(self, act: Callable[[Transaction], T], /) -> Awaitable[T]:
        """Run ``act`` in a thread, within one transaction."""


class GameFilter(NamedTuple):
    """A filter of games; None matches all.

    Attributes:
        bot: games of this bot.
        match: games of this match.
        ladder: games of this ladder.
        status: games over, or running.
    """

    bot: str | None = None
    match: str | None = None
    ladder: str | None = None
    status: GameStatus | None = None


class GameKey(NamedTuple):
    """The sort key of a game in lists, the latest first."""

    started_at: str
    game: str


class Archive:
    """Queries of stored games, matches and bots."""

    def __init__(self, reader: ReadConnection, *, server: str) -> None:
        """Prepare the archive.

        Args:
            reader: runs the queries.
            server: the server's name, for records.
        """
        self._reader = reader
        self._server = server
        self._pending: dict[object, asyncio.Future[Any]] = {}

    async def games(
        self, wanted: GameFilter, *, after: GameKey | None, limit: int
    ) -> tuple[GameSummary, ...]:
        """Return games, the latest first.

        Args:
            wanted: filters the games.
            after: the last game of the previous page; None for the first page.
            limit: maximum number of games.
        """
        query = _filtered(GAMES, wanted, after)
        query = query.order_by(*_LATEST_FIRST).limit(limit)

        def read(transaction: Transaction) -> tuple[GameSummary, ...]:
            return tuple(map(_game_summary, transaction.execute(query).mappings()))

        return await self._shared(("games", wanted, after, limit), read)

    async def record(self, game: str) -> GameRecord | None:
        """Return the record of a running or finished game; None when there is no such game."""

        def read(transaction: Transaction) -> GameRecord | None:
            row = transaction.execute(GAMES.where(games.c.id == game)).mappings().one_or_none()
            return None if row is None else _record(transaction, row, self._server)

        return await self._shared(("record", game), read)

    async def neighbours(self, game: str) -> GameNeighbours | None:
        """Return the games that began before and after a game; None when there is no such game."""

        def read(transaction: Transaction) -> GameNeighbours | None:
            row = transaction.execute(select(games).where(games.c.id == game)).mappings()
            found = row.one_or_none()
            if found is None:
                return None
            key = (found["began_at"], game)
            earlier = select(games.c.id).where(tuple_(*key) > _KEY).order_by(*_LATEST_FIRST)
            later = select(games.c.id).where(tuple_(*key) < _KEY).order_by(*_EARLIEST_FIRST)
            return GameNeighbours(
                previous=transaction.execute(earlier.limit(1)).scalar_one_or_none(),
                next=transaction.execute(later.limit(1)).scalar_one_or_none(),
            )

        return await self._shared(("neighbours", game), read)

    async def match(self, match: str) -> MatchView | None:
        """Return a match; None when there is no such match."""

        def read(transaction: Transaction) -> MatchView | None:
            query = select(matches).where(matches.c.id == match)
            row = transaction.execute(query).mappings().one_or_none()
            return None if row is None else _match_view(transaction, row)

        return await self._shared(("match", match), read)

    async def bots(
        self, *, name: str | None = None, after: str | None = None, limit: int
    ) -> tuple[BotSummary, ...]:
        """Return bots that played or have a token, ordered by name.

        Args:
            name: only the bot of this name.
            after: the last name of the previous page; None for the first page.
            limit: maximum number of bots.
        """
        query = _bots_query(name, after).limit(limit)

        def read(transaction: Transaction) -> tuple[BotSummary, ...]:
            return tuple(map(_bot_summary, transaction.execute(query).mappings()))

        return await self._shared(("bots", name, after, limit), read)

    async def review(self, game: str) -> GameReview | None:
        """Return the review of a game; None while it waits for one.

        Raises:
            LookupError: when it neither has one nor waits for one.
        """

        def read(transaction: Transaction) -> GameReview | None:
            return reviews.review_of(transaction, game)

        return await self._shared(("review", game), read)

    async def accuracies(self, ladder: str, names: tuple[str, ...]) -> dict[str, PhaseAccuracy]:
        """Return how well versions of bots play in a ladder, by name, over whole games."""

        def read(transaction: Transaction) -> dict[str, PhaseAccuracy]:
            found = reviews.accuracies_of(transaction, ladder, names)
            return {name: each.phases[0] for name, each in found.items()}

        return await self._shared(("accuracies", ladder, names), read)

    async def accuracy_of(self, bot: str) -> tuple[LadderAccuracy, ...]:
        """Return how well the versions of a bot play, by ladder and name."""

        def read(transaction: Transaction) -> tuple[LadderAccuracy, ...]:
            return tuple(
                LadderAccuracy(ladder=ladder or None, name=each.name, phases=each.phases)
                for ladder, each in reviews.accuracies_of_bot(transaction, entrant_name(bot, None))
            )

        return await self._shared(("accuracy", bot), read)

    async def outbox_depth(self) -> int:
        """Return the number of payloads not yet published."""
        query = select(func.count()).where(outbox.c.published_at.is_(None))

        def read(transaction: Transaction) -> int:
            count: int = transaction.execute(query).scalar_one()
            return count

        return await self._shared("outbox depth", read)

    async def _shared(self, query: object, act: Callable[[Transaction], T]) -> T:
        answer: asyncio.Future[T] | None = self._pending.get(query)
        if answer is None:
            answer = self._pending[query] = asyncio.ensure_future(self._reader.read(act))
            answer.add_done_callback(lambda _answer: self._pending.pop(query, None))
        return await asyncio.shield(answer)


def _filtered(query: Select[Any], wanted: GameFilter, after: GameKey | None) -> Select[Any]:
    if wanted.bot is not None:
        query = query.where(or_(matches.c.first == wanted.bot, matches.c.second == wanted.bot))
    if wanted.match is not None:
        query = query.where(matches.c.id == wanted.match)
    if wanted.ladder is not None:
        query = query.where(matches.c.ladder == wanted.ladder)
    if wanted.status is not None:
        is_running = games.c.ended_at.is_(None)
        if wanted.status is GameStatus.RUNNING:  # the second half is what has an index
            query = query.where(is_running, matches.c.ended_at.is_(None))
        else:
            query = query.where(~is_running)
    if after is not None:
        began_at, game = after
        earlier = and_(games.c.began_at == began_at, games.c.id < game)
        query = query.where(or_(games.c.began_at < began_at, earlier))
    return query


def _game_summary(row: RowMapping) -> GameSummary:
    return GameSummary(
        game=row["id"],
        match=row["match"],
        ladder=row["ladder"],
        rated=row["rated"],
        rules=codec.from_json(row["rules"], Rules),
        clock=codec.from_json(row["clock"], TimeControl),
        players=(row["south"], row["north"]),
        status=_status(row),
        plies=row["plies"],
        winner=row["winner"],
        stores=_stores(row),
        reason=_reason(row),
        started_at=row["began_at"],
        ended_at=row["ended_at"],
    )


def _status(row: RowMapping) -> GameStatus:
    return GameStatus.RUNNING if row["ended_at"] is None else GameStatus.OVER


def _stores(row: RowMapping) -> tuple[int, int] | None:
    return None if row["ended_at"] is None else (row["south_store"], row["north_store"])


def _reason(row: RowMapping) -> Reason | None:
    return None if row["reason"] is None else Reason(row["reason"])


# Records


def _record(transaction: Transaction, row: RowMapping, server: str) -> GameRecord:
    rules = codec.from_json(row["rules"], Rules)
    clock = codec.from_json(row["clock"], TimeControl)
    announced = _announced(transaction, row["id"])
    opening = opening_of(openings_of(row["openings"], rules), rules, row["number"])
    players = Contestant(row["south"]), Contestant(row["north"])
    return GameRecord(
        game=row["id"],
        rules=rules,
        players=players if announced is None else announced.players,
        opening=opening.state,
        moves=_recorded_moves(transaction, row["id"], opening, clock),
        result=_outcome(row),
        match=row["match"],
        server=server,
        rated=row["rated"],
        clock=clock,
        started_at=row["began_at"],
        ended_at=row["ended_at"],
    )


def _announced(transaction: Transaction, game: str) -> GameResult | None:
    """Return the published result, the only place that names the bots' programs; or None."""
    query = select(outbox.c.payload).where(outbox.c.event_id == f"game-{game}")
    payload = transaction.execute(query).scalar_one_or_none()
    return None if payload is None else codec.from_json(payload, GameResult)


def _outcome(row: RowMapping) -> Outcome | None:
    stores, reason = _stores(row), _reason(row)
    if stores is None or reason is None:
        return None
    evidence = None if row["evidence"] is None else codec.from_json(row["evidence"], Evidence)
    return Outcome(row["winner"], stores, reason, evidence)


def _recorded_moves(
    transaction: Transaction, game: str, opening: Board, control: TimeControl
) -> tuple[RecordedMove, ...]:
    query = select(moves).where(moves.c.game == game).order_by(moves.c.ply)
    board, clock = opening, Clock.set_up(control)
    recorded: list[RecordedMove] = []
    for row in transaction.execute(query).mappings():
        clock = clock.charge(board.player, Ledger(row["elapsed_ms"], row["lag_ms"]))
        recorded.append(
            RecordedMove(
                board.player,
                row["pit"],
                elapsed_ms=row["elapsed_ms"],
                lag_ms=row["lag_ms"],
                clock=clock.state,
                info=None if row["info"] is None else codec.from_json(row["info"], Info),
                forced=row["forced"],
            )
        )
        board = board.sow(row["pit"]).board
    return tuple(recorded)


# Matches


def _match_view(transaction: Transaction, row: RowMapping) -> MatchView:
    match = match_of(row)
    terms = match.terms
    query = GAMES.where(games.c.match == match.id).order_by(games.c.number)
    played = tuple(map(_game_summary, transaction.execute(query).mappings()))
    for game in played:
        match.games.append(game.game)
        if game.reason is not None:
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
        status=_status(row),
        started_at=match.began_at,
        ended_at=row["ended_at"],
    )


# Bots


def _bots_query(name: str | None, after: str | None) -> Select[Any]:
    reserved = select(
        bots.c.name,
        *(literal(0).label(column) for column in ("games", "wins", "draws", "losses")),
        null().label("ended_at"),
        literal(1).label("reserved"),
    ).where(bots.c.is_reviewer.is_(False))
    played = (_played(seat, player) for player, seat in enumerate((SOUTH, NORTH)))
    if name is not None:
        in_it = or_(matches.c.first == name, matches.c.second == name)
        played = (lines.where(in_it) for lines in played)
    lines = union_all(*played, reserved).subquery()
    sums = (
        func.sum(lines.c[column]).label(column) for column in ("games", "wins", "draws", "losses")
    )
    query = select(
        lines.c.name,
        *sums,
        func.max(lines.c.ended_at).label("last_game_at"),
        func.max(lines.c.reserved).label("reserved"),
    )
    if name is not None:
        query = query.where(lines.c.name == name)
    if after is not None:
        query = query.where(lines.c.name > after)
    return query.group_by(lines.c.name).order_by(lines.c.name)


def _played(name: Case[Any], seat: int) -> Select[Any]:
    won, lost = games.c.winner == seat, games.c.winner == 1 - seat
    return (
        select(
            name.label("name"),
            literal(1).label("games"),
            case((won, 1), else_=0).label("wins"),
            case((games.c.winner.is_(None), 1), else_=0).label("draws"),
            case((lost, 1), else_=0).label("losses"),
            games.c.ended_at,
            literal(0).label("reserved"),
        )
        .join_from(games, matches)
        .where(COUNTED)
    )


def _bot_summary(row: RowMapping) -> BotSummary:
    return BotSummary(
        name=row["name"],
        reserved=bool(row["reserved"]),
        games=row["games"],
        wins=row["wins"],
        draws=row["draws"],
        losses=row["losses"],
        last_game_at=row["last_game_at"],
    )
