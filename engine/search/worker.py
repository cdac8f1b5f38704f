"""Workers: a search stack, or several in parallel, run slice by slice on whole boards or moves."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from threading import Thread
from typing import Final, NamedTuple

import numpy as np

from mancala.protocol.rules import Board

from .. import kernels
from ..evaluation.search_options import SearchOptions
from ..kernels import layout, root, state

SLICE_NODES: Final = 2048
"""Nodes between two checks of the clock: one or two milliseconds."""

LONGEST_PV: Final = 40

Steps = Generator[bool, None, int]
"""A search that pauses at every slice, with no news (False), and returns a value in units, for the
board's mover."""


class ChildBoard(NamedTuple):
    """A board after a move, and what a search of it needs; its mover's store first."""

    board: Board
    position: layout.Words
    stores: tuple[int, int]


class Worker:
    """One search stack on tables that other workers may share, with search options of its own.

    Where other threads search on the same tables (``shares``), ABDADA keeps them apart. A pause
    comes after ``slice_nodes`` at most. The stack may be that of a search that has ended.
    """

    def __init__(
        self,
        search: state.Search,
        *,
        parameters: SearchOptions | None = None,
        shares: bool = False,
        slice_nodes: int = SLICE_NODES,
        stack: state.Stack | None = None,
    ) -> None:
        self._slice_nodes = slice_nodes
        self._pause_at: int | None = None
        self._root: Board | None = None
        self._children: dict[int, ChildBoard] = {}
        self.search = search._replace(stack=stack or state.stack())
        self._control = self.search.stack.control
        self._control[:] = 0
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

    def pause_after(self, nodes: int) -> None:
        """Pause for the next time after this many nodes in all, however many questions they take.

        Without it, only a question that takes a whole slice pauses.
        """
        self._pause_at = self.nodes + nodes

    def value(self, board: Board, depth: int, window: tuple[int, int]) -> Steps:
        """Search a board that is not over; the window and the value count from its stores.

        A line of the game that outgrows the stack is a RecursionError, here and in all that
        searches.
        """
        return (yield from self._value(_child(board), depth, window))

    def move(self, board: Board, pit: int, depth: int, window: tuple[int, int]) -> Steps:
        """Search one move of a board; window and value are for the board's mover."""
        child = self.after(board, pit)
        if child.board.is_over:
            return kernels.UNIT * child.board.score(board.player)
        if child.board.player == board.player:
            return (yield from self._value(child, depth, window))
        turned = -window[1], -window[0]
        return -(yield from self._value(child, depth, turned))

    def iterate(self, moves: root.Root, total: int) -> Iterator[bool]:
        """Search the moves of a root that is set up; yield at every pause."""
        if self._pause_at is not None and self.nodes >= self._pause_at:
            yield False
        self._control[kernels.C_TOTAL_SEEDS] = total
        while (status := kernels.search_root(self.search, moves, self._budget)) == kernels.PAUSED:
            yield False
        if status == kernels.TOO_DEEP:
            raise RecursionError("the game outgrows the stack")

    def expected(self, board: Board, pit: int) -> tuple[int, ...]:
        """Return the best moves that the transposition table holds, beginning with ``pit``."""
        child = self.after(board, pit)
        if child.board.is_over:
            return (pit,)
        self._control[kernels.C_TOTAL_SEEDS] = board.total
        position, stores = child.position.copy(), np.array(child.stores)  # they move along the line
        count = kernels.follow(self.search, position, stores, self._followed)
        return pit, *self._followed[:count].tolist()

    def _value(self, child: ChildBoard, depth: int, window: tuple[int, int]) -> Steps:
        if self._pause_at is not None and self.nodes >= self._pause_at:
            yield False
        board = child.board
        ahead = kernels.UNIT * (child.stores[0] - child.stores[1])
        self._control[kernels.C_TOTAL_SEEDS] = board.total
        goal = (depth, window[0] - ahead, window[1] - ahead)
        kernels.begin(self.search, child.position, child.stores[0], goal)
        while (status := kernels.run(self.search, self._budget)) == kernels.PAUSED:
            yield False
        if status == kernels.TOO_DEEP:
            raise RecursionError(f"a game from {board.text} outgrows the stack")
        return int(self.search.stack.ints[kernels.F_BEST]) + ahead

    @property
    def _budget(self) -> int:
        if self._pause_at is None:
            return self._slice_nodes
        return max(1, min(self._slice_nodes, self._pause_at - self.nodes))

    def share_boards(self, other: Worker) -> None:
        """Keep the boards after the moves of a board together with another worker."""
        self._root, self._children = other._root, other._children

    def after(self, board: Board, pit: int) -> ChildBoard:
        """Return a board after a move; those of the last board are kept."""
        if board is not self._root:
            self._root, self._children = board, {}
        if pit not in self._children:
            self._children[pit] = _child(board.sow(pit).board)
        return self._children[pit]


