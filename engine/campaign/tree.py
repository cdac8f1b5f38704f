"""The first plies of a proof: which subproof is worth doing next.

A node is a question: is a position worth at least ``threshold`` to its mover? A leaf is a subproof
for the kernels; one that takes too long is split, and its moves become nodes. A position that
several lines reach is one node, and what is proven of it serves every question on it.

Each node carries two numbers, the nodes that a yes and a no are expected to take: of a leaf by its
seeds in play and by how far its estimate lies from the threshold; above, a yes takes the cheapest
move and a no all of them. From the root the cheapest way down leads to the leaf that is expected
to decide most for its cost. This is proof-number search (Allis, van der Meulen, van den Herik,
"Proof-number search", Artificial Intelligence 66, 1994) with effort instead of counted leaves. It
turns to another move when one takes longer than was expected, so a poor first choice is not
searched to its end.

Several leaves at a time are those that are asked one after the other if each answer is the one
that seems the cheaper: it is assumed while its subproof is under way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from typing import Final

from mancala.protocol.rules import Board

from ..knowledge import Bounds
from . import positions
from .costs import Costs
from .positions import PositionMove

Key = tuple[str, int]
"""A position's text and a threshold."""

FURTHEST: Final = 12.0
"""Seeds beyond which an estimate's distance from the threshold changes the expected effort no more:
each seed doubles the one number and halves the other."""


@dataclass(slots=True, eq=False)
class ProofNode:
    """A question: is the position worth at least ``threshold``?

    ``ply`` counts sowings from the root on the shortest way. ``yes`` and ``no`` are the nodes that
    the proofs of the answers are expected to take, 0 once proven or assumed. ``moves`` is None for
    a leaf; ``below`` has the questions after those moves that do not end the game, ``above`` the
    nodes it is a move of.
    """

    board: Board
    threshold: int
    ply: int
    text: str
    yes: float = 0.0
    no: float = 0.0
    moves: tuple[PositionMove, ...] | None = None
    below: list[tuple[PositionMove, ProofNode]] = field(default_factory=list)
    above: list[ProofNode] = field(default_factory=list)

    @property
    def is_open(self) -> bool:
        """Whether the question has no answer yet, and none is assumed."""
        return self.yes > 0 and self.no > 0


