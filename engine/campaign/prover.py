"""Subproofs and estimates, by threads that share one transposition table.

With up to seven pits a row an entry identifies its position fully, so one thread never reads
another position's proof. Two threads may write the two words of an entry together; such a torn pair
passes for a position that is being looked up only if 56 mixed bits agree by accident. Of wide
positions 96 bits are kept. So the expected number of false hits is at most the number of entries
compared, divided by 2 ** 56 (or 2 ** 96): as if every pair were torn.
"""

from collections.abc import Callable, Generator, Iterable
from math import inf
from pathlib import Path
from typing import Final, Protocol, TypeVar

from mancala.protocol.rules import Board, Rules

from .. import kernels
from ..evaluation.weights import shipped
from ..kernels import PROOF, UNIT, state
from ..knowledge import Bounds
from ..search.worker import ParallelWorker, Worker
from . import positions, table_file

SLICE_NODES: Final = 1 << 15
"""Nodes between two pauses: about 20 ms."""
DEEPEST: Final = 60
"""Plies beyond which an estimate is not deepened."""

TORN_BITS: Final = 56
WIDE_BITS: Final = 96

K = TypeVar("K")
T = TypeVar("T")

Search = Generator[None, None, "Bounds | None"]
"""A subproof that pauses every few milliseconds; it returns bounds, or None when given up."""
Work = Callable[["Prover"], Generator[object, None, T]]
"""What is to be done with a prover, with a pause every few milliseconds; it can be pickled."""
NextWork = Callable[[], tuple[K, Work[T]] | None]
"""Returns the next work and a key of its caller's, or None while there is none."""
Results = Generator[tuple[K, T] | None, None, None]
"""Keys and results in any order, and None meanwhile."""


class Provers(Protocol):
    """One prover or several: `Prover` itself, or those of other machines."""

    @property
    def table_seeds(self) -> int:
        """What their endgame tables reach."""

    def save_table(self, path: Path) -> None:
        """Save the proofs of the transposition table, if it is one that lasts."""

    def load_table(self, path: Path) -> int | None:
        """Load saved proofs; return their number, or None for a file of no use."""

    def results(self, next_work: NextWork[K, T]) -> Results[K, T]:
        """Do work until none is left.

        Further work is asked for after each result has been taken. What has not begun when the
        generator is closed never does.
        """


def each(works: Iterable[tuple[K, Work[T]]]) -> NextWork[K, T]:
    """Return a function for one work after the other."""
    left = iter(works)
    return lambda: next(left, None)


class Prover:
    """What proves positions of one set of rules.

    It has ``threads`` on endgame tables and on a transposition table of ``2 ** table_bits``
    buckets, 16 or more, of 64 bytes (``entries``). ``table_seeds`` is what the endgame tables
    reach.
    """

    def __init__(
        self, rules: Rules, *, tables: state.ExactTables, table_bits: int, threads: int
    ) -> None:
        search = state.new_search(rules, shipped().compiled(rules), tables=tables, bits=table_bits)
        self.rules = rules
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

    def save_table(self, path: Path) -> None:
        table_file.save(path, self.rules, self.entries, self.table_bits)

    def load_table(self, path: Path) -> int | None:
        return table_file.load(path, self.rules, self.entries, self.table_bits)

    def results(self, next_work: NextWork[K, T]) -> Results[K, T]:
        """Do one work after the other, as `Provers.results`."""
        while (following := next_work()) is not None:
            key, work = following
            steps = work(self)
            try:
                while True:
                    next(steps)
                    yield None
            except StopIteration as end:
                found: T = end.value
            yield key, found

    def ask(self, board: Board, threshold: int, most_nodes: float = inf) -> Search:
        """Prove whether a position is worth at least ``threshold``; give up after the nodes.

        A line of the game that outgrows the stack is a RecursionError.
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
        found = Bounds(value, known.high) if value >= threshold else Bounds(known.low, value)
        return known.both(found)

    def estimate(self, board: Board, most_nodes: float) -> Generator[bool | None, None, float]:
        """Estimate a position's value, deeper until the nodes are spent."""
        first = self._estimating.nodes
        window = (-kernels.INFINITY, kernels.INFINITY)
        value = 0
        for depth in range(2, DEEPEST, 2):
            value = yield from self._estimating.value(board, depth, window)
            if self._estimating.nodes - first >= most_nodes / 4:
                break
        return value / UNIT


def expected_collisions(rules: Rules, nodes: int) -> float:
    """Return an upper bound of the false hits that a search of this many nodes expects.

    A node looks up itself twice, and each of its children once.
    """
    compared = nodes * (rules.pits + 2) * state.SLOTS
    torn = compared / 2.0**TORN_BITS
    return torn + compared / 2.0**WIDE_BITS if state.is_wide(rules) else torn
