"""Choosing a pit with a small budget of nodes and no clock, for games by the thousand.

`mancala.engine.search.engine` checks its limits between slices of two thousand nodes and builds a
report each time; for a limit below a slice that costs more than the search. Here the kernels deepen
too: one call, nothing allocated, the limit kept to the node.
"""

from typing import Final, NamedTuple

from mancala.protocol.rules import Board, Rules

from .. import kernels
from ..kernels import root, state
from ..tablebase import default_seeds
from .engine import DEEPEST, EngineOptions, tables_for
from .worker import SLICE_NODES, Worker, position_of

MOST_NODES: Final = SLICE_NODES
"""Most nodes a move. With more, `mancala.engine.search.engine` plays better."""
TABLE_BITS: Final = 12


class FixedNodeResult(NamedTuple):
    """The pit to sow, the last depth that was finished, and the nodes that were searched.

    The value is the store difference at the end, for the mover, in seeds, by that depth; None when
    no depth was finished.
    """

    pit: int
    depth: int
    value: float | None
    nodes: int


def search_state(rules: Rules, options: EngineOptions) -> state.Search:
    """Return what a fixed-node search works on: a small table of its own, tables, and weights."""
    tables = tables_for(rules, seeds=options.tables or default_seeds(rules.pits))
    weights = options.weights.compiled(rules)
    search = state.new_search(rules, weights, tables=tables, bits=TABLE_BITS)
    return Worker(search, parameters=options.search).search


class FixedNodeSearch:
    """A deepening search bounded by depth and nodes alone, `MOST_NODES` at most; ValueError beyond.

    Of the options, weights, search options and endgame tables apply; the transposition table is
    separate. By default the tables have the usual size, so that games repeat on every machine.
    """

    def __init__(
        self, rules: Rules, options: EngineOptions, *, nodes: int, depth: int | None = None
    ) -> None:
        if not 1 <= nodes <= MOST_NODES:
            raise ValueError(f"a fixed-node search has 1..{MOST_NODES} nodes, not {nodes}")
        self._nodes = nodes
        self._deepest = min(depth or DEEPEST, DEEPEST)
        self._search = search_state(rules, options)
        self._control = self._search.stack.control

    def forget(self) -> None:
        """Clear the transposition table, so that later moves do not depend on earlier ones."""
        self._search.entries[:] = 0
        self._search.busy[:] = 0

    def choose(self, board: Board) -> FixedNodeResult:
        """Choose a pit on a board that is not over; ValueError when it is."""
        if board.is_over:
            raise ValueError(f"the game is over: {board.text}")
        self._control[kernels.C_TOTAL_SEEDS] = board.total
        store, limit = board.stores[board.player], (self._deepest, self._nodes)
        found = root.best_by_nodes(self._search, position_of(board), store, limit)
        pit, depth, value = map(int, found)
        if pit < 0:
            raise RecursionError(f"a game from {board.text} outgrows the stack")
        worth = value / kernels.UNIT + board.score(board.player) if depth else None
        return FixedNodeResult(pit, depth, worth, int(self._control[kernels.C_NODES]))