class ParallelWorker(Worker):
    """A worker with helper threads that search the same question on the same table.

    Each thread has a stack of its own.
    """

    def __init__(
        self, search: state.Search, *, helpers: int, slice_nodes: int = SLICE_NODES
    ) -> None:
        super().__init__(search, shares=helpers > 0, slice_nodes=slice_nodes)
        self._helpers = [
            _HelperThread(search, shares=True, slice_nodes=slice_nodes) for _ in range(helpers)
        ]

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
        """Search a position until it is done or :meth:`end` is called; the value is dropped."""
        self._control[kernels.C_STOP] = 0
        question = (board, depth, window)
        self._thread = Thread(target=self._exhaust, args=question, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Stop the search, and wait some milliseconds for its thread."""
        self.stop()
        self._thread.join()

    def _exhaust(self, board: Board, depth: int, window: tuple[int, int]) -> None:
        for _ in self.value(board, depth, window):
            if self.is_stopped:
                return


def _child(board: Board) -> ChildBoard:
    stores = board.stores[board.player], board.stores[1 - board.player]
    return ChildBoard(board, position_of(board), stores)


def position_of(board: Board) -> layout.Words:
    """Return a board as a position, the mover first."""
    return layout.position(board.pits[board.player], board.pits[1 - board.player])


class RootSearch:
    """The moves of a board that is not over, and what the iteration under way has found.

    ``best`` is the pit that it prefers so far, None before its first move is done. ``values`` is
    what the moves that are done are worth for the board's mover, in seeds; one that is no better
    than the best has an upper bound of its value.
    """

    def __init__(self, worker: Worker, board: Board) -> None:
        self._worker = worker
        self._total = board.total
        self._pits = board.legal()
        self._root = root.root()
        self.best: int | None = None
        self.values: dict[int, float] = {}
        positions = self._root.positions.reshape(root.MOST_MOVES, -1)
        moves = self._root.moves.reshape(root.MOST_MOVES, -1)
        for move, pit in enumerate(self._pits):
            child = worker.after(board, pit)
            positions[move] = child.position
            same = child.board.player == board.player
            sign = 0 if child.board.is_over else 1 if same else -1
            lead = kernels.UNIT * child.board.score(board.player)
            moves[move] = child.stores[0], lead, sign, 0

    def search(self, order: Sequence[int], depth: int, guess: float | None) -> Iterator[bool]:
        """Search moves to ``depth`` plies after each, in an order of pits; yield at every pause.

        ``guess`` is what the first is expected to be worth, in seeds; None to value every move.
        """
        control = self._root.control
        control[:] = 0
        control[root.R_DEPTH], control[root.R_COUNT] = depth, len(order)
        control[root.R_ALPHA] = -kernels.INFINITY
        control[root.R_GUESS] = root.NO_GUESS if guess is None else round(guess * kernels.UNIT)
        self._root.order[: len(order)] = [self._pits.index(pit) for pit in order]
        self.best, self.values = None, {}
        for _ in self._worker.iterate(self._root, self._total):
            self._collect()
            yield False
        self._collect()

    def _collect(self) -> None:
        done = int(self._root.control[root.R_CURSOR])
        found = self._root.moves[root.M_VALUE :: root.MOVE_WORDS].tolist()
        for move in self._root.order[:done].tolist():
            self.values[self._pits[move]] = found[move] / kernels.UNIT
        if done:
            self.best = self._pits[self._root.control[root.R_BEST]]
