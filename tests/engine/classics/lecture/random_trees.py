"""Random trees that tests share."""

from random import Random

from mancala.engine.classics.lecture.game_tree import GameTree, NodeKind
from tests.seeds import seed

LEAST, MOST = 0.0, 10.0


def generator() -> Random:
    return Random(seed())


def random_tree(rng: Random, depth: int) -> GameTree:
    if depth == 0:
        return GameTree(NodeKind.LEAF, float(rng.randint(int(LEAST), int(MOST))))
    kind = rng.choice((NodeKind.MAX, NodeKind.MIN, NodeKind.CHANCE))
    children = tuple(random_tree(rng, depth - 1) for _ in range(rng.randint(1, 3)))
    weights = (1 / len(children),) * len(children) if kind is NodeKind.CHANCE else ()
    return GameTree(kind, None, children, weights)
