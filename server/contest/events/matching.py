"""Maximum matching in a general graph: Edmonds's blossom algorithm.

From each node that is still free a tree of alternating paths grows: an edge outside the matching,
an edge inside it, and so on. When it meets another free node, turning the path over makes the
matching one larger. When it meets itself an even number of steps from the root, the odd cycle (a
blossom) shrinks to one node, its base, and the tree grows on. If no path is found, there is none.

networkx has ``max_weight_matching``. This takes a hundred lines and is
compared with exhaustive search in its tests; so the server needs no further dependency.

Source: J. Edmonds, "Paths, trees, and flowers", Canadian Journal of Mathematics 17, 1965.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable, Iterator, Mapping
from typing import Generic, TypeVar

Node = TypeVar("Node", bound=Hashable)


def maximum_matching(graph: Mapping[Node, Collection[Node]]) -> dict[Node, Node]:
    """Return a maximum matching of a symmetric graph without loops: each node's partner.

    It is the same for the same input.
    """
    mates: dict[Node, Node] = {}
    for node in graph:
        if node not in mates:
            _Tree(graph, mates, node).augment()
    return mates


class _Tree(Generic[Node]):
    """Alternating paths from one free root."""

    def __init__(
        self, graph: Mapping[Node, Collection[Node]], mates: dict[Node, Node], root: Node
    ) -> None:
        self.graph, self.mates, self.root = graph, mates, root
        self.parent: dict[Node, Node] = {}
        self.base = {node: node for node in graph}
        self.even = {root}
        self.queue = deque([root])

    def augment(self) -> None:
        """Augment the matching by one pair, if there is an augmenting path from the root."""
        end = self._grow()
        while end is not None:
            before = self.parent[end]
            after = self.mates.get(before)
            self.mates[end], self.mates[before] = before, end
            end = after

    def _grow(self) -> Node | None:
        """Return the free node at the end of a path, if there is one."""
        while self.queue:
            node = self.queue.popleft()
            for other in self.graph[node]:
                if self.base[node] == self.base[other] or self.mates.get(node) == other:
                    continue
                if other in self.even:
                    self._shrink(node, other)
                elif other not in self.parent:
                    self.parent[other] = node
                    if other not in self.mates:
                        return other
                    self._reach(self.mates[other])
        return None

    def _reach(self, node: Node) -> None:
        if node not in self.even:
            self.even.add(node)
            self.queue.append(node)

    def _shrink(self, one: Node, two: Node) -> None:
        """Contract the odd cycle that ``one`` and ``two`` close to a single node."""
        base = self._meeting(one, two)
        petals = {
            petal
            for end, other in ((one, two), (two, one))
            for petal in self._petals(end, base, other)
        }
        for node in self.graph:
            if self.base[node] in petals:
                self.base[node] = base
                self._reach(node)

    def _meeting(self, one: Node, two: Node) -> Node:
        seen = set(self._bases_to_root(one))
        return next(base for base in self._bases_to_root(two) if base in seen)

    def _bases_to_root(self, node: Node) -> Iterator[Node]:
        while True:
            node = self.base[node]
            yield node
            if node == self.root:
                return
            node = self.parent[self.mates[node]]

    def _petals(self, node: Node, base: Node, child: Node) -> Iterator[Node]:
        """Walk from ``node`` to the base; on the way, note how to leave by the other side."""
        while self.base[node] != base:
            mate = self.mates[node]
            yield self.base[node]
            yield self.base[mate]
            self.parent[node] = child
            node, child = self.parent[mate], mate
