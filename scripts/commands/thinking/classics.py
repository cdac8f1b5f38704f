"""Tables of the textbooks, measured on Kalah.

``opponents`` repeats a lecture's experiment: minimax, which expects a perfect opponent, and
expectimax, which expects a random one, each play against both kinds, at depth 4 against depth 2. In
the lecture's game expectimax lost to the minimising opponent, and won by more than minimax against
the random one. Kalah(4,7) shows the same, with 20 games a cell and seed 1: minimax +8.8 and +26.3,
expectimax -6.0 (2 of 20 won) and +35.1. On Kalah(6,4) expectimax does not lose, but the order of
the averages is the same: with 60 games minimax +5.5 and +29.0, expectimax +3.1 and +31.0.

``depth`` is the article's table: positions and seconds at each depth, without pruning and with it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Annotated, Final

import typer

from mancala.protocol.rules import Board

from ...console import output as console
from ...console.options import JsonOption, RulesOption, rules_of

PLAYERS: Final = {"minimax": "alphabeta", "expectimax": "expectimax"}
"""The lecture's players and ours. Pruned minimax chooses what minimax does, only sooner."""
OPPONENT_DEPTH: Final = 2
"""Turns that the minimising opponent looks ahead; the lecture's."""
OPPONENTS: Final = {"minimising": f"alphabeta:depth={OPPONENT_DEPTH}", "random": "random"}
DEEPEST: Final = 12


@dataclass(frozen=True, slots=True)
class Cell:
    """One player against one opponent, who take turns to begin; a score is in seeds."""

    player: str
    opponent: str
    games: int
    won: int
    drawn: int
    average_score: float


@dataclass(frozen=True, slots=True)
class SearchEffort:
    """What one search took: positions visited, and seconds."""

    nodes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Row:
    """One depth in turns: the best pits, their value to the mover in seeds, and the effort.

    ``minimax``, without pruning, is None where it was not asked for.
    """

    depth: int
    best: list[int]
    value: float
    minimax: SearchEffort | None
    alphabeta: SearchEffort


def opponents_table(*, games: int, depth: int, seed: int, start: Board) -> Iterator[Cell]:
    """Play the four pairings of the lecture's table, and give each as it is done."""
    from mancala.bot.players.registry import make_player
    from mancala.engine.classics.rating import leads_of

    for player, kind in PLAYERS.items():
        for opponent, spec in OPPONENTS.items():
            us, them = make_player(f"{kind}:depth={depth}"), make_player(spec)
            scores = leads_of(us, them, start, games=games, seed=seed)
            won, drawn = sum(score > 0 for score in scores), scores.count(0)
            yield Cell(player, opponent, games, won, drawn, sum(scores) / games)


def depth_table(board: Board, *, depth: int, unpruned: int) -> Iterator[Row]:
    """Search one board ever deeper, and give each depth as it is done; the last ones are given."""
    for limit in range(1, depth + 1):
        full = _search(board, "minimax", limit)[2] if limit <= unpruned else None
        best, value, pruned = _search(board, "alphabeta", limit)
        yield Row(limit, best, value, full, pruned)


def _search(board: Board, kind: str, depth: int) -> tuple[list[int], float, SearchEffort]:
    from mancala.engine.classics.alphabeta import AlphaBetaPlayer
    from mancala.engine.classics.trees import MinimaxPlayer

    chosen = {"minimax": MinimaxPlayer, "alphabeta": AlphaBetaPlayer}[kind]
    agent = chosen(seed=0, depth=depth)  # nothing is drawn in a search
    began = perf_counter()
    ratings = agent.rate(board)
    seconds = perf_counter() - began
    value = max(ratings.values())
    best = sorted(pit for pit, rating in ratings.items() if rating == value)
    return best, value, SearchEffort(agent.nodes, seconds)


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(no_args_is_help=True, help=(__doc__ or "").partition("\n")[0])
    group.command("opponents")(_opponents)
    group.command("depth")(_depth)
    app.add_typer(group, name="classics")


def _opponents(
    *,
    games: Annotated[int, typer.Option(min=1, max=100_000, help="Games in each cell.")] = 20,
    depth: Annotated[int, typer.Option(min=1, max=DEEPEST, help="Turns looked ahead.")] = 4,
    seed: Annotated[int, typer.Option(help="Repeats the games.")] = 1,
    rules: RulesOption = "kalah",
    json: JsonOption = False,
) -> None:
    """Minimax and expectimax against a minimising and a random opponent."""
    start = Board.start(rules_of(rules))
    cells = []
    for cell in opponents_table(games=games, depth=depth, seed=seed, start=start):
        cells.append(cell)
        if not json:
            console.say(
                f"{cell.player:>10} against {cell.opponent:<10}  "
                f"won {cell.won}/{cell.games}, drawn {cell.drawn}, "
                f"average score {cell.average_score:+.1f}"
            )
    if json:
        console.emit(
            {
                "rules": str(start.rules),
                "seed": seed,
                "depth": depth,
                "opponent_depth": OPPONENT_DEPTH,
                "cells": cells,
            }
        )


def _depth(
    *,
    depth: Annotated[int, typer.Option(min=1, max=DEEPEST, help="Last depth, pruned.")] = 8,
    unpruned: Annotated[int, typer.Option(min=0, max=DEEPEST, help="Last depth, unpruned.")] = 5,
    rules: RulesOption = "kalah",
    json: JsonOption = False,
) -> None:
    """Positions and seconds of minimax at each depth, without pruning and with it."""
    start = Board.start(rules_of(rules))
    if not json:
        console.say(f"{'':5} {'minimax':^21}  {'alpha-beta':^21}")
        console.say(
            f"depth {'nodes':>11} {'seconds':>9}  {'nodes':>11} {'seconds':>9}  best, value"
        )
    rows = []
    for row in depth_table(start, depth=depth, unpruned=unpruned):
        rows.append(row)
        if not json:
            best = ", ".join(map(str, row.best))
            console.say(
                f"{row.depth:5} {_effort(row.minimax)}  {_effort(row.alphabeta)}  "
                f"pit {best}, {row.value:+.0f}"
            )
    if json:
        console.emit({"rules": str(start.rules), "rows": rows})


def _effort(effort: SearchEffort | None) -> str:
    if effort is None:
        return f"{'-':>11} {'-':>9}"
    return f"{effort.nodes:>11,} {effort.seconds:>9.3f}"
