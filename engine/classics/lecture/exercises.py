"""Practice trees, by number; their answers are the walk of `tree_walk`."""

from collections.abc import Iterator
from random import Random
from typing import Final

from .game_tree import GameTree, NodeKind, even
from .tree_walk import WalkEvent, walk

USUAL: Final = 3
"""Levels of a tree, the root's included, that of the leaves not."""
OF_THE_OTHER: Final = 2
"""Children of a node at which the other side decides."""


def exercise(number: int, *, levels: int = USUAL, chance: bool = False) -> GameTree:
    """Return practice tree ``number``: whole values, and without ``chance`` something to cut."""
    rng = Random(number)  # noqa: S311  # an exercise, not a secret
    while True:
        leaves = iter(rng.choices(range(-9, 20), k=3**levels))
        tree = _node(rng, leaves, levels, NodeKind.CHANCE if chance else NodeKind.MIN)
        if chance or any(step.event is WalkEvent.CUT for step in walk(tree)):
            return tree


def _node(
    rng: Random, leaves: Iterator[int], levels: int, other: NodeKind, *, mine: bool = True
) -> GameTree:
    if levels == 0:
        return GameTree(NodeKind.LEAF, float(next(leaves)))
    count = rng.choice((2, 3)) if mine else OF_THE_OTHER
    children = tuple(_node(rng, leaves, levels - 1, other, mine=not mine) for _ in range(count))
    if mine or other is not NodeKind.CHANCE:
        return GameTree(NodeKind.MAX if mine else other, children=children)
    return GameTree(other, children=children, weights=even(count))
