"""Check what reviews say about how games were lost against proofs, and print one JSON object.

``python -m mancala.scripts.bench.search.losing RECORDS --time 0.2`` reviews each game as the
server's reviewers do. Then a solver of its own proves, for each game with a losing move, who wins
with best play before that move and after it; and for each game that was lost from the start, who
wins at the start. A claim is false if a proof contradicts it. Only false claims that the review
calls proven are faults; an estimate that is wrong was called one.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Annotated, Final

import typer

from mancala.engine.game_reviews import loser_of, read_records, review
from mancala.engine.knowledge import Bounds
from mancala.engine.search.engine import tables_for
from mancala.engine.search.solver import Solver
from mancala.protocol.record import GameRecord, replay
from mancala.protocol.review import GameReview, Lost, Result, how_lost
from mancala.protocol.rules import Board, Rules

TABLE_BITS: Final = 22
UNKNOWN: Final = "unknown"


class WinnerProver:
    """Proves who wins, within a time for each position."""

    def __init__(self, time_s: float) -> None:
        self._time_s = time_s
        self._solvers: dict[Rules, Solver] = {}

    def result(self, board: Board, player: int) -> str:
        """Return what best play leads to for a player; ``unknown`` if the time is too short."""
        if board.is_over:
            bounds = Bounds(board.score(board.player), board.score(board.player))
        else:
            bounds = self._bounds(board)
        low, high = bounds.low, bounds.high
        if player != board.player:
            low, high = -high, -low
        if low > 0:
            return Result.WIN
        if high < 0:
            return Result.LOSS
        return Result.DRAW if low == high == 0 else UNKNOWN

    def _bounds(self, board: Board) -> Bounds:
        solver = self._solvers.get(board.rules)
        if solver is None:
            tables = tables_for(board.rules)
            solver = self._solvers[board.rules] = Solver(
                board.rules, tables=tables, table_bits=TABLE_BITS
            )
        for found in solver.solve(board):
            if found.seconds >= self._time_s or found.value.low > 0 or found.value.high < 0:
                break
        return found.value


def checked(record: GameRecord, review: GameReview, loser: int, prover: WinnerProver) -> str:
    """Return what became of the claim about a game: of what kind, how certain, and how true."""
    boards = list(replay(record))
    how = how_lost(review.plies, loser)
    if how is Lost.BY_MOVE and review.losing is not None:
        ply, certain = review.losing.ply, review.losing.proven
        pairs = [(boards[ply], review.losing.kept), (boards[ply + 1], Result.LOSS)]
    elif how is Lost.FROM_START:
        certain, pairs = review.plies[0].proven, [(boards[0], Result.LOSS)]
    else:
        return how
    found = [(claim, prover.result(board, loser)) for board, claim in pairs]
    if any(result not in {claim, UNKNOWN} for claim, result in found):
        truth = "false"
    else:
        truth = "unknown" if any(result == UNKNOWN for _, result in found) else "true"
    return f"{how}, {'proven' if certain else 'estimated'}: {truth}"


def main(
    records: Annotated[list[Path], typer.Argument(help="Files of game records.")],
    time: Annotated[float, typer.Option(help="Seconds for the review of a game.")] = 0.2,
    proof: Annotated[float, typer.Option(help="Seconds for the proof of a position.")] = 2.0,
) -> None:
    """Print how many claims of each kind are true, false or not known."""
    games = [record for path in records for record in read_records(path)]
    prover = WinnerProver(proof)
    counts = Counter[str]()
    for record, found in review(games, time_s=time):
        loser = loser_of(record)
        counts["not lost" if loser is None else checked(record, found, loser, prover)] += 1
    faults = sum(count for claim, count in counts.items() if claim.endswith("proven: false"))
    print(json.dumps({"games": len(games), "faults": faults, "claims": counts}, indent=1))  # noqa: T201
    raise typer.Exit(1 if faults else 0)


if __name__ == "__main__":
    typer.run(main)
