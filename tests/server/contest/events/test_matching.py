"""Pairing as many as possible in any graph."""

from __future__ import annotations

from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from mancala.server.contest.events.matching import maximum_matching

Graph = dict[str, list[str]]


def graph_of(*edges: tuple[str, str]) -> Graph:
    """Build a graph from its edges."""
    graph: Graph = {node: [] for node in sorted({node for edge in edges for node in edge})}
    for one, two in edges:
        graph[one].append(two)
        graph[two].append(one)
    return graph


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Draw a graph of up to ten nodes."""
    names = "abcdefghij"[: draw(st.integers(0, 10))]
    edges = [(one, two) for one in names for two in names if one < two]
    chosen = draw(st.sets(st.sampled_from(edges))) if edges else set()
    return {name: [] for name in names} | graph_of(*sorted(chosen))


def most_pairs(graph: Graph) -> int:
    """Count the pairs of the best matching by trying everything."""

    @cache
    def best(nodes: tuple[str, ...]) -> int:
        if not nodes:
            return 0
        node, rest = nodes[0], nodes[1:]
        partners = [other for other in rest if other in graph[node]]
        with_node = [1 + best(tuple(n for n in rest if n != other)) for other in partners]
        return max([best(rest), *with_node])

    return best(tuple(graph))


def check(graph: Graph, mates: dict[str, str]) -> None:
    """Assert that the matching uses edges, each node once, and leaves no pair out."""
    assert all(mates[mate] == node and mate in graph[node] for node, mate in mates.items())
    assert len(mates) == 2 * most_pairs(graph)


def test_an_odd_cycle_does_not_hide_a_path() -> None:
    """Two triangles joined by a bridge are all matched, whichever node begins."""
    graph = graph_of(*zip("abccdef", "bcadefd", strict=True))
    assert len(maximum_matching(graph)) == 6


def test_a_star_has_one_pair() -> None:
    """Where all know only the middle, two are matched."""
    assert len(maximum_matching(graph_of(*zip("mmmm", "abcd", strict=True)))) == 2


@given(graphs())
def test_no_matching_is_larger(graph: Graph) -> None:
    """In any small graph as many are matched as trying everything finds."""
    check(graph, maximum_matching(graph))
