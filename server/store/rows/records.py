"""Records of games, made from their rows."""

from typing import Final

from sqlalchemy import RowMapping, bindparam, select

from mancala.protocol import codec
from mancala.protocol.clock import Clock, Ledger, TimeControl
from mancala.protocol.messages import Info
from mancala.protocol.record import GameRecord, RecordedMove
from mancala.protocol.results import Contestant, GameResult
from mancala.protocol.rules import Board, Rules

from ...model.match import opening_of
from ..database.schema import games, outbox
from ..database.writer import Transaction
from .game_lists import GAMES, outcome_of
from .listing import IS_LISTED
from .matches import openings_of
from .played import moves_of

GAME: Final = GAMES.where(games.c.id == bindparam("key"), IS_LISTED)
ANNOUNCED: Final = select(outbox.c.payload).where(outbox.c.event_id == bindparam("key"))


def record_of(transaction: Transaction, game: str, server: str) -> GameRecord | None:
    """Return the record of a running or finished game; None when there is no such game."""
    row = transaction.execute(GAME, {"key": game}).mappings().one_or_none()
    return None if row is None else _record(transaction, row, server)


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
        result=outcome_of(row),
        match=row["match"],
        server=server,
        rated=row["rated"],
        clock=clock,
        started_at=row["began_at"],
        ended_at=row["ended_at"],
        annulled=row["annulled_at"] is not None,
    )


def _announced(transaction: Transaction, game: str) -> GameResult | None:
    """Return the published result, the only place that names the bots' programs; or None."""
    payload = transaction.execute(ANNOUNCED, {"key": f"game-{game}"}).scalar_one_or_none()
    return None if payload is None else codec.from_json(payload, GameResult)


def _recorded_moves(
    transaction: Transaction, game: str, opening: Board, control: TimeControl
) -> tuple[RecordedMove, ...]:
    board, clock = opening, Clock.set_up(control)
    recorded: list[RecordedMove] = []
    for move, info in zip(*moves_of(transaction, game), strict=True):
        clock = clock.charge(board.player, Ledger(move.elapsed_ms, move.lag_ms))
        recorded.append(
            RecordedMove(
                board.player,
                move.pit,
                elapsed_ms=move.elapsed_ms,
                lag_ms=move.lag_ms,
                clock=clock.state,
                info=None if info is None else codec.from_json(info, Info),
                forced=move.forced,
            )
        )
        board = board.sow(move.pit).board
    return tuple(recorded)
