"""Game trees as lectures draw them: of numbers, or of the first turns of a position.

`tree_text` reads and writes them, `tree_walk` walks them, and `seen` is what is left of one for a
search that stops at a depth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from math import isnan, nan
from typing import Final

from mancala.protocol.rules import Board

from ..evaluation import Evaluation, stores
from ..game import ClassicGame, Position, lead, position_of

MOST_NODES: Final = 20_000
"""A tree with more nodes is refused: it would be unreadable."""
ORDERS: Final = ("none", "best", "worst")
STAND: Final = "stand"
"""What leads to the leaf of a mover who makes none of the loud moves."""


class NodeKind(StrEnum):
    """Who decides at a node."""

    MAX = "max"
    MIN = "min"
    CHANCE = "chance"
    LEAF = "leaf"


@dataclass(frozen=True, slots=True)
class GameTree:
    """A node with all that hangs from it, its children from left to right.

    A leaf has its value for the maximiser, not a number where it is not known; a node with children
    may have a ``static`` one, what the evaluation says of it. Only a chance node has weights.
    ``move`` is what leads here, as its parent calls it; ``loud`` whether that is a capture or a
    re-turn.
    """

    kind: NodeKind
    value: float | None = None
    children: tuple[GameTree, ...] = ()
    weights: tuple[float, ...] = ()
    move: str = ""
    static: float | None = None
    loud: bool = False

    @property
    def size(self) -> int:
        """The number of nodes, this one and the leaves included."""
        return 1 + sum(child.size for child in self.children)


class TreeError(ValueError):
    """A text that is no tree."""


@dataclass(slots=True)
class _Growth:
    game: ClassicGame
    evaluate: Evaluation
    opponent: NodeKind
    left: int = MOST_NODES

    def grow(self, position: Position, turns: int, sowings: int, *, mine: bool) -> GameTree:
        """Return the tree below a position, with ``sowings`` loud moves past its last turn."""
        self.left -= 1
        if self.left < 0:
            raise TreeError(f"a tree has at most {MOST_NODES} nodes; ask for less depth")
        sown = self.game.sowings(position)
        value = self.evaluate(position) if sown else lead(position)
        static = float(value if mine else -value)
        if turns == 0:
            sown = [move for move in sown if sowings and (move[1].again or move[1].captured)]
        if not sown:
            return GameTree(NodeKind.LEAF, static)
        children = tuple(
            replace(
                self.grow(
                    after.position,
                    turns if after.again or turns == 0 else turns - 1,
                    sowings - (turns == 0),
                    mine=mine == after.again,
                ),
                move=str(pit),
                loud=after.again or bool(after.captured),
            )
            for pit, after in sown
        )
        kind = NodeKind.MAX if mine else self.opponent
        weights = even(len(children)) if kind is NodeKind.CHANCE else ()
        return GameTree(kind, None, children, weights, static=static)


def tree_of(
    board: Board,
    depth: int,
    *,
    evaluate: Evaluation = stores,
    opponent: NodeKind = NodeKind.MIN,
    quiescence: int = 0,
) -> GameTree:
    """Return the game tree below a position, as the classic players search it.

    The mover is the maximiser; a re-turn stays on the same turn. With ``quiescence`` sowings of
    captures and re-turns beyond the depth, the tree is one for `seen`. TreeError when it is too
    large.
    """
    growth = _Growth(ClassicGame(board.rules), evaluate, opponent)
    return growth.grow(position_of(board), depth, quiescence, mine=True)


def seen(tree: GameTree, depth: int, *, quiescence: int = 0) -> GameTree:
    """Return what a search sees of a tree that stops at a depth, in turns.

    Past the depth a node is worth what the evaluation says of it. With quiescence, that many loud
    moves are followed first, and the mover may also stand on that value ("stand pat"), which is
    drawn as one more leaf. TreeError when a node that the search stops at has no stated value.
    """
    if tree.value is not None:
        return tree
    if depth > 0:
        children = tuple(
            seen(child, depth - (child.kind is not tree.kind), quiescence=quiescence)
            for child in tree.children
        )
        return replace(tree, children=children)
    if tree.static is None:
        raise TreeError("a search that stops there needs the node's value; write it as @4(3 12)")
    stop = GameTree(NodeKind.LEAF, tree.static, move=tree.move, loud=tree.loud)
    loud = [child for child in tree.children if child.loud]
    if not (loud and quiescence) or tree.kind is NodeKind.CHANCE:
        return stop
    followed = (seen(child, 0, quiescence=quiescence - 1) for child in loud)
    return replace(tree, children=(replace(stop, move=STAND), *followed))


def ordered(tree: GameTree, order: str) -> GameTree:
    """Return the tree with its children sorted: ``best`` first, ``worst`` first, or as they are.

    Raises:
        ValueError: when the order is none of these.
        TreeError: when a leaf is unknown.
    """
    if order not in ORDERS:
        raise ValueError(f"order must be one of {', '.join(ORDERS)}, not {order!r}")
    if order == "none" or not tree.children:
        return tree
    if isnan(value_of(tree)):
        raise TreeError("a tree with unknown leaves cannot be sorted by its values")
    children = tuple(ordered(child, order) for child in tree.children)
    if tree.kind is not NodeKind.CHANCE:
        descending = (tree.kind is NodeKind.MAX) == (order == "best")
        children = tuple(sorted(children, key=value_of, reverse=descending))
    return replace(tree, children=children)


def mapped(tree: GameTree, change: Callable[[float], float]) -> GameTree:
    """Return the tree with every leaf's value and every stated value changed by a function."""
    return replace(
        tree,
        value=None if tree.value is None else change(tree.value),
        static=None if tree.static is None else change(tree.static),
        children=tuple(mapped(child, change) for child in tree.children),
    )


def value_of(tree: GameTree) -> float:
    """Return the value of a tree by its definition, without pruning; nan if a leaf is unknown."""
    if tree.value is not None:
        return tree.value
    values = [value_of(child) for child in tree.children]
    if any(map(isnan, values)):
        return nan
    if tree.kind is NodeKind.CHANCE:
        return sum(map(float.__mul__, tree.weights, values))
    return max(values) if tree.kind is NodeKind.MAX else min(values)


def even(count: int) -> tuple[float, ...]:
    """Return equal probabilities for as many children."""
    return (1 / count,) * count
