"""For which values of unknown leaves alpha-beta prunes which branches.

A walk compares values of leaves and nothing else, so it goes the same way for all values between
two neighbouring leaves. It is therefore enough to walk once for each known leaf's value, once
between each two, and once beyond either end; ranges with the same branches are joined. Where
several leaves are unknown, each range of the first one has ranges of the next, whose ends may be
the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby, pairwise
from math import inf, isnan
from typing import Final, NamedTuple

from .game_tree import GameTree, NodeKind, TreeError
from .tree_walk import WalkEvent, walk

Branch = tuple[int, ...]
End = float | str
"""A number, or an unknown leaf, such as ``?1``."""
MOST_UNKNOWN: Final = 3


class ValueRange(NamedTuple):
    """Values of an unknown leaf for which the same branches are pruned.

    Infinity stands for no end; a branch is named by the child numbers from the root, from 0. Where
    another leaf is unknown, ``inner`` has its ranges, which say what is pruned.
    """

    low: End
    low_included: bool
    high: End
    high_included: bool
    pruned: tuple[Branch, ...]
    inner: tuple[ValueRange, ...] = ()


def pruned_by_value(tree: GameTree) -> tuple[ValueRange, ...]:
    """Return the first unknown leaf's ranges, ascending, and what each prunes; or TreeError."""
    nodes = list(_nodes(tree))
    if any(node.kind is NodeKind.CHANCE for node in nodes):
        raise TreeError("a chance node takes means, so pruning depends on more than single leaves")
    leaves = [node.value for node in nodes if node.value is not None]
    if not 1 <= sum(map(isnan, leaves)) <= MOST_UNKNOWN:
        raise TreeError(f"mark 1 to {MOST_UNKNOWN} leaves with ?")
    return _by_value(tree, {leaf: leaf for leaf in leaves if not isnan(leaf)}, 1)


def _by_value(tree: GameTree, known: dict[float, End], number: int) -> tuple[ValueRange, ...]:
    """Return the ranges of the first unknown leaf; of each known value, how it is written."""
    ranges: list[ValueRange] = []
    for low, high in pairwise([-inf, *sorted(known), inf]):
        ends = known.get(low, low), known.get(high, high)
        value = _between(low, high)
        ranges.append(_range(tree, known | {value: f"?{number}"}, number, value, ends))
        if high < inf:
            exact = (ends[1], ends[1])
            found = _range(tree, known | {high: f"?{number}"}, number, high, exact)
            if found[4:] != ranges[-1][4:]:
                found = _range(tree, known, number, high, exact)
            ranges.append(found)
    return tuple(_joined(ranges))


def _range(
    tree: GameTree, known: dict[float, End], number: int, value: float, ends: tuple[End, End]
) -> ValueRange:
    """Return what becomes of the others where the first unknown leaf has a value."""
    low, high = ends
    filled = _filled(tree, value)
    inner: tuple[ValueRange, ...] = ()
    pruned: tuple[Branch, ...] = ()
    if any(node.value is not None and isnan(node.value) for node in _nodes(filled)):
        inner = _by_value(filled, known, number + 1)
    else:
        pruned = _pruned(filled)
    return ValueRange(low, low == high, high, low == high, pruned, inner)


def _nodes(tree: GameTree) -> Iterator[GameTree]:
    yield tree
    for child in tree.children:
        yield from _nodes(child)


def _between(low: float, high: float) -> float:
    if low == -inf:
        return 0.0 if high == inf else high - 1
    return low + 1 if high == inf else (low + high) / 2


def _pruned(tree: GameTree) -> tuple[Branch, ...]:
    return tuple(
        (*step.path, child)
        for step in walk(tree)
        if step.event is WalkEvent.CUT
        for child in _last(tree, step.path, step.skipped)
    )


def _filled(tree: GameTree, value: float) -> GameTree:
    if tree.value is not None and isnan(tree.value):
        return replace(tree, value=value)
    children = list(tree.children)
    for number, child in enumerate(children):
        children[number] = _filled(child, value)
        if children[number] is not child:
            return replace(tree, children=tuple(children))
    return tree


def _last(tree: GameTree, path: Branch, count: int) -> range:
    for number in path:
        tree = tree.children[number]
    return range(len(tree.children) - count, len(tree.children))


def _joined(ranges: list[ValueRange]) -> Iterator[ValueRange]:
    for _, alike in groupby(ranges, key=lambda each: (each.pruned, each.inner)):
        first, *others = alike
        last = others[-1] if others else first
        yield first._replace(high=last.high, high_included=last.high_included)
