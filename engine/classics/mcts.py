"""Monte Carlo tree search with UCT: random games (playouts) decide which moves to look at further.

Each round has four steps:

1. *Selection*: walk down from the root, at each node to the child with the greatest upper
   confidence bound ``mean + c · sqrt(ln N / n)``, where ``mean`` is the child's average result,
   ``n`` its visits and ``N`` its parent's. The first term prefers good moves, the second moves
   that were tried rarely.
2. *Expansion*: at a node with untried pits, add one child.
3. *Simulation*: from that child, play to the end with random moves.
4. *Backpropagation*: add the result (win 1, draw ½, loss 0) to every node on the path.

The pit visited most is played, since its mean is known best. No evaluation is needed. Source:
Kocsis and Szepesvári, "Bandit based Monte-Carlo Planning", ECML 2006.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log, sqrt
from random import Random
from typing import Final

from mancala.protocol.messages import Info
from mancala.protocol.rules import Board

from .game import ClassicGame, Position, lead, position_of
from .rating import RatingPlayer

DEFAULT_PLAYOUTS: Final = 1000
DEFAULT_EXPLORATION: Final = 1.4
LONGEST_PLAYOUT: Final = 1000
"""Sowings of a random game; only one that goes round, as in Oware, has more, and is cut there."""


@dataclass(slots=True, eq=False)
class Node:
    """A position in the tree, its mover first; ``mine`` when the mover is the player who searches.

    ``untried`` are pits without a child yet, in the order in which they will be tried; ``visits``
    are the playouts that went through here, ``wins`` those that the searching player won, a draw a
    half.
    """

    position: Position
    mine: bool
    untried: list[int]
    children: dict[int, Node] = field(default_factory=dict)
    visits: int = 0
    wins: float = 0.0

    def most_promising(self, exploration: float) -> Node:
        """Return the child with the greatest upper confidence bound for this node's mover."""
        spread = exploration * sqrt(log(self.visits))

        def bound(child: Node) -> float:
            mean = child.wins / child.visits
            return (mean if self.mine else 1 - mean) + spread / sqrt(child.visits)

        return max(self.children.values(), key=bound)


@dataclass(kw_only=True, eq=False)
class MctsPlayer(RatingPlayer[float]):
    """UCT with random playouts, 1 or more a move; a greater ``exploration`` looks more widely."""

    playouts: int = DEFAULT_PLAYOUTS
    exploration: float = DEFAULT_EXPLORATION

    def info(self) -> Info:
        """Return the playouts of a move as the nodes visited."""
        return Info(nodes=self.playouts)

    def rate(self, board: Board) -> dict[int, float]:
        game = ClassicGame(board.rules)
        self._rng = Random(self._ties.below(1 << 64))  # noqa: S311  # games need no cryptography
        root = self._node(game, position_of(board), mine=True)
        if root.untried:
            for _ in range(self.playouts):
                self._round(game, root)
        return {pit: child.visits for pit, child in root.children.items()}

    def _round(self, game: ClassicGame, root: Node) -> None:
        path = [root]
        while not path[-1].untried and path[-1].children:
            path.append(path[-1].most_promising(self.exploration))
        if path[-1].untried:
            path.append(self._grow(game, path[-1]))
        won = self._playout(game, path[-1])
        for node in path:
            node.visits += 1
            node.wins += won

    def _grow(self, game: ClassicGame, parent: Node) -> Node:
        pit = parent.untried.pop()
        sown = game.sow(parent.position, pit)
        child = self._node(game, sown.position, mine=parent.mine == sown.again)
        parent.children[pit] = child
        return child

    def _playout(self, game: ClassicGame, node: Node) -> float:
        position, mine, choice = node.position, node.mine, self._rng.choice
        for _ in range(LONGEST_PLAYOUT):
            if not (moves := game.moves(position)):
                break
            position, again, _ = game.sow(position, choice(moves))
            mine = mine == again
        margin = lead(position) if mine else -lead(position)
        return 0.5 if margin == 0 else float(margin > 0)

    def _node(self, game: ClassicGame, position: Position, *, mine: bool) -> Node:
        untried = game.moves(position)
        self._rng.shuffle(untried)
        return Node(position, mine, untried)
