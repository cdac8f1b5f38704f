"""Lessons on trees: walks of one, practice trees, and trees with a utility for each player."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mancala.protocol.text import decimal_number, quantity

from ..console import output as console
from ..console.options import JsonOption, RulesOption
from ..console.positions import unfinished
from .options import (
    SMALL_TREE,
    BoardOption,
    Evaluated,
    EvaluationOption,
    QuiescenceOption,
    StepsOption,
    SvgOption,
    TreeArgument,
    position,
    searched_rules,
)

if TYPE_CHECKING:
    from mancala.engine.classics.lecture.game_tree import GameTree, NodeKind
    from mancala.engine.classics.lecture.tree_walk import WalkStep
    from mancala.engine.classics.lecture.unknown_leaf import ValueRange
    from mancala.engine.classics.lecture.utilities import Shares

INFINITE: Final = ("inf", "+inf", "-inf")
SIDES: Final = ("alpha", "beta")
BOARD_DEPTH: Final = 2
GENERAL_SUM: Final = "(((1,6,6 7,1,2) (6,1,2 7,2,1)) ((5,1,7 1,5,2) (7,7,1 5,2,5)))"
"""The lecture's tree of three players."""


def best_line(root: Shares) -> list[int]:
    """Return the numbers of the children that are taken, from the root on."""
    line, node = [], root
    while node.best is not None:
        line.append(node.best)
        node = node.children[node.best]
    return line


def share_lines(root: Shares) -> Iterator[str]:
    """Yield the tree as lines of text, one a node, the root first; the best line is doubled."""
    yield from _share_lines(root, "", "", on_best=True)


def _share_lines(node: Shares, before: str, branch: str, *, on_best: bool) -> Iterator[str]:
    mark = branch and branch + ("═ " if on_best else "─ ")
    worth = "(" + ", ".join(f"{share:g}" for share in node.utilities) + ")"
    who = f"player {node.player + 1} " if node.children else ""
    yield f"{before}{mark}{who}{worth}"
    below = before + {"": "", "└": "   ", "├": "│  "}[branch]
    for number, child in enumerate(node.children):
        last = number == len(node.children) - 1
        taken = on_best and number == node.best
        yield from _share_lines(child, below, "└" if last else "├", on_best=taken)


class Algorithm(StrEnum):
    MINIMAX = "minimax"
    ALPHABETA = "alphabeta"
    EXPECTIMAX = "expectimax"


class ChildOrder(StrEnum):
    """How the children are sorted beforehand."""

    NONE = "none"
    BEST = "best"
    WORST = "worst"


class Utility(StrEnum):
    """What a leaf's number is worth."""

    LINEAR = "linear"
    SQUARE = "square"


def register(group: typer.Typer) -> None:
    group.command("tree")(_tree)
    group.command("cutoffs")(_cutoffs)
    group.command("exercise")(_exercise)
    group.command("utilities")(_utilities)