class ProofTree:
    """The questions of a campaign; what is proven of positions, and what they seem worth."""

    def __init__(self, costs: Costs) -> None:
        self._costs = costs
        self.bounds: dict[str, Bounds] = {}
        self.estimates: dict[str, float] = {}
        self.nodes: dict[Key, ProofNode] = {}
        self.assumed: set[ProofNode] = set()
        self._asked: dict[str, list[ProofNode]] = {}

    def known(self, board: Board) -> Bounds:
        return self.bounds.get(board.text) or positions.widest(board)

    def bounds_of_moves(self, board: Board) -> dict[int, Bounds]:
        """Return what is proven of each move of a plain position, by pit."""
        return {move.pit: self._bounds_of(move) for move in positions.moves(board)}

    def node(self, board: Board, threshold: int, ply: int = 0) -> ProofNode:
        """Return the node of a question; a new one is a leaf."""
        text = board.text
        key = text, threshold
        node = self.nodes.get(key)
        if node is None:
            node = self.nodes[key] = ProofNode(board, threshold, ply, text)
            self._asked.setdefault(text, []).append(node)
            self._weigh(node)
        node.ply = min(node.ply, ply)
        return node

    def learn(self, board: Board, proven: Bounds) -> None:
        """Add what is proven of a position, and update all questions that it bears on."""
        if self._tighten(board, proven):
            self._update(self._asked.get(board.text, ()))

    def split(self, node: ProofNode, estimates: Mapping[int, float]) -> None:
        """Turn a leaf into its moves, given what the positions after them seem worth, by pit."""
        node.moves = positions.moves(node.board)
        for move in node.moves:
            if move.after is not None:
                if move.pit in estimates:
                    self.estimates[move.after.text] = estimates[move.pit]
                below = self._after(node, move, move.after)
                below.above.append(node)
                node.below.append((move, below))
        self._update([node])

    def next_leaf(self, root: ProofNode) -> ProofNode:
        """Return the leaf that is expected to decide most about an open question for its cost."""
        node = root
        while node.moves is not None:
            node = self.cheapest(node)
        return node

    def is_decided(self, node: ProofNode) -> bool:
        known = self.known(node.board)
        return known.low >= node.threshold or known.high < node.threshold

    def assume(self, *leaves: ProofNode) -> None:
        """Take the answers that seem the cheaper for granted, until they are released."""
        self.assumed.update(leaves)
        self._update(leaves)

    def release(self, *leaves: ProofNode) -> None:
        """Assume nothing of leaves any more."""
        self.assumed.difference_update(leaves)
        self._update(leaves)

    @contextmanager
    def nothing_assumed(self) -> Iterator[None]:
        """Take no answer for granted in between: leaves whose subproofs are under way are open."""
        leaves = tuple(self.assumed)
        self.release(*leaves)
        try:
            yield
        finally:
            self.assume(*leaves)

    def cheapest(self, node: ProofNode) -> ProofNode:
        """Return the open question whose answer seems the cheapest way to its mover's aim."""
        return min(open_moves(node), key=_effort_of)[1]

    def _after(self, node: ProofNode, move: PositionMove, board: Board) -> ProofNode:
        """Return the question that decides whether a move reaches the threshold of its node."""
        if move.again:
            return self.node(board, node.threshold - move.ahead, node.ply + 1)
        threshold = move.ahead - node.threshold + positions.step(board.rules)
        return self.node(board, threshold, node.ply + 1)

    def _update(self, nodes: Iterable[ProofNode]) -> None:
        """Weigh nodes anew, and those above them that this changes."""
        waiting = list(nodes)
        while waiting:
            node = waiting.pop()
            before = node.yes, node.no
            if self._conclude(node):
                waiting += self._asked[node.text]
            self._weigh(node)
            if (node.yes, node.no) != before:
                waiting += node.above

    def _conclude(self, node: ProofNode) -> bool:
        """Bound a position by its moves; return whether that says more than was known."""
        if node.moves is None:
            return False
        reach = [self._bounds_of(move) for move in node.moves]
        low, high = max(each.low for each in reach), max(each.high for each in reach)
        return self._tighten(node.board, Bounds(low, high))

    def _bounds_of(self, move: PositionMove) -> Bounds:
        if move.after is None:
            return Bounds(move.ahead, move.ahead)
        return move.bounds(self.known(move.after))

    def _tighten(self, board: Board, proven: Bounds) -> bool:
        known = self.known(board)
        tight = known.both(proven)
        if tight.low > tight.high:
            raise ArithmeticError(f"{board.text} has no value: {tight}")
        if tight == known:
            return False
        self.bounds[board.text] = tight
        return True

    def _weigh(self, node: ProofNode) -> None:
        known = self.known(node.board)
        if known.low >= node.threshold:
            node.yes, node.no = 0.0, inf
        elif known.high < node.threshold:
            node.yes, node.no = inf, 0.0
        elif node.moves is None:
            margin = self._margin(node)
            usual = self._costs.usual(node.board.in_play)
            node.yes, node.no = usual * 2.0**-margin, usual * 2.0**margin
            if node in self.assumed:
                node.yes, node.no = (0.0, inf) if node.yes <= node.no else (inf, 0.0)
        else:
            node.yes = min(map(_effort_of, node.below))
            node.no = sum(after.no if move.again else after.yes for move, after in node.below)

    def _margin(self, node: ProofNode) -> float:
        """Return how far a leaf's estimate lies above the threshold, in seeds."""
        middle = node.threshold - positions.step(node.board.rules) / 2
        estimate = self.estimates.get(node.text, middle)
        return max(-FURTHEST, min(estimate - middle, FURTHEST))


def open_moves(node: ProofNode) -> list[tuple[PositionMove, ProofNode]]:
    """Return the moves of a node that are open, each with the question after it."""
    return [(move, below) for move, below in node.below if below.is_open]


def _effort_of(pair: tuple[PositionMove, ProofNode]) -> float:
    """Return the nodes after which a move is expected to have shown what its mover wants."""
    move, below = pair
    return below.yes if move.again else below.no
