"""The end of a game whose worker was lost: it is lost by the player whose answer was awaited."""

from __future__ import annotations

from mancala.protocol.messages import Evidence, Reason
from mancala.protocol.record import GameRecord, Outcome, RecordedMove, outcome
from mancala.protocol.results import Contestant

from .game import Conditions, Task, opening_of
from .played_game import PlayedGame
from .progress import Unfinished


def wedged(task: Task, conditions: Conditions, unfinished: Unfinished, detail: str) -> PlayedGame:
    """Return an unfinished game as lost by the player to move, with its moves so far.

    A game whose last move was made already has the result of the rules.

    Args:
        task: which game.
        conditions: what holds for every game.
        unfinished: how far it had got.
        detail: what happened, for the record.
    """
    opening = board = opening_of(task, conditions.rules)
    moves = []
    for pit in unfinished.moves:
        moves.append(RecordedMove(board.player, pit))
        board = board.sow(pit).board
    seat = unfinished.seat
    evidence = Evidence(seat, detail, len(moves), allowed_ms=round(1000 * unfinished.limit_s))
    lost = Outcome(1 - seat, board.settled().stores, Reason.WEDGED, evidence)
    return PlayedGame(
        number=task.number,
        record=GameRecord(
            game=str(task.number),
            rules=conditions.rules,
            players=(Contestant(task.players[0]), Contestant(task.players[1])),
            opening=opening.state,
            moves=tuple(moves),
            result=outcome(board) or lost,
            clock=conditions.clock,
        ),
    )
