"""Drill: every reason that a review gives for a mistake is true by proofs of its own.

    python -m tests.drills.reasons --mistakes 500

Levels play; their games are reviewed. Of each mistake with a reason both lines are followed to the
end: a solver that knows nothing of the review proves that each sowing keeps the value, and what
comes into the stores is counted anew. Positions of more seeds than `PROVEN_SEEDS` are left out,
since their proofs take minutes. Reviews take seconds of the processor, so that a busy machine
changes nothing. It fails when a reason is false, or too many mistakes have none.
"""

import random
import time
from collections.abc import Sequence
from typing import Annotated, Final

import typer

from mancala.bot.players.registry import make_player
from mancala.engine.game_reviews import ReviewerPool
from mancala.engine.search.engine import tables_for
from mancala.engine.search.solver import Solver
from mancala.protocol.game_board import GameBoard
from mancala.protocol.messages import Assessment
from mancala.protocol.reasons import LossReason, Way
from mancala.protocol.review import ReviewedGame, ReviewedPly, compose
from mancala.protocol.rules import KALAH, Board
from tests.drills.report import DrillReport, SeedOption, command_line

PROVEN_SEEDS: Final = 34
LEVELS: Final = (2, 3, 4, 5)
MOST: Final = 0.85
"""The share of mistakes that are to have a reason."""


def drill(
    mistakes: Annotated[int, typer.Option(min=1, help="Mistakes to check.")] = 500,
    seconds: Annotated[float, typer.Option(min=0.1, help="Processor time of a review.")] = 5.0,
    seed: SeedOption = 1,
) -> DrillReport:
    """Check the reasons of mistakes by proofs."""
    rng, pool = random.Random(seed), ReviewerPool(clock=time.process_time)
    solver = Solver(KALAH, tables=tables_for(KALAH), table_bits=20)
    found = proven = told = checked = false = 0
    while checked < mistakes:
        boards, pits = _game(rng)
        work = pool.work(boards, pits, time_s=seconds)
        lost = [
            ply for ply in compose(ReviewedGame("", boards, pits, None), work).plies if ply.loss
        ]
        found += len(lost)
        proven += sum(ply.loss_proven for ply in lost)
        for ply in lost:
            if ply.reason is None:
                continue
            told += 1
            if boards[ply.ply].in_play <= PROVEN_SEEDS and checked < mistakes:
                checked += 1
                false += not _is_true(solver, boards, work.assessments, ply, ply.reason)
    figures = {
        "mistakes": found,
        "proven": proven,
        "told": told,
        "checked": checked,
        "false": false,
    }
    kept = {"every_reason_is_true": not false, "most_have_a_reason": told >= MOST * found}
    return DrillReport("reasons", seed, figures, kept)


def _game(rng: random.Random) -> tuple[list[Board], list[int]]:
    players = [make_player(f"engine:level={rng.choice(LEVELS)}") for _ in (0, 1)]
    for player in players:
        player.new_game(rng.randrange(2**31))
    game = GameBoard()
    while not game.is_over:
        game.push(players[game.player].choose(game.board).pit)
    return game.boards, game.history


def _is_true(
    solver: Solver,
    boards: list[Board],
    assessments: Sequence[Assessment],
    ply: ReviewedPly,
    reason: LossReason,
) -> bool:
    """Return whether both lines are best play, and differ by what the reason says."""
    board = boards[ply.ply]
    after = assessments[ply.ply + 1].line if ply.ply + 1 < len(assessments) else ()
    lines = assessments[ply.ply].line, (ply.pit, *after)
    best, played = (_followed(solver, board, line, reason) for line in lines)
    if best is None or played is None or best[0] - played[0] != ply.loss * (1 - 2 * ply.player):
        return False
    line, more = lines[0], best[1] - played[1]
    if reason.player != ply.player:
        line, more = lines[1], -more
    return more == reason.seeds and _holds(reason, board, ply.ply, line)


def _followed(
    solver: Solver, board: Board, line: tuple[int, ...], reason: LossReason
) -> tuple[int, int] | None:
    """Return the score at the end of a line for seat 0, and the seeds that come as a reason says.

    None where a sowing after the first loses seeds, or the game does not end.
    """
    came = 0
    for number, pit in enumerate(line):
        if number:
            *_, solved = solver.solve(board, every_move=True)
            if solved.moves[pit].low < solved.value.high:
                return None
        sowing, stays = board.sow(pit), board.sow(pit, sweeps=False).board
        gained = stays.stores[reason.player] - board.stores[reason.player]
        match reason.way:
            case Way.CAPTURED:
                came += sowing.captured * (board.player == reason.player)
            case Way.SOWN:
                came += gained - sowing.captured * (board.player == reason.player)
            case Way.LEFT:
                came += sowing.board.settled().stores[reason.player] - stays.stores[reason.player]
        board = sowing.board
    return (board.score(), came) if board.is_over else None


def _holds(reason: LossReason, board: Board, ply: int, line: tuple[int, ...]) -> bool:
    """Return whether the capture that a reason names happens in a line from a ply's board."""
    if reason.way is not Way.CAPTURED or reason.ply is None or reason.pit is None:
        return reason.pit is None
    for pit in line[: reason.ply - ply]:
        board = board.sow(pit).board
    is_that = line[reason.ply - ply] == reason.pit and board.player == reason.player
    return is_that and board.sow(reason.pit).captured == reason.at_a_time


if __name__ == "__main__":
    command_line(drill)
