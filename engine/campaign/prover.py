"""Subproofs and estimates, by threads that share one transposition table."""

from __future__ import annotations

from collections.abc import Generator
from math import inf
from typing import Final

from mancala.protocol.rules import Board, Rules

from .. import kernels
from ..evaluation.weights import shipped
from ..kernels import PROOF, UNIT, state
from ..knowledge import Bounds
from ..search.worker import ParallelWorker, Worker
from . import positions

SLICE_NODES: Final = 1 << 15
"""Nodes between two pauses: about 20 ms."""
DEEPEST: Final = 60
"""Plies beyond which an estimate is not deepened."""

Search = Generator[None, None, "Bounds | None"]
"""A subproof that pauses every few milliseconds; it returns bounds, or None when given up."""


class Prover:
    """What proves positions of one set of rules.

    Args:
        rules: the rules.
        tables: endgame tables; ``state.no_tables`` for none.
        table_bits: the transposition table has ``2 ** table_bits`` buckets of 64 bytes; 16 or more.
        threads: how many search a subproof.

    Attributes:
        entries: the transposition table.
        table_bits: as given.
        table_seeds: seeds that the endgame tables reach.
    """

    def __init__(
        self, rules: Rules, *, tables: state.ExactTables, table_bits: int, threads: int
    ) -> None:
        search = state.new_search(rules, shipped().compiled(rules), tables=tables, bits=table_bits)
        self.entries = search.entries
        self.table_bits = table_bits
        self.table_seeds = tables.seeds
        self._marks = search.busy
        self._proving = ParallelWorker(search, helpers=threads - 1, slice_nodes=SLICE_NODES)
        self._estimating = Worker(search, slice_nodes=SLICE_NODES)

    @property
    def nodes(self) -> int:
        """Positions whose sowings were generated, by all threads."""
        return self._proving.nodes + self._estimating.nodes

    def ask(self, board: Board, threshold: int, most_nodes: float = inf) -> Search:
        """Prove whether a position is worth at least ``threshold``; give up after the nodes.

        Raises:
            RecursionError: when a line of the game outgrows the stack.
        """
        first = self.nodes
        self._marks[:] = 0  # those of a subproof that was given up would only spoil the order
        window = ((threshold - positions.step(board.rules)) * UNIT, threshold * UNIT)
        search = self._proving.value(board, PROOF, window)
        try:
            while True:
                next(search)
                yield
                if self.nodes - first >= most_nodes:
                    return None
        except StopIteration as end:
            value = int(end.value) // UNIT
        finally:
            search.close()
        known = positions.widest(board)
        if value >= threshold:
            return Bounds(max(known.low, value), known.high)
        return Bounds(known.low, min(known.high, value))

    def estimate(self, board: Board, most_nodes: float) -> Generator[None, None, float]:
        """Estimate a position's value, deeper until the nodes are spent."""
        first = self._estimating.nodes
        window = (-kernels.INFINITY, kernels.INFINITY)
        value = 0.0
        for depth in range(2, DEEPEST, 2):
            search = self._estimating.value(board, depth, window)
            try:
                while True:
                    next(search)
                    yield
            except StopIteration as end:
                value = end.value / UNIT
            if self._estimating.nodes - first >= most_nodes / 4:
                break
        return value
