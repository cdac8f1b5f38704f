"""``mancala learn``: the algorithms of the textbooks, walked step by step.

``tree`` walks a tree of numbers, or the first turns of a position; ``exercise`` poses practice
trees and answers them; ``nodes`` counts what each order of moves leaves of the tree.
"""

from __future__ import annotations

from enum import StrEnum
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from scripts.analysis.positions import board_of
from scripts.console import output as console
from scripts.console.options import JsonOption, RulesOption, rules_of

if TYPE_CHECKING:
    from engine.classics.game_tree import Step, Tree
    from protocol.rules import Board

SMALL_TREE: Final = "((3 12 8) (2 4 6) (14 5 2))"
DEEPEST: Final = 8


class Algorithm(StrEnum):
    """How a tree is walked."""

    MINIMAX = "minimax"
    ALPHABETA = "alphabeta"
    EXPECTIMAX = "expectimax"


class Order(StrEnum):
    """How the children are sorted beforehand."""

    NONE = "none"
    BEST = "best"
    WORST = "worst"


AlgorithmOption = Annotated[
    Algorithm,
    typer.Option(help="expectimax has the other side of a position move at random."),
]
OrderOption = Annotated[Order, typer.Option(help="Sort the children by their true values first.")]
StepsOption = Annotated[bool, typer.Option("--steps", help="Tell the walk step by step.")]
SvgOption = Annotated[
    Path | None, typer.Option(help="Also draw the tree into this file.", dir_okay=False)
]


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(no_args_is_help=True, help="The textbooks' algorithms, step by step.")
    group.command("tree")(_tree)
    group.command("exercise")(_exercise)
    group.command("nodes")(_nodes)
    app.add_typer(group, name="learn")


def _tree(  # typer's arguments and options
    tree: Annotated[
        str | None,
        typer.Argument(
            help=f"Numbers in parentheses, such as '{SMALL_TREE}'; kinds alternate below a max "
            "root, and max(…), min(…), chance(0.8:5 0.2:3) name one."
        ),
    ] = None,
    *,
    board: Annotated[
        str | None, typer.Option(help="Walk the tree of this position instead; 'start' is one.")
    ] = None,
    depth: Annotated[int, typer.Option(min=1, max=6, help="Turns of a position's tree.")] = 2,
    algorithm: AlgorithmOption = Algorithm.ALPHABETA,
    order: OrderOption = Order.NONE,
    bounds: Annotated[
        tuple[float, float] | None,
        typer.Option(help="Least and greatest leaf; with them chance nodes are pruned."),
    ] = None,
    rules: RulesOption = "kalah",
    steps: StepsOption = False,
    svg: SvgOption = None,
    json: JsonOption = False,
) -> None:
    """Walk a game tree: values, alpha and beta at each node, and what is cut off."""
    from engine.classics import game_tree

    with console.bad_input():
        if tree is not None and board is not None:
            raise ValueError("give a tree of numbers or --board, not both")
        if board is None:
            root = game_tree.parse(tree or SMALL_TREE)
        else:
            start = None if board == "start" else board
            root = _position_tree(board_of(start, rules_of(rules)), depth, algorithm)
        root = game_tree.ordered(root, order)
        walked = list(game_tree.walk(root, prune=algorithm is not Algorithm.MINIMAX, bounds=bounds))
    _show(root, walked, steps=steps, svg=svg, json=json)


def _exercise(
    number: Annotated[int, typer.Argument(min=1, help="Which exercise; each has a number.")] = 1,
    *,
    answer: Annotated[bool, typer.Option("--answer", help="Show the solution as well.")] = False,
    steps: StepsOption = False,
    svg: SvgOption = None,
    json: JsonOption = False,
) -> None:
    """Pose a practice tree: which values, which windows, which branches are pruned?"""
    from engine.classics import game_tree

    tree = game_tree.exercise(number)
    if answer:
        _show(tree, list(game_tree.walk(tree)), steps=steps, svg=svg, json=json)
        return
    question = (
        f"{game_tree.write(tree)}\n"
        "Find the value of each node, alpha and beta at each node, and the branches that are "
        f"pruned from left to right. Answer: mancala learn exercise {number} --answer"
    )
    console.show({"exercise": number, "tree": game_tree.write(tree)}, question, json=json)


