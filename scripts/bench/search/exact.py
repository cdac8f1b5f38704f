"""Check two claims about short times, and print one JSON object.

``python -m mancala.scripts.bench.search.exact`` first analyzes random positions of at most 32
seeds, met in random games that start with 4, 5 and 6 seeds a pit, for a tenth of a second each: all
must come out exact. Then the engine plays Kalah(6,4) as first player at a tenth of a second a move
against every classic agent, each game starting with some of the opponent's moves at random; it must
win them all, and must never choose a move worth less than a value it has proven.
"""

from __future__ import annotations

import random
import statistics
import time
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from mancala.bot.players.registry import make_player
from mancala.engine.search.engine import Engine, EngineOptions, Limit
from mancala.protocol.rules import Board, Rules

from ...console import output as console

if TYPE_CHECKING:
    from mancala.engine.search.engine import Report

OPPONENTS: Final = ("random", "greedy", "captures", "defend", "minimax", "alphabeta", "expectimax")
RANDOM_MOVES: Final = 3
FEWEST, MOST = 2, 32


def position(rng: random.Random) -> Board:
    """Play a random game until few enough seeds are left."""
    while True:
        board = Board.start(Rules(seeds=rng.choice((4, 5, 6))))
        seeds = rng.randint(FEWEST, MOST)
        while not board.is_over and board.in_play > seeds:
            board = board.sow(rng.choice(board.legal())).board
        if not board.is_over:
            return board


def think(engine: Engine, board: Board, time_s: float) -> Report:
    """Run the engine for its time and return its report."""
    return engine.analyse(board, Limit(time_s=time_s))


def exactness(positions: int, time_s: float, rng: random.Random) -> dict[str, Any]:
    """Analyze random positions, all moves of each."""
    engine = Engine(options=EngineOptions(all_moves=True, table_bits=20))
    engine.warm_up()
    seconds, exact, every_move = [], 0, 0
    for _ in range(positions):
        began = time.perf_counter()
        report = think(engine, position(rng), time_s)
        seconds.append(time.perf_counter() - began)
        exact += report.exact
        every_move += all(move.exact for move in report.moves)
    return {
        "positions": positions,
        "exact": exact,
        "every_move_exact": every_move,
        "median_s": statistics.median(seconds),
        "worst_s": max(seconds),
    }


def game(engine: Engine, opponent: str, time_s: float, rng: random.Random) -> tuple[int, int]:
    """Play one game as first player: final difference, and how often a proven point was lost."""
    other = make_player(opponent)
    other.new_game(rng.randrange(1 << 30))
    board, replies, proven, lost = Board.start(), 0, -48, 0
    while not board.is_over:
        if board.player == 0:
            report = think(engine, board, time_s)
            if report.exact:
                lost += report.known_value < proven
                proven = max(proven, int(report.known_value))
            board = board.sow(report.pit).board
        else:
            pit = rng.choice(board.legal()) if replies < RANDOM_MOVES else other.choose(board).pit
            replies += 1
            board = board.sow(pit).board
    return board.score(0), lost + (board.score(0) < proven)


def matches(games: int, time_s: float, rng: random.Random) -> dict[str, Any]:
    """Play every opponent in turn."""
    engine = Engine(options=EngineOptions(table_bits=20))
    engine.warm_up()
    results = [
        game(engine, OPPONENTS[number % len(OPPONENTS)], time_s, rng) for number in range(games)
    ]
    return {
        "games": games,
        "won": sum(score > 0 for score, _ in results),
        "least_margin": min((score for score, _ in results), default=None),
        "proven_points_lost": sum(lost for _, lost in results),
    }


def main(
    positions: Annotated[int, typer.Option(help="Random positions to analyze.")] = 200,
    games: Annotated[int, typer.Option(help="Games to play.")] = 200,
    time_s: Annotated[float, typer.Option("--time", help="Seconds a position or move.")] = 0.1,
    seed: Annotated[int | None, typer.Option(help="Repeat a run.")] = None,
) -> None:
    """Check both, and print one JSON object; exit code 1 if a claim fails."""
    chosen = random.SystemRandom().randrange(1 << 30) if seed is None else seed
    rng = random.Random(chosen)  # noqa: S311  # positions, not secrets
    analysis, play = exactness(positions, time_s, rng), matches(games, time_s, rng)
    console.emit({"seed": chosen, "analysis": analysis, "play": play})
    if analysis["exact"] < positions or play["won"] < games or play["proven_points_lost"]:
        raise typer.Exit(console.FAILED)


if __name__ == "__main__":
    typer.run(main)
