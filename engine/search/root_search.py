"""An iteration of the deepening: all moves of a board, searched to a depth by one kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mancala.protocol.rules import Board

from .. import kernels
from ..kernels import root
from .worker import Worker


class RootSearch:
    """The moves of a board, and what the iteration under way has found.

    Args:
        worker: what searches.
        board: not over.

    Attributes:
        best: the pit that the iteration prefers so far; None before its first move is done.
        values: what its moves are worth for the board's mover, in seeds, those that are done; a
            move that is no better than the best has an upper bound of its value.
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
        """Search moves to a depth, in an order; yield False at every pause.

        Args:
            order: pits.
            depth: plies after each move.
            guess: what the first is expected to be worth, in seeds; None to value every move.

        Raises:
            RecursionError: when a line of the game outgrows the stack.
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
        """Read what the kernel has found."""
        done = int(self._root.control[root.R_CURSOR])
        found = self._root.moves[root.M_VALUE :: root.MOVE_WORDS].tolist()
        for move in self._root.order[:done].tolist():
            self.values[self._pits[move]] = found[move] / kernels.UNIT
        if done:
            self.best = self._pits[self._root.control[root.R_BEST]]