def _nodes(
    *,
    depth: Annotated[int, typer.Option(min=1, max=DEEPEST, help="Last depth, in turns.")] = 5,
    rules: RulesOption = "kalah",
    json: JsonOption = False,
) -> None:
    """Count the positions that minimax and alpha-beta visit, by the order of moves.

    The exponent is that of the plain tree: alpha-beta visits nodes^exponent positions. Perfect
    order would bring it to a half.
    """
    start = board_of(None, rules_of(rules))
    rows = [_row(start, level) for level in range(1, depth + 1)]
    if json:
        console.emit({"rules": str(start.rules), "rows": rows})
        return
    typer.echo(f"depth {'minimax':>11} {'worst':>10} {'none':>10} {'best':>10}  exponent")
    for row in rows:
        typer.echo(
            f"{row['depth']:5} {row['minimax']:>11,} {row['worst']:>10,} {row['none']:>10,} "
            f"{row['best']:>10,}  {row['exponent']:.2f}"
        )


def _row(board: Board, depth: int) -> dict[str, float]:
    from engine.classics.alphabeta import AlphaBetaPlayer
    from engine.classics.trees import MinimaxPlayer

    plain = MinimaxPlayer(seed=0, depth=depth)
    plain.rate(board)
    row: dict[str, float] = {"depth": depth, "minimax": plain.nodes}
    for order in Order:
        pruned = AlphaBetaPlayer(seed=0, depth=depth, order=order.value)
        pruned.rate(board)
        row[order.value] = pruned.nodes
    row["exponent"] = log(row["best"]) / log(plain.nodes)
    return row


def _position_tree(board: Board, depth: int, algorithm: Algorithm) -> Tree:
    from engine.classics.game_tree import Kind, tree_of

    if board.is_over:
        raise ValueError(f"the game is over: {board.text}")
    opponent = Kind.CHANCE if algorithm is Algorithm.EXPECTIMAX else Kind.MIN
    return tree_of(board, depth, opponent=opponent)


def _show(tree: Tree, walked: list[Step], *, steps: bool, svg: Path | None, json: bool) -> None:
    from engine.classics.game_tree import Event, write
    from scripts.views import tree as view

    notes = view.Notes.of(walked)
    if svg is not None:
        with console.bad_input():
            drawing = view.svg(tree, notes)
        svg.write_text(drawing, encoding="utf-8")
    best = [node.move or str(path[-1] + 1) for path, node in view.best_line(tree, notes)[1:]]
    visited = len(notes.visited)
    if json:
        console.emit(
            {
                "tree": write(tree),
                "value": notes.values[()],
                "best": best,
                "nodes": tree.size,
                "visited": visited,
                "leaves": notes.leaves,
                "cuts": sum(step.event is Event.CUT for step in walked),
                "steps": [_step(step) for step in walked] if steps else None,
            }
        )
        return
    if steps:
        for number, sentence in enumerate(view.story(tree, walked), start=1):
            typer.echo(f"{number:4}  {sentence}")
    typer.echo("\n".join(view.lines(tree, notes)))
    typer.echo(
        f"value {view.number(notes.values[()])}, {visited} of {tree.size} nodes visited, "
        f"{notes.leaves} leaves; best line: {' '.join(best) or 'left to chance'}"
    )


def _step(step: Step) -> dict[str, object]:
    """Return a step as JSON; an infinite window is null."""
    return {
        "event": step.event,
        "path": step.path,
        "alpha": _finite(step.alpha),
        "beta": _finite(step.beta),
        "value": step.value,
        "skipped": step.skipped,
    }


def _finite(value: float) -> float | None:
    return value if abs(value) != float("inf") else None
