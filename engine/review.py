"""What each move of a game has cost: its loss against perfect play, where that can be proven.

A game is gone through from its end. The value of the position after a move is then known when the
move is judged, and is the guess that the proof of the position before it begins with: right
whenever the move was best, and one null window then settles it. What the last proofs learnt is in
the transposition table for the next. So a few seconds reach far back, and where they end, the
moves before are unknown, and are called so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from protocol.record import GameRecord, replay

if TYPE_CHECKING:
    from engine.solver import Solver
    from protocol.rules import Board


@dataclass(frozen=True, slots=True)
class Judged:
    """A move of a game and what it cost.

    Attributes:
        ply: its number, from 0.
        player: whose.
        pit: the pit sown.
        value: what the position was worth to its mover: store difference at the end.
        loss: seeds by which the move fell short of that; None where it is not known.
        forced: whether there was no other move.
    """

    ply: int
    player: int
    pit: int
    value: int | None
    loss: int | None
    forced: bool


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How well a player played, as far as known; forced moves do not count.

    Attributes:
        moves: moves judged.
        share: of these, how many lost nothing, 0..1; None without any.
        mean_loss: seeds lost a move; None without any.
    """

    moves: int
    share: float | None
    mean_loss: float | None


def review(
    record: GameRecord, solver: Solver, *, time_s: float, clock: Callable[[], float]
) -> tuple[Judged, ...]:
    """Judge every move of a game, the last first, until the time is up.

    Args:
        record: the game; its moves are legal, or `protocol.record.RecordError` is raised.
        solver: of the game's rules.
        time_s: seconds for the whole game.
        clock: seconds, never going back.

    Returns:
        A judgement a move, in order of play.
    """
    boards = list(replay(record))
    until = clock() + time_s
    following = _value(solver, boards[-1], None, until, clock)
    judged: list[Judged] = []
    for ply in range(len(record.moves) - 1, -1, -1):
        board, pit = boards[ply], record.moves[ply].pit
        gained = _seen_by(board, boards[ply + 1], following)
        forced = len(board.legal()) == 1
        value = gained if forced else _value(solver, board, gained, until, clock)
        loss = None if value is None or gained is None else value - gained
        judged.append(Judged(ply, board.player, pit, value, loss, forced))
        following = value
    return tuple(reversed(judged))


def accuracy(moves: Iterable[Judged]) -> Accuracy:
    """Sum judgements up."""
    losses = [move.loss for move in moves if move.loss is not None and not move.forced]
    if not losses:
        return Accuracy(0, None, None)
    kept = sum(loss == 0 for loss in losses)
    return Accuracy(len(losses), kept / len(losses), sum(losses) / len(losses))


def _seen_by(board: Board, after: Board, value: int | None) -> int | None:
    """Turn the value of the position after a move into the mover's; None stays None."""
    return value if value is None or after.player == board.player else -value


def _value(
    solver: Solver,
    board: Board,
    guess: int | None,
    until: float,
    clock: Callable[[], float],
) -> int | None:
    """Prove what a board is worth to its mover; None when the time is up before."""
    if board.is_over:
        return board.score(board.player)
    if clock() >= until:
        return None
    for solution in solver.solve(board, guess=guess):
        if solution.value.exact:
            return solution.value.low
        if clock() >= until:
            return None
    return None
