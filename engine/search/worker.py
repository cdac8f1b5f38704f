"""Workers: a search stack, or several in parallel, run slice by slice on whole boards or moves."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from threading import Thread
from typing import Final, Protocol

import numpy as np

from mancala.protocol.rules import Board

from .. import kernels
from ..evaluation.search_options import SearchOptions
from ..kernels import layout, root, state
from ..knowledge import Bounds

SLICE_NODES: Final = 2048
"""Nodes between two checks of the clock: one or two milliseconds."""

LONGEST_PV: Final = 40

Steps = Generator[bool, None, int]
"""A search that pauses at every slice, with no news (False), and returns a value in units, for the
board's mover."""


class Stoppable(Protocol):
    """What searches until it is stopped."""

    @property
    def is_stopped(self) -> bool:
        """Whether `stop` was called."""

    def stop(self) -> None:
        """Stop immediately; from any thread."""


class Worker:
    """One search stack on tables that other workers may share, with search options of its own.

    Where other threads search on the same tables (``shares``), ABDADA keeps them apart. A pause
    comes after ``slice_nodes`` at most.
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
        self._pause_at: int | None = None
        self.search = search._replace(stack=state.stack())
        self._control = self.search.stack.control.data
        for at, value in enumerate(parameters or SearchOptions(), kernels.C_OPTIONS):
            self._control[at] = value
        self._control[kernels.C_SHARED] = shares
        self._followed = np.zeros(LONGEST_PV, dtype=np.int64)

    def begin(self) -> None:
        self._pause_at = None
        for at in (kernels.C_STOP, kernels.C_NODES, kernels.C_DEADLINE):
            self._control[at] = 0

    @property
    def nodes(self) -> int:
        """Positions whose sowings were generated."""
        return self._control[kernels.C_NODES]

    @property
    def is_stopped(self) -> bool:
        return bool(self._control[kernels.C_STOP])

    def stop(self) -> None:
        """Stop the running slice and every later one immediately; from any thread."""
        self._control[kernels.C_STOP] = 1

    def go_on(self) -> None:
        """Search again after a stop."""
        self._control[kernels.C_STOP] = 0

    def pause_after(self, nodes: int) -> None:
        """Pause next after this many nodes in all, however many questions they take."""
        self._pause_at = self.nodes + nodes

    def pause_from(self, clock: int, deadline: int) -> None:
        """Pause from a time on: nanoseconds on a clock of POSIX, by its number."""
        self._control[kernels.C_CLOCK], self._control[kernels.C_DEADLINE] = clock, deadline
        self._control[kernels.C_READ] = self.nodes + kernels.READ_NODES

    def value(self, board: Board, depth: int, window: tuple[int, int]) -> Steps:
        """Search a board that is not over; the window and the value count from its stores.

        A line of the game that outgrows the stack is a RecursionError, here and in all that
        searches.
        """
        if self._pause_at is not None and self.nodes >= self._pause_at:
            yield False
        store, other = _stores(board)
        ahead = kernels.UNIT * (store - other)
        self._control[kernels.C_TOTAL_SEEDS] = board.total
        goal = (depth, window[0] - ahead, window[1] - ahead)
        kernels.begin(self.search, position_of(board), store, goal)
        while (status := kernels.run(self.search, self._budget)) == kernels.PAUSED:
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
        self._control[kernels.C_TOTAL_SEEDS] = board.total
        self._followed[0] = pit
        stores = np.array(_stores(board))
        count = kernels.follow(self.search, position_of(board), stores, self._followed)
        return tuple(self._followed[:count].tolist())

    @property
    def _budget(self) -> int:
        if self._pause_at is None:
            return self._slice_nodes
        return max(1, self._pause_at - self.nodes)


class HelperThreads:
    """Threads that search between `start` and `end`, for what they leave in the table."""

    def __init__(self, searching: Sequence[Stoppable]) -> None:
        self._searching = searching
        self._threads: list[Thread] = []

    def start(self, questions: Iterable[Iterator[bool]]) -> None:
        """Start the threads unless they run; each searches until it is done or stopped."""
        if not self._threads:
            for one, steps in zip(self._searching, questions, strict=True):
                thread = Thread(target=_exhaust, args=(one, steps), name="smp", daemon=True)
                self._threads.append(thread)
                thread.start()

    def end(self) -> None:
        """Stop all threads and join them, which takes microseconds."""
        for one in self._searching:
            one.stop()
        for thread in self._threads:
            thread.join()
        self._threads.clear()


def _exhaust(one: Stoppable, steps: Iterator[bool]) -> None:
    with suppress(RecursionError):  # the first thread reports a game that outgrows the stack
        for _ in steps:
            if one.is_stopped:
                return


class ParallelWorker(Worker):
    """A worker with helper threads that search the same question on the same table."""

    def __init__(
        self, search: state.Search, *, helpers: int, slice_nodes: int = SLICE_NODES
    ) -> None:
        super().__init__(search, shares=helpers > 0, slice_nodes=slice_nodes)
        self._helpers = [
            Worker(search, shares=True, slice_nodes=slice_nodes) for _ in range(helpers)
        ]
        self._threads = HelperThreads(self._helpers)

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
        """Search a board as :meth:`Worker.value` does, on all threads after the first slice."""
        steps = super().value(board, depth, window)
        try:
            yield next(steps)
            for helper in self._helpers:
                helper.go_on()
            self._threads.start(helper.value(board, depth, window) for helper in self._helpers)
            return (yield from steps)
        except StopIteration as end:
            return int(end.value)
        finally:
            self._threads.end()


def _stores(board: Board) -> tuple[int, int]:
    return board.stores[board.player], board.stores[1 - board.player]


def position_of(board: Board) -> layout.Words:
    """Return a board as a position, the mover first."""
    return layout.position(board.pits[board.player], board.pits[1 - board.player])


class RootSearch:
    """The moves of a board that is not over, and what the deepening has found.

    ``pits`` are the moves; ``all_moves`` asks for the value of each, not for bounds of some. Values
    are the board's mover's, in seeds.
    """

    def __init__(self, worker: Worker, *, all_moves: bool = False) -> None:
        self._worker = worker
        self._root = root.root()
        self._moves, self._control = self._root.moves.data, self._root.control.data
        self._control[root.R_OPEN] = all_moves
        self.pits: tuple[int, ...] = ()

    def open(self, board: Board) -> None:
        self.pits, self._total = board.legal(), board.total
        variant, position = self._worker.search.variant, position_of(board)
        kernels.open_root(variant, self._root, position, _stores(board))
        if self._control[root.R_COUNT] != len(self.pits):
            raise ArithmeticError(f"the kernels find other moves than the rules in {board.text}")

    @property
    def bounds(self) -> dict[int, Bounds]:
        """What holds of each move before anything is proven."""
        ends = zip(self.pits, self._column(root.M_LOW), self._column(root.M_HIGH), strict=False)
        return {pit: Bounds(low // kernels.UNIT, high // kernels.UNIT) for pit, low, high in ends}

    def _column(self, word: int) -> list[int]:
        return self._moves[word :: root.MOVE_WORDS].tolist()

    @property
    def depth(self) -> int:
        """The depth of the last iteration that was finished."""
        done = self._control[root.R_CURSOR] == self._control[root.R_COUNT]
        return self._control[root.R_DEPTH] + done

    @property
    def best(self) -> int:
        """The move that is preferred so far; the first one before any was searched."""
        return self.pits[self._control[root.R_BEST]]

    @property
    def values(self) -> dict[int, float]:
        """What is found of moves; of one that does not lead, at most the value of the best."""
        values, are_valued = self._column(root.M_VALUE), self._column(root.M_IS_VALUED)
        found = zip(self.pits, values, are_valued, strict=False)
        return {pit: value / kernels.UNIT for pit, value, is_valued in found if is_valued}

    def prefer(self, pit: int, value: float) -> None:
        """Adopt what is known of a move from elsewhere, as of the best."""
        self._control[root.R_BEST] = move = self.pits.index(pit)
        self._moves[root.MOVE_WORDS * move + root.M_VALUE] = round(value * kernels.UNIT)
        self._moves[root.MOVE_WORDS * move + root.M_IS_VALUED] = 1

    def rank(self, moves: Iterable[tuple[int, Bounds]]) -> None:
        """Say how the next iterations order the moves: by a rank, then by values in bounds."""
        for move, (rank, bounds) in enumerate(moves):
            at = root.MOVE_WORDS * move
            self._moves[at + root.M_RANK] = rank
            self._moves[at + root.M_LOW] = bounds.low * kernels.UNIT
            self._moves[at + root.M_HIGH] = bounds.high * kernels.UNIT

    def deepen(self, deepest: int) -> Iterator[bool]:
        """Go on with the iterations up to a depth; yield at every pause."""
        self._control[root.R_DEEPEST] = deepest - 1
        return self._worker.iterate(self._root, self._total)

    def search(self, order: Sequence[int], depth: int, guess: float | None) -> Iterator[bool]:
        """Search moves to ``depth`` plies after each, in an order of pits; yield at every pause.

        ``guess`` is what the first is expected to be worth, in seeds; None to value every move.
        """
        control = self._root.control
        control[: root.R_BEST] = depth, len(order), 0, 0, 0, 0, -kernels.INFINITY
        control[root.R_GUESS] = root.NO_GUESS if guess is None else round(guess * kernels.UNIT)
        self._root.order[: len(order)] = [self.pits.index(pit) for pit in order]
        return self.deepen(depth + 1)
