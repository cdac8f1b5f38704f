"""Workers: a search stack, or several in parallel, run slice by slice on whole boards."""

from __future__ import annotations

from collections.abc import Generator
from threading import Thread
from typing import TYPE_CHECKING, Final

import numpy as np

from engine import kernels
from engine.kernels import layout, state
from engine.search_options import SearchOptions

if TYPE_CHECKING:
    from protocol.rules import Board

SLICE_NODES: Final = 2048
"""Nodes between two checks of the clock: one or two milliseconds."""

LONGEST_PV: Final = 40

Steps = Generator[bool, None, int]
"""A search that pauses at every slice, with no news (False), and returns a value in units, for the
board's mover."""


class Worker:
    """One search stack on tables that other workers may share.

    Args:
        search: what to search with; its stack is replaced by a new one.
        parameters: search options; None for the defaults.
        shares: whether other threads search on the same tables; ABDADA then keeps them apart.
    """

    def __init__(
        self,
        search: state.Search,
        *,
        parameters: SearchOptions | None = None,
        shares: bool = False,
        slice_nodes: int = SLICE_NODES,
    ) -> None:
        self._slice_nodes = slice_nodes
        self.search = search._replace(stack=state.stack())
        self._control = self.search.stack.control
        for at, value in enumerate(parameters or SearchOptions(), kernels.C_OPTIONS):
            self._control[at] = value
        self._control[kernels.C_SHARED] = shares
        self._followed = np.zeros(LONGEST_PV - 1, dtype=np.int64)

    @property
    def nodes(self) -> int:
        """Positions whose sowings were generated."""
        return int(self._control[kernels.C_NODES])

    @property
    def is_stopped(self) -> bool:
        """Whether `stop` was called."""
        return bool(self._control[kernels.C_STOP])

    def stop(self) -> None:
        """Stop the running slice and every later one immediately; from any thread."""
        self._control[kernels.C_STOP] = 1

    def value(self, board: Board, depth: int, window: tuple[int, int]) -> Steps:
        """Search a board that is not over; the window and the value count from its stores.

        Raises:
            RecursionError: when a line of the game outgrows the stack.
        """
        me = board.player
        ahead = kernels.UNIT * (board.stores[me] - board.stores[1 - me])
        self._control[kernels.C_TOTAL_SEEDS] = board.total
        goal = (depth, window[0] - ahead, window[1] - ahead)
        kernels.begin(self.search, position_of(board), board.stores[me], goal)
        while (status := kernels.run(self.search, self._slice_nodes)) == kernels.PAUSED:
            yield False
        if status == kernels.TOO_DEEP:
            raise RecursionError(f"a game from {board.text} outgrows the stack")
        return int(self.search.stack.ints[kernels.F_BEST]) + ahead

    def move(self, board: Board, pit: int, depth: int, window: tuple[int, int]) -> Steps:
        """Search one move of a board; window and value are for the board's mover."""
        child = board.sow(pit).board
        if child.is_over:
            return kernels.UNIT * child.score(board.player)
        if child.player == board.player:
            return (yield from self.value(child, depth, window))
        turned = -window[1], -window[0]
        return -(yield from self.value(child, depth, turned))

    def expected(self, board: Board, pit: int) -> tuple[int, ...]:
        """Return the best moves that the transposition table holds, beginning with ``pit``."""
        child = board.sow(pit).board
        if child.is_over:
            return (pit,)
        stores = np.array([child.stores[child.player], child.stores[1 - child.player]])
        self._control[kernels.C_TOTAL_SEEDS] = board.total
        count = kernels.follow(self.search, position_of(child), stores, self._followed)
        return pit, *map(int, self._followed[:count])


class ParallelWorker(Worker):
    """A worker with helper threads that search the same question on the same table.

    Args:
        search: the shared tables; each thread has a stack of its own.
        helpers: number of helper threads.
    """

    def __init__(self, search: state.Search, *, helpers: int) -> None:
        super().__init__(search, shares=helpers > 0)
        self._helpers = [_HelperThread(search, shares=True) for _ in range(helpers)]

    @property
    def nodes(self) -> int:
        """Positions whose sowings were generated, by all."""
        return super().nodes + sum(helper.nodes for helper in self._helpers)

    def stop(self) -> None:
        """Stop the running slices of all threads immediately; from any thread."""
        super().stop()
        for helper in self._helpers:
            helper.stop()

    def value(self, board: Board, depth: int, window: tuple[int, int]) -> Steps:
        """Search a board as :meth:`Worker.value` does, on all threads."""
        for helper in self._helpers:
            helper.start(board, depth, window)
        try:
            return (yield from super().value(board, depth, window))
        finally:
            for helper in self._helpers:
                helper.end()


class _HelperThread(Worker):
    """A worker on a thread of its own, for what it leaves in the table."""

    def start(self, board: Board, depth: int, window: tuple[int, int]) -> None:
        self._control[kernels.C_STOP] = 0
        question = (board, depth, window)
        self._thread = Thread(target=self._exhaust, args=question, daemon=True)
        self._thread.start()

    def end(self) -> None:
        self.stop()
        self._thread.join()

    def _exhaust(self, board: Board, depth: int, window: tuple[int, int]) -> None:
        for _ in self.value(board, depth, window):
            if self.is_stopped:
                return


def position_of(board: Board) -> layout.Words:
    """Return a board as a position, the mover first."""
    return layout.position(board.pits[board.player], board.pits[1 - board.player])
