"""Random trees that tests share."""

from __future__ import annotations

import os
from random import Random

from engine.classics.game_tree import Kind, Tree

LEAST, MOST = 0.0, 10.0


def generator() -> Random:
    """Return a random generator; MANCALA_SEED repeats a run."""
    seed = int(os.environ.get("MANCALA_SEED") or Random().getrandbits(32))
    print(f"MANCALA_SEED={seed}")  # noqa: T201  # pytest shows it beside a failure
    return Random(seed)


def random_tree(rng: Random, depth: int) -> Tree:
    """Return a tree of any kinds, its leaves within the bounds."""
    if depth == 0:
        return Tree(Kind.LEAF, float(rng.randint(int(LEAST), int(MOST))))
    kind = rng.choice((Kind.MAX, Kind.MIN, Kind.CHANCE))
    children = tuple(random_tree(rng, depth - 1) for _ in range(rng.randint(1, 3)))
    weights = (1 / len(children),) * len(children) if kind is Kind.CHANCE else ()
    return Tree(kind, None, children, weights)
