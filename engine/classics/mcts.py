"""Monte Carlo tree search: a tree grown one leaf a playout, steered by UCT.

Each round walks down from the root, at every node to the child with the greatest upper confidence
bound ``mean + c · sqrt(ln N / n)``, adds one child that was not tried yet, plays from there to the
end at random, and counts the result (win 1, draw ½) in every node on the way. The pit visited most
is played: its mean is the one known best. (Kocsis and Szepesvári, "Bandit based Monte-Carlo
Planning", ECML 2006.)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log, sqrt
from typing import TYPE_CHECKING, Final

from engine.classics.agent import RatingAgent
from engine.classics.game import Game, Position, lead, position_of

if TYPE_CHECKING:
    from random import Random

    from protocol.rules import Board

DEFAULT_PLAYOUTS: Final = 1000
DEFAULT_EXPLORATION: Final = 1.4


@dataclass(slots=True, eq=False)
class Node:
    """A position in the tree.

    Attributes:
        position: the position, the mover first.
        mine: whether the mover is the player who searches.
        untried: pits without a child yet, in the order in which they will be tried.
        children: the pits tried, and the nodes they lead to.
        visits: playouts that went through here.
        wins: how many of them the searching player won; a draw is a half.
    """

    position: Position
    mine: bool
    untried: list[int]
    children: dict[int, Node] = field(default_factory=dict)
    visits: int = 0
    wins: float = 0.0

    def most_promising(self, exploration: float) -> Node:
        """Pick the child with the greatest upper confidence bound for this node's mover."""
        spread = exploration * sqrt(log(self.visits))

        def bound(child: Node) -> float:
            mean = child.wins / child.visits
            return (mean if self.mine else 1 - mean) + spread / sqrt(child.visits)

        return max(self.children.values(), key=bound)


class MctsAgent(RatingAgent[float]):
    """UCT with random playouts.

    Args:
        rng: plays the playouts and decides between equals.
        playouts: how many games to play out a move, 1 or more.
        exploration: the constant ``c``; greater looks more widely.
    """

    def __init__(
        self,
        *,
        rng: Random,
        playouts: int = DEFAULT_PLAYOUTS,
        exploration: float = DEFAULT_EXPLORATION,
    ) -> None:
        super().__init__(rng=rng)
        self._playouts = playouts
        self._exploration = exploration

    def rate(self, board: Board) -> dict[int, float]:
        """Rate each pit by its visits."""
        game = Game(board.rules)
        root = self._node(game, position_of(board), mine=True)
        if root.untried:
            for _ in range(self._playouts):
                self._round(game, root)
        return {pit: child.visits for pit, child in root.children.items()}

    def _round(self, game: Game, root: Node) -> None:
        path = [root]
        while not path[-1].untried and path[-1].children:
            path.append(path[-1].most_promising(self._exploration))
        if path[-1].untried:
            path.append(self._grow(game, path[-1]))
        won = self._playout(game, path[-1])
        for node in path:
            node.visits += 1
            node.wins += won

    def _grow(self, game: Game, parent: Node) -> Node:
        pit = parent.untried.pop()
        sown = game.sow(parent.position, pit)
        child = self._node(game, sown.position, mine=parent.mine == sown.again)
        parent.children[pit] = child
        return child

    def _playout(self, game: Game, node: Node) -> float:
        position, mine, choice = node.position, node.mine, self._rng.choice
        while moves := game.moves(position):
            position, again, _ = game.sow(position, choice(moves))
            mine = mine == again
        margin = lead(position) if mine else -lead(position)
        return 0.5 if margin == 0 else float(margin > 0)

    def _node(self, game: Game, position: Position, *, mine: bool) -> Node:
        untried = game.moves(position)
        self._rng.shuffle(untried)
        return Node(position, mine, untried)