def _tree(
    tree: TreeArgument = None,
    *,
    board: BoardOption = None,
    depth: Annotated[
        int | None,
        typer.Option(
            min=1, max=6, help="Turns after which to stop.  [default: the whole tree, or 2 turns]"
        ),
    ] = None,
    quiescence: QuiescenceOption = 0,
    evaluation: EvaluationOption = Evaluated.STORES,
    algorithm: Annotated[
        Algorithm,
        typer.Option(help="expectimax has the other side move at random, below each max node."),
    ] = Algorithm.ALPHABETA,
    order: Annotated[
        ChildOrder, typer.Option(help="Sort the children by their true values first.")
    ] = ChildOrder.NONE,
    utility: Annotated[
        Utility, typer.Option(help="square: every leaf x is worth x², with its sign.")
    ] = Utility.LINEAR,
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
    from mancala.engine.classics.chance import UTILITY_SCALES
    from mancala.engine.classics.evaluation import EVALUATIONS
    from mancala.engine.classics.lecture import game_tree, tree_text, tree_walk

    with console.bad_input():
        if tree is not None and board is not None:
            raise ValueError("give a tree of numbers or --board, not both")
        if board is None:
            root = tree_text.parse(tree or SMALL_TREE, opponent=_opponent(algorithm))
        else:
            root = game_tree.tree_of(
                unfinished(position(board, searched_rules(rules))),
                depth or BOARD_DEPTH,
                evaluate=EVALUATIONS[evaluation.value],
                opponent=_opponent(algorithm),
                quiescence=quiescence,
            )
        if depth is not None or board is not None:
            root = game_tree.seen(root, depth or BOARD_DEPTH, quiescence=quiescence)
        root = game_tree.mapped(root, UTILITY_SCALES[utility.value])
        root = game_tree.ordered(root, order.value)
        prune = algorithm is not Algorithm.MINIMAX
        walked = list(tree_walk.walk(root, prune=prune, bounds=bounds))
    _show(root, walked, steps=steps, svg=svg, json=json)


def _cutoffs(
    tree: Annotated[
        str, typer.Argument(help="A tree as for learn tree, with up to three leaves ?.")
    ],
    *,
    json: JsonOption = False,
) -> None:
    """Print for which values of the leaves ? which branches are pruned.

    Several are numbered from the left. Each range of ?1 has ranges of ?2.
    """
    from mancala.engine.classics.lecture.tree_text import parse, write
    from mancala.engine.classics.lecture.unknown_leaf import pruned_by_value

    with console.bad_input():
        root = parse(tree)
        ranges = pruned_by_value(root)
    found = {"tree": write(root), "ranges": list(map(_range, ranges))}
    console.show(found, _pruned_where(ranges), json=json)


def _range(found: ValueRange) -> dict[str, object]:
    """Return a range as JSON; no end is null."""
    ranges = {"ranges": list(map(_range, found.inner))} if found.inner else {}
    return {
        "low": None if found.low == -inf else found.low,
        "low_included": found.low_included,
        "high": None if found.high == inf else found.high,
        "high_included": found.high_included,
        "pruned": [[number + 1 for number in branch] for branch in found.pruned],
        **ranges,
    }


def _pruned_where(ranges: Sequence[ValueRange], level: int = 0) -> Iterator[str]:
    leaf = f"?{level + 1}" if level or any(each.inner for each in ranges) else "?"
    for each in ranges:
        low = "" if each.low == -inf else f"{_end(each.low)} {'≤' if each.low_included else '<'} "
        high = (
            "" if each.high == inf else f" {'≤' if each.high_included else '<'} {_end(each.high)}"
        )
        condition = f"{low}{leaf}{high}" if low or high else f"any {leaf}"
        if each.low == each.high:
            condition = f"{leaf} = {_end(each.low)}"
        said = f"pruned: {', '.join(map(_branch, each.pruned))}" if each.pruned else ""
        said = "" if each.inner else f" {said or 'nothing is pruned'}"
        yield f"{'  ' * level}{condition}:{said}"
        yield from _pruned_where(each.inner, level + 1)


def _end(end: float | str) -> str:
    return end if isinstance(end, str) else f"{end:g}"


def _branch(path: Sequence[int]) -> str:
    """Return a branch by the numbers of its children from the root; the root is ``root``."""
    return ".".join(str(number + 1) for number in path) or "root"


def _exercise(
    number: Annotated[int, typer.Argument(min=1, help="Which exercise; each has a number.")] = 1,
    *,
    levels: Annotated[int, typer.Option(min=2, max=4, help="Levels above the leaves.")] = 3,
    chance: Annotated[
        bool, typer.Option("--chance", help="The other side draws its move: chance nodes.")
    ] = False,
    answer: Annotated[bool, typer.Option("--answer", help="Show the solution as well.")] = False,
    check: Annotated[
        str | None,
        typer.Option(
            metavar="ANSWER",
            help="Mark an answer: values, as in 'root=4 2.1=7', windows as they stood last, as in"
            " '1.alpha=-inf 1.beta=4', and pruned branches: '2.2'.",
        ),
    ] = None,
    steps: StepsOption = False,
    svg: SvgOption = None,
    json: JsonOption = False,
) -> None:
    """Pose a practice tree: which values, which windows, which branches are pruned?

    With --check the exit code is 1 where an answer is wrong.
    """
    from mancala.engine.classics.lecture.exercises import exercise
    from mancala.engine.classics.lecture.tree_text import write
    from mancala.engine.classics.lecture.tree_walk import walk

    tree = exercise(number, levels=levels, chance=chance)
    if check is not None:
        _mark(tree, check, json=json)
        return
    if answer:
        _show(tree, list(walk(tree)), steps=steps, svg=svg, json=json)
        return
    question = (
        f"{write(tree)}\n"
        "Find the value of each node, alpha and beta at each node, and the branches that are "
        "pruned from left to right. Mark your answer with --check 'root=… 1=… 1.beta=… 2.2', or "
        "read it with --answer."
    )
    console.show({"exercise": number, "tree": write(tree)}, question, json=json)


def _mark(tree: GameTree, answer: str, *, json: bool) -> None:
    """Print what of an answer is wrong."""
    from mancala.engine.classics.lecture.tree_walk import walk

    from ..console.views import tree as view

    notes = view.Notes.of(list(walk(tree)))
    pruned = {_branch(path) for path in notes.cut}
    with console.bad_input():
        values, stated = _read_answer(answer, {_branch(path) for path in _paths(tree)})
    known = {_branch(path): value for path, value in notes.values.items()}
    for path, window in notes.windows.items():
        known |= {f"{_branch(path)}.{side}": end for side, end in zip(SIDES, window, strict=True)}
    wrong = [
        f"{node} is pruned, so it has no value" if node not in known else f"{node} is not {value:g}"
        for node, value in values.items()
        if known.get(node) != value
    ]
    wrong += [f"{node} is not pruned" for node in sorted(stated - pruned)]
    if missing := len(pruned - stated):
        wrong.append(f"{quantity(missing, 'more branch', 'more branches')} pruned")
    console.show({"right": not wrong, "wrong": wrong}, "\n".join(wrong) or "right", json=json)
    if wrong:
        raise typer.Exit(console.FAILED)


def _read_answer(answer: str, nodes: set[str]) -> tuple[dict[str, float], set[str]]:
    """Return the values and windows of an answer, and the branches that it calls pruned."""
    values, pruned = dict[str, float](), set[str]()
    for word in answer.split():
        name, is_value, value = word.partition("=")
        before, _, side = name.rpartition(".")
        node = before if is_value and side in SIDES else name
        if node not in nodes:
            raise ValueError(f"there is no node {node!r}; they are {', '.join(sorted(nodes))}")
        if is_value:
            values[name] = float(value) if value in INFINITE else decimal_number(value)
        else:
            pruned.add(node)
    return values, pruned


def _paths(tree: GameTree, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    yield path
    for number, child in enumerate(tree.children):
        yield from _paths(child, (*path, number))


def _utilities(
    tree: Annotated[
        str, typer.Argument(help="Leaves are numbers joined by commas, one for each player.")
    ] = GENERAL_SUM,
    *,
    json: JsonOption = False,
) -> None:
    """Solve a tree in which every player has a utility of its own (general sum, maxⁿ).

    The players decide in turn, the first at the root; each takes what is best for itself.
    """
    from mancala.engine.classics.lecture.utilities import solve

    with console.bad_input():
        root = solve(tree)
    best = [number + 1 for number in best_line(root)]
    line = " ".join(map(str, best)) or "none"
    text = "\n".join((*share_lines(root), f"best line: {line}"))
    console.show({"utilities": root.utilities, "best": best, "tree": root}, text, json=json)


def _opponent(algorithm: Algorithm) -> NodeKind:
    from mancala.engine.classics.lecture.game_tree import NodeKind

    return NodeKind.CHANCE if algorithm is Algorithm.EXPECTIMAX else NodeKind.MIN


def _show(
    tree: GameTree, walked: list[WalkStep], *, steps: bool, svg: Path | None, json: bool
) -> None:
    from mancala.engine.classics.lecture.tree_text import write
    from mancala.engine.classics.lecture.tree_walk import WalkEvent

    from ..console.views import tree as view

    notes = view.Notes.of(walked)
    if svg is not None:
        console.expect_writable(svg)
        with console.bad_input():
            drawing = view.animated(tree, walked) if steps else view.svg(tree, notes)
        with console.failing_on(OSError, at=svg):
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
                "cuts": sum(step.event is WalkEvent.CUT for step in walked),
                "steps": [_step(step) for step in walked] if steps else None,
            }
        )
        return
    if steps:
        for number, sentence in enumerate(view.story(tree, walked), start=1):
            console.say(f"{number:4}  {sentence}")
    console.say("\n".join(view.lines(tree, notes)))
    console.say(
        f"value {view.number(notes.values[()])}, {visited} of {quantity(tree.size, 'node')}"
        f" visited, {quantity(notes.leaves, 'leaf', 'leaves')};"
        f" best line: {' '.join(best) or 'left to chance'}"
    )


def _step(step: WalkStep) -> dict[str, object]:
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
