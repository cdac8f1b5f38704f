"""How minimax, alpha-beta and expectimax walk a game tree, step by step.

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

from collections.abc import Generator, Iterator
from enum import StrEnum
from math import inf, isnan
from typing import NamedTuple

from .game_tree import GameTree, NodeKind, TreeError


class WalkEvent(StrEnum):
    """What happens at one step of a walk."""

    ENTER = "enter"
    LEAF = "leaf"
    UPDATE = "update"
    CUT = "cut"
    LEAVE = "leave"


class WalkStep(NamedTuple):
    """One step of a walk, at the node of these child numbers from the root.

    ``alpha`` is what the maximiser is sure of, ``beta`` what the minimiser is sure of; the value is
    None while it is not known. ``skipped`` children are cut off.
    """

    event: WalkEvent
    path: tuple[int, ...]
    alpha: float
    beta: float
    value: float | None = None
    skipped: int = 0


def walk(
    tree: GameTree, *, prune: bool = True, bounds: tuple[float, float] | None = None
) -> Iterator[WalkStep]:
    """Yield the steps of a depth-first walk, from left to right.

    With ``prune`` what cannot matter is cut off (alpha-beta). The bounds are the least and greatest
    value a leaf may have, with which chance nodes are pruned.

    Raises:
        ValueError: when a leaf lies outside the bounds.
        TreeError: when the walk comes to a leaf that is not known.
    """
    if bounds is not None and any(leaf < bounds[0] or leaf > bounds[1] for leaf in _leaves(tree)):
        raise ValueError(f"a leaf lies outside the bounds {bounds[0]:g} and {bounds[1]:g}")
    yield from _Walk(prune=prune, bounds=bounds).visit(tree, (), -inf, inf)


class _Walk:
    def __init__(self, *, prune: bool, bounds: tuple[float, float] | None) -> None:
        self._prune = prune
        self._bounds = bounds

    def visit(
        self, tree: GameTree, path: tuple[int, ...], alpha: float, beta: float
    ) -> Generator[WalkStep, None, float]:
        """Walk a subtree; return its value, or a bound of it where something was cut off."""
        if tree.value is not None:
            if isnan(tree.value):
                raise TreeError("the walk comes to a leaf that is not known, so it matters")
            yield WalkStep(WalkEvent.LEAF, path, alpha, beta, tree.value)
            return tree.value
        yield WalkStep(WalkEvent.ENTER, path, alpha, beta)
        inner = self._chance if tree.kind is NodeKind.CHANCE else self._choice
        value = yield from inner(tree, path, alpha, beta)
        yield WalkStep(WalkEvent.LEAVE, path, alpha, beta, value)
        return value

    def _choice(
        self, tree: GameTree, path: tuple[int, ...], alpha: float, beta: float
    ) -> Generator[WalkStep, None, float]:
        best = -inf if tree.kind is NodeKind.MAX else inf
        for number, child in enumerate(tree.children):
            value = yield from self.visit(child, (*path, number), alpha, beta)
            if tree.kind is NodeKind.MAX:
                best = max(best, value)
                alpha = max(alpha, best) if self._prune else alpha
            else:
                best = min(best, value)
                beta = min(beta, best) if self._prune else beta
            yield WalkStep(WalkEvent.UPDATE, path, alpha, beta, best)
            skipped = len(tree.children) - number - 1
            if self._prune and alpha >= beta and skipped:
                yield WalkStep(WalkEvent.CUT, path, alpha, beta, best, skipped)
                break
        return best

    def _chance(
        self, tree: GameTree, path: tuple[int, ...], alpha: float, beta: float
    ) -> Generator[WalkStep, None, float]:
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
            yield WalkStep(WalkEvent.UPDATE, path, alpha, beta, None)
            skipped = len(tree.children) - number - 1
            if not (self._prune and self._bounds is not None and skipped):
                continue
            if seen + unseen * high <= alpha or seen + unseen * low >= beta:
                bound = seen + unseen * (high if seen + unseen * high <= alpha else low)
                yield WalkStep(WalkEvent.CUT, path, alpha, beta, bound, skipped)
                return bound
        return seen


def _leaves(tree: GameTree) -> Iterator[float]:
    if tree.value is not None:
        yield tree.value
    for child in tree.children:
        yield from _leaves(child)
