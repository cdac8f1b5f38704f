"""Game trees as lectures draw them, and how minimax, alpha-beta and expectimax walk them.

A tree is written with parentheses: ``(3 12 8) (2 4 6) (14 5 2)`` in one more pair is a max node
over three min nodes over nine leaves. Kinds alternate below a max root; ``max(…)``, ``min(…)`` and
``chance(…)`` name one where it differs. The children of a chance node are equally likely unless
each states its probability, as in ``chance(0.8:5 0.2:-3)``.

`walk` yields what a person would note down on paper:

- A node is entered with the window ``(alpha, beta)`` of its parent. ``alpha`` is what the
  maximiser is sure of on the way to the node, ``beta`` what the minimiser is sure of.
- A max node raises its alpha, a min node lowers its beta, after each child.
- As soon as ``alpha >= beta`` the other children cannot matter and are cut off.

The value of a chance node is the mean of its children, so no child can be left out, unless all
values are known to lie between two bounds. Then the mean is bounded before all children are seen,
and the children get windows of their own (Ballard, "The *-minimax search procedure for trees
containing chance nodes", Artificial Intelligence 21, 1983: Star1).
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from enum import StrEnum
from math import inf, isclose
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.classics.evaluation import stores
from engine.classics.game import Game, Position, lead, position_of

if TYPE_CHECKING:
    from engine.classics.evaluation import Evaluation
    from protocol.rules import Board

MOST_NODES: Final = 20_000
"""A tree with more nodes is refused: it would be unreadable."""
DEEPEST_TEXT: Final = 64
_TOKEN: Final = re.compile(r"\s*(?:,\s*)?(max|min|chance|[()]|[-+]?\d+(?:\.\d+)?:?)|\s*\Z")


class Kind(StrEnum):
    """Who decides at a node."""

    MAX = "max"
    MIN = "min"
    CHANCE = "chance"
    LEAF = "leaf"


@dataclass(frozen=True, slots=True)
class Tree:
    """A node with all that hangs from it.

    Attributes:
        kind: who decides here.
        value: a leaf's value, for the maximiser; None for other nodes.
        children: the successors, from left to right.
        weights: their probabilities, at a chance node only.
        move: what leads here, as its parent calls it; empty where nothing is said.
    """

    kind: Kind
    value: float | None = None
    children: tuple[Tree, ...] = ()
    weights: tuple[float, ...] = ()
    move: str = ""

    @property
    def size(self) -> int:
        """The number of nodes, this one and the leaves included."""
        return 1 + sum(child.size for child in self.children)


class Event(StrEnum):
    """What happens at one step of a walk."""

    ENTER = "enter"
    LEAF = "leaf"
    UPDATE = "update"
    CUT = "cut"
    LEAVE = "leave"


class Step(NamedTuple):
    """One step of a walk.

    Attributes:
        event: what happens.
        path: the child numbers from the root to the node.
        alpha: what the maximiser is sure of.
        beta: what the minimiser is sure of.
        value: the leaf's or node's value; None while it is not known.
        skipped: children that are cut off.
    """

    event: Event
    path: tuple[int, ...]
    alpha: float
    beta: float
    value: float | None = None
    skipped: int = 0


class TreeError(ValueError):
    """A text that is no tree."""


def parse(text: str) -> Tree:
    """Return the tree that a text writes.

    Raises:
        TreeError: when it is none; the message names the place.
    """
    tokens = list(_tokens(text))
    if not tokens:
        raise TreeError("the tree is empty; write for example ((3 12 8) (2 4 6) (14 5 2))")
    tree, end = _parse(tokens, 0, Kind.MAX, 0)
    if end < len(tokens):
        raise TreeError(f"there is more after the tree: {tokens[end][0]!r} at {tokens[end][1]}")
    if tree.size > MOST_NODES:
        raise TreeError(f"a tree has at most {MOST_NODES} nodes, not {tree.size}")
    return tree


def tree_of(
    board: Board, depth: int, *, evaluate: Evaluation = stores, opponent: Kind = Kind.MIN
) -> Tree:
    """Return the game tree below a position, as the classic players search it.

    Args:
        board: the root; its mover is the maximiser.
        depth: turns to look ahead; a re-turn stays on the same turn.
        evaluate: the value, for its mover, of a position in which the tree ends.
        opponent: whether the other player minimises or moves at random.

    Raises:
        TreeError: when the tree is too large to be read.
    """
    game, left = Game(board.rules), MOST_NODES

    def grow(position: Position, turns: int, *, mine: bool, move: str) -> Tree:
        nonlocal left
        left -= 1
        if left < 0:
            raise TreeError(f"a tree has at most {MOST_NODES} nodes; ask for less depth")
        moves = game.moves(position)
        if not moves or turns == 0:
            value = evaluate(position) if moves else lead(position)
            return Tree(Kind.LEAF, float(value if mine else -value), move=move)
        children = []
        for pit in moves:
            sown = game.sow(position, pit)
            turn = (turns, mine) if sown.again else (turns - 1, not mine)
            children.append(grow(sown.position, turn[0], mine=turn[1], move=str(pit)))
        kind = Kind.MAX if mine else opponent
        weights = _even(len(children)) if kind is Kind.CHANCE else ()
        return Tree(kind, None, tuple(children), weights, move)

    return grow(position_of(board), depth, mine=True, move="")


def ordered(tree: Tree, order: str) -> Tree:
    """Return the tree with its children sorted: ``best`` first, ``worst`` first, or as they are.

    Raises:
        ValueError: when the order is none of ``best``, ``worst`` and ``none``.
    """
    if order not in {"none", "best", "worst"}:
        raise ValueError(f"order must be none, best or worst, not {order!r}")
    if order == "none" or not tree.children:
        return tree
    children = tuple(ordered(child, order) for child in tree.children)
    if tree.kind is not Kind.CHANCE:
        descending = (tree.kind is Kind.MAX) == (order == "best")
        children = tuple(sorted(children, key=value_of, reverse=descending))
    return Tree(tree.kind, tree.value, children, tree.weights, tree.move)


def value_of(tree: Tree) -> float:
    """Return the value of a tree by its definition, without pruning."""
    if tree.value is not None:
        return tree.value
    values = [value_of(child) for child in tree.children]
    if tree.kind is Kind.CHANCE:
        return sum(map(float.__mul__, tree.weights, values))
    return max(values) if tree.kind is Kind.MAX else min(values)


def walk(
    tree: Tree, *, prune: bool = True, bounds: tuple[float, float] | None = None
) -> Iterator[Step]:
    """Yield the steps of a depth-first walk, from left to right.

    Args:
        tree: where to walk.
        prune: cut off what cannot matter (alpha-beta); otherwise every node is visited.
        bounds: the least and greatest value a leaf may have, with which chance nodes are pruned.

    Raises:
        ValueError: when a leaf lies outside the bounds.
    """
    if bounds is not None and not all(bounds[0] <= leaf <= bounds[1] for leaf in _leaves(tree)):
        raise ValueError(f"a leaf lies outside the bounds {bounds[0]:g} and {bounds[1]:g}")
    yield from _Walk(prune=prune, bounds=bounds).visit(tree, (), -inf, inf)


def exercise(number: int) -> Tree:
    """Return practice tree ``number``: three levels, whole values, and something to cut off."""
    rng = Random(number)  # noqa: S311  # an exercise, not a secret
    while True:
        leaves = iter(rng.choices(range(-9, 20), k=3**3))
        tree = Tree(
            Kind.MAX,
            children=tuple(
                Tree(
                    Kind.MIN,
                    children=tuple(
                        Tree(
                            Kind.MAX,
                            children=tuple(
                                Tree(Kind.LEAF, float(next(leaves)))
                                for _ in range(rng.choice((2, 3)))
                            ),
                        )
                        for _ in range(2)
                    ),
                )
                for _ in range(rng.choice((2, 3)))
            ),
        )
        if any(step.event is Event.CUT for step in walk(tree)):
            return tree


def write(tree: Tree) -> str:
    """Return the text of a tree; `parse` reads it back."""
    if tree.value is not None:
        return f"{tree.value:g}"
    parts = [write(child) for child in tree.children]
    if tree.kind is Kind.CHANCE and tree.weights != _even(len(parts)):
        parts = [f"{weight:g}:{part}" for weight, part in zip(tree.weights, parts, strict=True)]
    return f"{tree.kind}({' '.join(parts)})"


class _Walk:
    """One walk; the window and the path are arguments, the settings attributes."""

    def __init__(self, *, prune: bool, bounds: tuple[float, float] | None) -> None:
        self._prune = prune
        self._bounds = bounds

    def visit(
        self, tree: Tree, path: tuple[int, ...], alpha: float, beta: float
    ) -> Generator[Step, None, float]:
        """Walk a subtree; return its value, or a bound of it where something was cut off."""
        if tree.value is not None:
            yield Step(Event.LEAF, path, alpha, beta, tree.value)
            return tree.value
        yield Step(Event.ENTER, path, alpha, beta)
        inner = self._chance if tree.kind is Kind.CHANCE else self._choice
        value = yield from inner(tree, path, alpha, beta)
        yield Step(Event.LEAVE, path, alpha, beta, value)
        return value

    def _choice(
        self, tree: Tree, path: tuple[int, ...], alpha: float, beta: float
    ) -> Generator[Step, None, float]:
        best = -inf if tree.kind is Kind.MAX else inf
        for number, child in enumerate(tree.children):
            value = yield from self.visit(child, (*path, number), alpha, beta)
            if tree.kind is Kind.MAX:
                best = max(best, value)
                alpha = max(alpha, best) if self._prune else alpha
            else:
                best = min(best, value)
                beta = min(beta, best) if self._prune else beta
            yield Step(Event.UPDATE, path, alpha, beta, best)
            skipped = len(tree.children) - number - 1
            if self._prune and alpha >= beta and skipped:
                yield Step(Event.CUT, path, alpha, beta, best, skipped)
                break
        return best

    def _chance(
        self, tree: Tree, path: tuple[int, ...], alpha: float, beta: float
    ) -> Generator[Step, None, float]:
        """Star1: what the unseen children can add at most and at least bounds the mean."""
        low, high = self._bounds or (-inf, inf)
        seen, unseen = 0.0, 1.0
        for number, (weight, child) in enumerate(zip(tree.weights, tree.children, strict=True)):
            unseen -= weight
            window = (-inf, inf)
            if self._prune and self._bounds is not None:
                window = (
                    max(low, (alpha - seen - unseen * high) / weight),
                    min(high, (beta - seen - unseen * low) / weight),
                )
            value = yield from self.visit(child, (*path, number), *window)
            seen += weight * value
            yield Step(Event.UPDATE, path, alpha, beta, None)
            skipped = len(tree.children) - number - 1
            if not (self._prune and self._bounds is not None and skipped):
                continue
            if seen + unseen * high <= alpha or seen + unseen * low >= beta:
                bound = seen + unseen * (high if seen + unseen * high <= alpha else low)
                yield Step(Event.CUT, path, alpha, beta, bound, skipped)
                return bound
        return seen


def _leaves(tree: Tree) -> Iterator[float]:
    if tree.value is not None:
        yield tree.value
    for child in tree.children:
        yield from _leaves(child)


def _even(count: int) -> tuple[float, ...]:
    return (1 / count,) * count


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    place = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise TreeError(f"not a number, parenthesis, max, min or chance: {text[place:][:9]!r}")
        if found[1]:
            yield found[1], found.start(1)
        place = found.end()


def _parse(tokens: list[tuple[str, int]], at: int, kind: Kind, level: int) -> tuple[Tree, int]:
    """Return the tree that begins at a word, and the number of the word after it."""
    if at >= len(tokens):
        raise TreeError("the tree ends too soon: a parenthesis is not closed")
    word, place = tokens[at]
    if level > DEEPEST_TEXT:
        raise TreeError(f"a tree has at most {DEEPEST_TEXT} levels")
    if word in {Kind.MAX, Kind.MIN, Kind.CHANCE}:
        kind, at = Kind(word), at + 1
        if at >= len(tokens) or tokens[at][0] != "(":
            raise TreeError(f"after {word} at {place} comes a parenthesis")
    elif word not in "()" and not word.endswith(":"):
        return Tree(Kind.LEAF, float(word)), at + 1
    if tokens[at][0] != "(":
        raise TreeError(f"not expected at {place}: {word!r}")
    return _parse_children(tokens, at + 1, kind, level)


def _parse_children(
    tokens: list[tuple[str, int]], at: int, kind: Kind, level: int
) -> tuple[Tree, int]:
    children: list[Tree] = []
    weights: list[float] = []
    below = Kind.MIN if kind is Kind.MAX else Kind.MAX
    opened = tokens[at - 1][1]
    while at < len(tokens) and tokens[at][0] != ")":
        if tokens[at][0].endswith(":"):
            weights.append(float(tokens[at][0][:-1]))
            at += 1
        child, at = _parse(tokens, at, below, level + 1)
        children.append(child)
    if at >= len(tokens):
        raise TreeError(f"the parenthesis at {opened} is not closed")
    if not children:
        raise TreeError(f"the parenthesis at {opened} holds nothing")
    return Tree(kind, None, tuple(children), _weights(kind, weights, len(children), opened)), at + 1


def _weights(kind: Kind, given: list[float], count: int, place: int) -> tuple[float, ...]:
    if kind is not Kind.CHANCE:
        if given:
            raise TreeError(f"only a chance node has probabilities; at {place} is a {kind} node")
        return ()
    if not given:
        return _even(count)
    if len(given) != count or min(given) <= 0 or not isclose(sum(given), 1, abs_tol=1e-6):
        raise TreeError(f"the probabilities at {place} are not one a child that add up to 1")
    return tuple(given)
