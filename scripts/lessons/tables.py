"""Lessons in numbers: what the order of moves prunes, what an evaluation prunes, and b^d."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import log, perm, sqrt
from time import process_time
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from mancala.protocol.text import quantity

from ..console import output as console
from ..console.options import JsonOption, RulesOption
from .options import Evaluated, EvaluationOption, searched_rules

if TYPE_CHECKING:
    from mancala.engine.classics.trees import TreePlayer
    from mancala.protocol.rules import Board, Rules

DEEPEST: Final = 8
SEARCHES: Final[dict[str, tuple[str, bool]]] = {
    "worst": ("worst", False),
    "none": ("none", False),
    "best": ("promise", False),
    "textbook": ("none", True),
    "perfect": ("perfect", True),
}
"""Orders of alpha-beta by their keys, and whether it cuts off ties at the root as textbooks do."""
COUNTED: Final = 6
"""Sowings whose sequences are counted here; `mancala perft` counts deeper ones."""
SORTED: Final = {"none": "none", "best": "promise", "evaluation": "evaluation"}


def register(group: typer.Typer) -> None:
    group.command("nodes")(_nodes)
    group.command("evaluations")(_evaluations)
    group.command("growth")(_growth)


def _nodes(
    *,
    depth: Annotated[int, typer.Option(min=1, max=DEEPEST, help="Last depth, in turns.")] = 5,
    evaluation: EvaluationOption = Evaluated.STORES,
    rules: RulesOption = "kalah",
    json: JsonOption = False,
) -> None:
    """Count the positions that minimax and alpha-beta visit, by the order of moves.

    The order by promise has re-turns first, then captures, then late pits; worst is the reverse.
    These players prove which pits are equal. A textbook's search does not: it visits what 'learn
    tree' does, unsorted and in perfect order, by the values that the search itself finds. b^(d/2)
    is the square root of the plain tree. The exponents are those of the plain tree: by promise, and
    in perfect order.
    """
    start = _start(searched_rules(rules))
    rows = [_row(start, level, evaluation) for level in range(1, depth + 1)]
    head = (
        f"depth {'minimax':>11} {'worst':>8} {'unsorted':>8} {'promise':>8} {'textbook':>8}"
        f" {'perfect':>8} {'b^(d/2)':>8}  exponents   seconds: minimax, promise"
    )
    lines = (
        f"{row['depth']:5} {row['minimax']:>11,}"
        + "".join(f" {row[name]:>8,}" for name in (*SEARCHES, "root"))
        + f"  {row['exponent']:.2f}, {row['perfect_exponent']:.2f}"
        f"  {row['seconds']['minimax']:>16.3f}, {row['seconds']['best']:.3f}"
        for row in rows
    )
    found = {"rules": str(start.rules), "evaluation": evaluation, "rows": rows}
    console.show(found, (head, *lines), json=json)


def _row(board: Board, depth: int, evaluation: Evaluated) -> dict[str, Any]:
    from mancala.engine.classics.alphabeta import AlphaBetaPlayer
    from mancala.engine.classics.evaluation import EVALUATIONS
    from mancala.engine.classics.trees import MinimaxPlayer

    evaluate = EVALUATIONS[evaluation.value]
    players: dict[str, TreePlayer] = {
        "minimax": MinimaxPlayer(seed=0, depth=depth, evaluate=evaluate),
        **{
            name: AlphaBetaPlayer(
                seed=0, depth=depth, order=order, evaluate=evaluate, false_ties=false_ties
            )
            for name, (order, false_ties) in SEARCHES.items()
        },
    }
    seconds = {}
    for name, player in players.items():
        began = process_time()
        player.rate(board)
        seconds[name] = round(process_time() - began, 4)
    nodes = {name: player.nodes for name, player in players.items()}
    whole = nodes["minimax"]
    return {
        "depth": depth,
        **nodes,
        "root": round(sqrt(whole)),
        "exponent": log(nodes["best"]) / log(whole),
        "perfect_exponent": log(nodes["perfect"]) / log(whole),
        "seconds": seconds,
    }


@dataclass(frozen=True, slots=True)
class Pruned:
    """How much alpha-beta visits under an evaluation.

    Attributes:
        values: how many different values the leaves of the whole tree have.
        nodes: positions visited by the order of moves.
    """

    evaluation: str
    depth: int
    values: int
    nodes: dict[str, int]


def _evaluations(
    *,
    depth: Annotated[int, typer.Option(min=1, max=6, help="Turns to look ahead.")] = 4,
    rules: RulesOption = "kalah",
    json: JsonOption = False,
) -> None:
    """Count what alpha-beta visits under each evaluation, and each order of moves.

    The article says that a stronger evaluation prunes more. It does where it also sorts the moves.
    """
    start = _start(searched_rules(rules))
    rows = [_pruned(start, depth, evaluation) for evaluation in Evaluated]
    head = f"depth {depth:<6} {'values':>8} {'unsorted':>10} {'by promise':>11} {'by itself':>10}"
    lines = (
        f"{row.evaluation:12} {row.values:>8,} {row.nodes['none']:>10,} "
        f"{row.nodes['best']:>11,} {row.nodes['evaluation']:>10,}"
        for row in rows
    )
    found = {"rules": str(start.rules), "rows": rows}
    console.show(found, (head, *lines), json=json)


def _pruned(board: Board, depth: int, evaluation: Evaluated) -> Pruned:
    from mancala.engine.classics.alphabeta import AlphaBetaPlayer
    from mancala.engine.classics.evaluation import EVALUATIONS
    from mancala.engine.classics.trees import MinimaxPlayer

    values = set()
    evaluate = EVALUATIONS[evaluation.value]

    def noted(position: tuple[int, ...]) -> float:
        value = evaluate(position)
        values.add(value)
        return value

    MinimaxPlayer(seed=0, depth=depth, evaluate=noted).rate(board)
    nodes = {}
    for name, order in SORTED.items():
        player = AlphaBetaPlayer(seed=0, depth=depth, order=order, evaluate=evaluate)
        player.rate(board)
        nodes[name] = player.nodes
    return Pruned(evaluation, depth, len(values), nodes)


@dataclass(frozen=True, slots=True)
class Growth:
    """One figure of the texts.

    Attributes:
        counted: what a count of the real tree gives; None where none is made.
        remark: where the text says something else.
    """

    what: str
    formula: str
    leaves: int
    counted: int | None = None
    remark: str = ""


def _growth(*, json: JsonOption = False) -> None:
    """Show how trees grow with their depth: the figures of the texts, computed and counted.

    The counts of Kalah are sequences of sowings from the start of Kalah(6,4), up to six; `mancala
    perft` counts longer ones.
    """
    rows = list(_figures())
    if json:
        console.emit({"rows": rows})
        return
    console.say(f"{'tree':34} {'formula':>16} {'leaves':>14} {'counted':>12}")
    for row in rows:
        counted = "" if row.counted is None else f"{row.counted:,}"
        console.say(f"{row.what:34} {row.formula:>16} {row.leaves:>14,} {counted:>12}".rstrip())
        if row.remark:
            console.say(f"  {row.remark}")


def _figures() -> Iterator[Growth]:
    from mancala.protocol.rules import KALAH

    yield Growth("two choices, three moves", "2^3", 2**3)
    yield Growth("chess, three moves", "35^3", 35**3)
    for depth in (3, COUNTED, 8, 9, 10):
        counted = _sequences(_start(KALAH), depth) if depth <= COUNTED else None
        yield Growth(f"Kalah, {quantity(depth, 'sowing')}", f"6^{depth}", 6**depth, counted)
    boards = sum(perm(9, moves) for moves in range(10))
    yield Growth(
        "noughts and crosses, whole tree",
        "sum of 9!/n!",
        boards,
        remark="n from 0 to 9; as the text sums it, 623,530",
    )
    yield Growth(
        "backgammon, depth 2", "20·(21·20)^3", 20 * (21 * 20) ** 3, remark="the text says 1.2·10^9"
    )


def _sequences(board: Board, depth: int) -> int:
    """Return the number of sequences of ``depth`` sowings; a finished game counts as one."""
    from mancala.engine.classics.game import ClassicGame, Position, position_of

    game = ClassicGame(board.rules)

    @cache
    def count(position: Position, left: int) -> int:
        moves = game.moves(position)
        if left == 0 or not moves:
            return 1
        if left == 1:
            return len(moves)
        return sum(count(game.sow(position, pit).position, left - 1) for pit in moves)

    return count(position_of(board), depth)


def _start(rules: Rules) -> Board:
    from mancala.protocol.rules import Board

    return Board.start(rules)
