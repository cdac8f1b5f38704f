"""Practice trees, by number; their answers are the walk of `tree_walk`."""

from __future__ import annotations

from random import Random

from .game_tree import GameTree, NodeKind
from .tree_walk import WalkEvent, walk


def exercise(number: int) -> GameTree:
    """Return practice tree ``number``: three levels, whole values, and something to cut off."""
    rng = Random(number)  # noqa: S311  # an exercise, not a secret
    while True:
        leaves = iter(rng.choices(range(-9, 20), k=3**3))
        tree = GameTree(
            NodeKind.MAX,
            children=tuple(
                GameTree(
                    NodeKind.MIN,
                    children=tuple(
                        GameTree(
                            NodeKind.MAX,
                            children=tuple(
                                GameTree(NodeKind.LEAF, float(next(leaves)))
                                for _ in range(rng.choice((2, 3)))
                            ),
                        )
                        for _ in range(2)
                    ),
                )
                for _ in range(rng.choice((2, 3)))
            ),
        )
        if any(step.event is WalkEvent.CUT for step in walk(tree)):
            return tree
