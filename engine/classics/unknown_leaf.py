"""For which values of an unknown leaf alpha-beta prunes which branches.

A walk compares values of leaves and nothing else, so it goes the same way for all values between
two neighbouring leaves. It is therefore enough to walk once for each known leaf's value, once
between each two, and once beyond either end; ranges with the same branches are joined.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby, pairwise
from math import inf, isnan
from typing import NamedTuple

from .game_tree import GameTree, NodeKind, TreeError
from .tree_walk import WalkEvent, walk

Branch = tuple[int, ...]


class ValueRange(NamedTuple):
    """Values of the unknown leaf for which the same branches are pruned.

    Infinity stands for no end; a branch is named by the child numbers from the root, from 0.
    """

    low: float
    low_included: bool
    high: float
    high_included: bool
    pruned: tuple[Branch, ...]


def pruned_by_value(tree: GameTree) -> tuple[ValueRange, ...]:
    """Return the ranges of the unknown leaf's value, ascending, with what is pruned for each.

    TreeError when the tree has a chance node, or not exactly one unknown leaf.
    """
    nodes = list(_nodes(tree))
    if any(node.kind is NodeKind.CHANCE for node in nodes):
        raise TreeError("a chance node takes means, so pruning depends on more than single leaves")
    leaves = [node.value for node in nodes if node.value is not None]
    if sum(map(isnan, leaves)) != 1:
        raise TreeError("mark exactly one leaf with ?")
    ends = [-inf, *sorted({leaf for leaf in leaves if not isnan(leaf)}), inf]
    return tuple(_joined(_ranges(tree, ends)))


def _nodes(tree: GameTree) -> Iterator[GameTree]:
    yield tree
    for child in tree.children:
        yield from _nodes(child)


def _ranges(tree: GameTree, ends: list[float]) -> Iterator[ValueRange]:
    """Yield a range for each gap between two ends, and one for each end."""
    for low, high in pairwise(ends):
        yield ValueRange(low, False, high, False, _pruned(tree, _between(low, high)))
        if high < inf:
            yield ValueRange(high, True, high, True, _pruned(tree, high))


def _between(low: float, high: float) -> float:
    if low == -inf:
        return 0.0 if high == inf else high - 1
    return low + 1 if high == inf else (low + high) / 2


def _pruned(tree: GameTree, value: float) -> tuple[Branch, ...]:
    known = _filled(tree, value)
    return tuple(
        (*step.path, child)
        for step in walk(known)
        if step.event is WalkEvent.CUT
        for child in _last(known, step.path, step.skipped)
    )


def _filled(tree: GameTree, value: float) -> GameTree:
    if tree.value is not None and isnan(tree.value):
        return replace(tree, value=value)
    return replace(tree, children=tuple(_filled(child, value) for child in tree.children))


def _last(tree: GameTree, path: Branch, count: int) -> range:
    for number in path:
        tree = tree.children[number]
    return range(len(tree.children) - count, len(tree.children))


def _joined(ranges: Iterator[ValueRange]) -> Iterator[ValueRange]:
    for _, alike in groupby(ranges, key=lambda each: each.pruned):
        first, *others = alike
        last = others[-1] if others else first
        yield first._replace(high=last.high, high_included=last.high_included)
