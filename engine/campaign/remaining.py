"""How much of a proof remains, by Knuth's method: sampled ways through its tree.

A way begins at the question that is asked. Where the side moves that is expected to win the
question, it takes the move that seems cheapest; where the other side moves, it takes one of the
open moves at random, and counts for all of them. It ends at a leaf, for which the mean nodes of
finished subproofs stand (`costs`). The mean over all ways is what the tree is expected to cost
(Knuth, "Estimating the efficiency of backtrack programs", Mathematics of Computation 29, 1975).

The estimate holds for the tree as it now seems. Lines that meet are counted more than once, which
makes it too large; a move that fails where it was expected to win makes it too small; and the cost
of leaves far above any that were finished is extrapolated.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from math import sqrt
from typing import Final

from .costs import Costs
from .tree import ProofNode, ProofTree, open_moves

WAYS: Final = 256


@dataclass(frozen=True, slots=True)
class Remaining:
    """What an open question is expected to take: the mean of the ways, and its error from sampling.

    ``largest`` is the seeds in play of the largest leaf that was met.
    """

    nodes: float
    error: float
    largest: int


def estimate(tree: ProofTree, costs: Costs, root: ProofNode, *, seed: int = 1) -> Remaining:
    """Return what an open question is expected to take yet."""
    rng = random.Random(seed)  # noqa: S311  # samples, no secrets
    wins = root.yes <= root.no
    found, largest = [], 0
    for _ in range(WAYS):
        node, factor, mover_wins = root, 1.0, wins
        while node.moves is not None:
            below = open_moves(node)
            after = tree.cheapest(node) if mover_wins else rng.choice(below)[1]
            factor *= 1 if mover_wins else len(below)
            again = next(move.again for move, each in below if each is after)
            mover_wins = mover_wins if again else not mover_wins
            node = after
        found.append(factor * costs.mean(node.board.in_play))
        largest = max(largest, node.board.in_play)
    mean = sum(found) / WAYS
    variance = sum((each - mean) ** 2 for each in found) / (WAYS - 1)
    return Remaining(mean, sqrt(variance / WAYS), largest)
