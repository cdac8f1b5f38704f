"""``python -m tests.drills.reviews``: reviews of mixed games, checked by the solver.

Bots of all strengths play Kalah(6,4) to (6,8), and with captures of nothing, from the start. Each
game is reviewed; then a solver with an empty transposition table, which knows nothing of the
review, proves the game's positions from the last one backwards until its own time is up:

* every value that the review calls proven must be the solver's;
* where the review has an estimate and the solver a proof, the difference is the estimate's error.

How many of the proven values were checked is reported. The checked estimates are those nearest to
the proven part of a game.
"""

import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from statistics import fmean
from typing import Annotated, Final

import typer

from mancala.bot.players.registry import make_player
from mancala.engine.knowledge import Bounds
from mancala.engine.review import Reviewer
from mancala.engine.search.engine import tables_for
from mancala.engine.search.solver import Solver
from mancala.protocol.messages import Assessment
from mancala.protocol.player import Budget
from mancala.protocol.review import ReviewedGame, check
from mancala.protocol.rules import Board, Rules
from tests.drills.report import DrillReport, SeedOption, command_line

VARIANTS: Final = tuple(
    f"{preset}:seeds={seeds}"
    for preset in ("kalah", "kalah-empty-capture")
    for seeds in (4, 5, 6, 7, 8)
)
PLAYERS: Final = ("random", "greedy", "engine:level=3", "alphabeta:depth=2", "engine:nodes=2000")
BLUNDERS: Final = 0.1
"""Share of moves that are random, so that no two games are the same."""
TABLE_BITS: Final = 20
DIGITS: Final = 3


@dataclass(slots=True)
class Found:
    """What was found in all games."""

    plies: int = 0
    proven_plies: int = 0
    moves: int = 0
    proven: int = 0
    checked: int = 0
    wrong: int = 0
    errors: list[float] = field(default_factory=list)
    signs: list[bool] = field(default_factory=list)
    seconds: float = 0.0


def drill(
    *,
    games: Annotated[int, typer.Option(min=1, help="Games, over all variants in turn.")] = 200,
    time_s: Annotated[float, typer.Option("--time", help="Seconds for a review.")] = 2.8,
    check_s: Annotated[float, typer.Option("--check", help="Seconds to check one.")] = 5.6,
    rules: Annotated[str | None, typer.Option(help="Play only by these rules.")] = None,
    seed: SeedOption = 1,
) -> DrillReport:
    """Review games of mixed bots, and check the reviews with the solver."""
    rng = random.Random(seed)
    found = Found()
    variants = VARIANTS if rules is None else (rules,)
    for text, count in Counter(islice(cycle(variants), games)).items():
        variant = Rules.parse(text)
        tables = tables_for(variant)
        solver = Solver(variant, tables=tables, table_bits=TABLE_BITS)
        reviewer = Reviewer(solver, time.process_time)
        reviewer.warm_up(Board.start(variant))
        for _ in range(count):
            game = _play(variant, rng)
            began = time.process_time()
            assessments = reviewer.review(game.boards, game.pits, time_s=time_s)
            found.seconds += time.process_time() - began
            check(game, assessments)
            _count(found, game, assessments)
            solver = Solver(variant, tables=tables, table_bits=TABLE_BITS)
            _compare(found, game, assessments, solver, check_s)
    return _report(found, games, seed)


def _report(found: Found, games: int, seed: int) -> DrillReport:
    figures = {
        "games": games,
        "plies": found.plies,
        "proven_plies_share": round(found.proven_plies / found.plies, DIGITS),
        "moves": found.moves,
        "proven_moves_share": round(found.proven / found.moves, DIGITS),
        "proven_values_checked": found.checked,
        "proven_values_wrong": found.wrong,
        "estimates_checked": len(found.errors),
        "estimates_mean_error_seeds": round(fmean(found.errors), DIGITS) if found.errors else None,
        "estimates_right_winner_share": round(fmean(found.signs), DIGITS) if found.signs else None,
        "cpu_s_a_game": round(found.seconds / games, DIGITS),
    }
    promises = {"every value called proven is the solver's": found.wrong == 0 and found.checked > 0}
    return DrillReport("reviews", seed, figures, promises)


def _play(rules: Rules, rng: random.Random) -> ReviewedGame:
    players = [make_player(rng.choice(PLAYERS)) for _ in range(2)]
    for player in players:
        player.new_game(rng.getrandbits(32))
    boards, pits = [Board.start(rules)], list[int]()
    while not boards[-1].is_over:
        board = boards[-1]
        if rng.random() < BLUNDERS:
            pit = rng.choice(board.legal())
        else:
            pit = players[board.player].choose(board, Budget(enforced=False)).pit
        pits.append(pit)
        boards.append(board.sow(pit).board)
    score = boards[-1].score(0)
    return ReviewedGame("game", boards, pits, None if score == 0 else int(score > 0))


def _count(found: Found, game: ReviewedGame, assessments: Sequence[Assessment]) -> None:
    for pit, assessment in zip(game.pits, assessments, strict=True):
        found.plies += 1
        found.moves += len(assessment.moves)
        found.proven += sum(move.depth is None for move in assessment.moves)
        played = next(move for move in assessment.moves if move.pit == pit)
        found.proven_plies += assessment.depth is None and played.depth is None


def _compare(
    found: Found,
    game: ReviewedGame,
    assessments: Sequence[Assessment],
    solver: Solver,
    check_s: float,
) -> None:
    until = time.process_time() + check_s
    for board, assessment in reversed(list(zip(game.boards, assessments, strict=False))):
        sign = 1 if board.player == 0 else -1
        proven = dict(_proofs(solver, board, until))
        for move in assessment.moves:
            if move.pit not in proven:
                continue
            truth = sign * proven[move.pit]
            if move.depth is None:
                found.checked += 1
                found.wrong += move.value != truth
            else:
                found.errors.append(abs(move.value - truth))
                found.signs.append((move.value > 0) == (truth > 0))
        if time.process_time() >= until:
            return


def _proofs(solver: Solver, board: Board, until: float) -> Iterator[tuple[int, int]]:
    moves: dict[int, Bounds] = {}
    for solution in solver.solve(board, every_move=True):
        moves = solution.moves
        if time.process_time() >= until:
            break
    for pit, bounds in moves.items():
        if bounds.exact:
            yield pit, bounds.low


if __name__ == "__main__":
    command_line(drill)
