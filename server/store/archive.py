"""What the store tells those who look in from outside: games, records, matches and bots.

Reading never gets in the way of playing: it has a connection of its own, in a thread of its own,
and the database shows it the last commit while the writer goes on. Only a store in memory has but
one connection; there the writer's thread reads too.

Whoever asks what is being looked up already gets the same answer, so a crowd before one page costs
one look. Lists go by keyset, not by offset: a page begins after the last row of the page before,
so it costs the same however far back it lies, and new games don't shift it.
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
    union_all,
)

from protocol import codec
from protocol.clock import Clock, Ledger, TimeControl
from protocol.messages import Evidence, Info, Reason
from protocol.record import GameRecord, Outcome, RecordedMove
from protocol.results import Contestant, GameResult
from protocol.rules import Board, Rules
from server.model.match import opening_of
from server.model.schemas import BotSummary, GameStatus, GameSummary, MatchView
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
COUNTED: Final = and_(games.c.ended_at.is_not(None), games.c.reason != Reason.ABORTED)


class Reading(Protocol):
    """Who has a connection to read with."""

    def read(self, act: Callable[[Transaction], T], /) -> Awaitable[T]:
        """Do it in a thread, within one transaction."""


class GameFilter(NamedTuple):
    """Which games are wanted; None takes all.

    Attributes:
        bot: that this bot played.
        match: of this match.
        ladder: played in this ladder.
        status: over, or running.
    """

    bot: str | None = None
    match: str | None = None
    ladder: str | None = None
    status: GameStatus | None = None


class GameKey(NamedTuple):
    """A game's place in the list, the latest first."""

    started_at: str
    game: str


class Archive:
    """Questions to the store."""

    def __init__(self, reader: Reading, *, server: str) -> None:
        """Prepare.

        Args:
            reader: who asks them.
            server: the server's name, which records state.
        """
        self._reader = reader
        self._server = server
        self._asked: dict[object, asyncio.Future[Any]] = {}

    async def games(
        self, wanted: GameFilter, *, after: GameKey | None, limit: int
    ) -> tuple[GameSummary, ...]:
        """List games, the latest first.

        Args:
            wanted: which.
            after: the last game of the page before; None for the first page.
            limit: at most so many.
        """
        query = _filtered(GAMES, wanted, after)
        query = query.order_by(games.c.began_at.desc(), games.c.id.desc()).limit(limit)

        def read(transaction: Transaction) -> tuple[GameSummary, ...]:
            return tuple(map(_game_summary, transaction.execute(query).mappings()))

        return await self._shared(("games", wanted, after, limit), read)

    async def record(self, game: str) -> GameRecord | None:
        """Give a game's record, so far or to the end; None when there is no such game."""

        def read(transaction: Transaction) -> GameRecord | None:
            row = transaction.execute(GAMES.where(games.c.id == game)).mappings().one_or_none()
            return None if row is None else _record(transaction, row, self._server)

        return await self._shared(("record", game), read)

    async def match(self, match: str) -> MatchView | None:
        """Tell of a match; None when there is no such match."""

        def read(transaction: Transaction) -> MatchView | None:
            query = select(matches).where(matches.c.id == match)
            row = transaction.execute(query).mappings().one_or_none()
            return None if row is None else _match_view(transaction, row)

        return await self._shared(("match", match), read)

    async def bots(
        self, *, name: str | None = None, after: str | None = None, limit: int
    ) -> tuple[BotSummary, ...]:
        """List bots that played or have a token, by name.

        Args:
            name: this one only.
            after: the last name of the page before; None for the first page.
            limit: at most so many.
        """
        query = _bots_query(name, after).limit(limit)

        def read(transaction: Transaction) -> tuple[BotSummary, ...]:
            return tuple(map(_bot_summary, transaction.execute(query).mappings()))

        return await self._shared(("bots", name, after, limit), read)

    async def outbox_depth(self) -> int:
        """Count the payloads that the broker has yet to get."""
        query = select(func.count()).where(outbox.c.published_at.is_(None))

        def read(transaction: Transaction) -> int:
            count: int = transaction.execute(query).scalar_one()
            return count

        return await self._shared("outbox depth", read)

    async def _shared(self, question: object, act: Callable[[Transaction], T]) -> T:
        answer: asyncio.Future[T] | None = self._asked.get(question)
        if answer is None:
            answer = self._asked[question] = asyncio.ensure_future(self._reader.read(act))
            answer.add_done_callback(lambda _answer: self._asked.pop(question, None))
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
    """Find what was announced of the game; it alone tells the programs behind the names."""
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
    )
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
