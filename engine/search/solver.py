"""Exact values: bounds on every move of a board, narrowed by null windows until they meet.

Each question is "is this move worth at least b?", answered fail-soft, so every answer moves a
bound and the values between are never looked for. The first b is a guess; a good one saves the
most (MTD(f): Plaat, Schaeffer, Pijls, de Bruin, "Best-first fixed-depth minimax algorithms",
Artificial Intelligence 87, 1996). Without ``majority`` all seeds end in the stores, so every value
has the parity of the seeds in all, and bounds go in steps of two.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from mancala.protocol.rules import Board, PlayerScore, Rules
from mancala.protocol.tabular import Tabular

from ..evaluation.weights import shipped
from ..kernels import INFINITY, PROOF, UNIT, state
from ..knowledge import Bounds, Known, widest
from .worker import ParallelWorker, Worker

SEEDS_A_PLY: Final = 4
"""The first question of a proof is asked from an estimate: one ply deeper for every four seeds.

The longer the proof, the more a guess that is off by one step costs, and the better one pays.
"""


class Proof:
    """The proof so far of a board that is not over: final store differences, for the mover."""

    def __init__(
        self, board: Board, worker: Worker, moves: dict[int, Bounds] | None = None
    ) -> None:
        self.board = board
        self._worker = worker
        self._step = 1 if board.rules.majority else 2
        self.moves = moves or {
            pit: widest(board.sow(pit).board, board.player) for pit in board.legal()
        }

    @property
    def value(self) -> Bounds:
        """What is proven of the board's value."""
        moves = self.moves.values()
        return Bounds(max([each.low for each in moves]), max([each.high for each in moves]))

    @property
    def best(self) -> int | None:
        """A move that is proven best; None while there is no proof."""
        value = self.value
        if not value.exact:
            return None
        return next(pit for pit, bounds in self.moves.items() if bounds.low == value.low)

    def adopt(self, sure: Known) -> None:
        """Adopt what is known of the board and its moves from elsewhere."""
        for pit, bounds in sure.moves.items():
            self.moves[pit] = self.moves[pit].both(bounds)

    def know_move(self, pit: int, value: int) -> None:
        """Adopt a proof from elsewhere that a move is worth ``value``."""
        self.moves[pit].low = self.moves[pit].high = value

    def prove_best(self, guess: float, order: tuple[int, ...]) -> Iterator[bool]:
        """Narrow the board's value until it is proven; moves are tried in ``order`` first."""
        while not (value := self.value).exact:
            bound = self._aligned(guess, value)
            guess = value.low
            for pit in sorted(order, key=lambda pit: -self.moves[pit].low):
                if self.moves[pit].high >= bound:
                    yield from self._ask(pit, bound)
                    if self.moves[pit].low >= bound:
                        guess = self.moves[pit].low + self._step
                        break
            else:
                guess = self.value.high

    def prove_move(self, pit: int, guess: float) -> Iterator[bool]:
        """Narrow one move's value until it is proven."""
        bounds = self.moves[pit]
        while not bounds.exact:
            bound = self._aligned(guess, bounds)
            yield from self._ask(pit, bound)
            guess = bounds.low + self._step if bounds.low >= bound else bounds.high

    def _ask(self, pit: int, bound: int) -> Iterator[bool]:
        window = ((bound - self._step) * UNIT, bound * UNIT)
        value = (yield from self._worker.move(self.board, pit, PROOF, window)) // UNIT
        if value >= bound:
            self.moves[pit].low = max(self.moves[pit].low, value)
        else:
            self.moves[pit].high = min(self.moves[pit].high, value)

    def _aligned(self, guess: float, within: Bounds) -> int:
        """Round a guess to a value that can be asked for: above the low bound, of its parity."""
        steps = round((guess - within.low) / self._step)
        return min(max(within.low + self._step * steps, within.low + self._step), within.high)


@dataclass(frozen=True, kw_only=True, slots=True)
class Solution(Tabular):
    """How far a solver has come.

    Attributes:
        player: the mover, for whom all values are.
        value: what is proven of the board's value.
        best: a move that is proven best, once the value is.
        moves: what is proven of each move, by pit.
        nodes: positions whose sowings were generated.
        seconds: time spent.
    """

    player: int = 0
    value: Bounds
    best: int | None
    moves: dict[int, Bounds]
    nodes: int
    seconds: float

    @classmethod
    def of(cls, sure: Known, player: int) -> Self:
        """Return what is known as what a search that did not begin has found."""
        return cls(
            player=player, value=sure.value, best=sure.best, moves=sure.moves, nodes=0, seconds=0.0
        )

    @property
    def score(self) -> PlayerScore:
        """The proven value, and whose it is."""
        return PlayerScore(self.value.low if self.value.exact else None, self.player)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row for each move."""
        return [{"pit": pit, **bounds.to_dict()} for pit, bounds in self.moves.items()]

    def __str__(self) -> str:
        """Return what is proven of the value, and whose it is."""
        return f"{self.value} for player {self.player}"

    def with_known(self, sure: Known | None) -> Solution:
        """Return what a search has found, with what was known before."""
        if sure is None:
            return self
        return replace(
            self,
            value=self.value.both(sure.value),
            best=sure.best if self.best is None else self.best,
            moves={pit: bounds.both(sure.moves[pit]) for pit, bounds in self.moves.items()},
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values, as ``mancala solve --json`` prints it."""
        return {
            **self.value.to_dict(),
            "best": self.best,
            "moves": self.rows,
            "nodes": self.nodes,
            "seconds": self.seconds,
        }


class Solver:
    """Proves boards of one set of rules; what one proof learns, the next one knows.

    Args:
        rules: the rules.
        tables: endgame tables; None for none.
        table_bits: the transposition table has ``2 ** table_bits`` buckets of 64 bytes.
        threads: how many search, on one table.
        clock: seconds, never going back.

    Attributes:
        worker: what searches; one question at a time.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        tables: state.ExactTables | None = None,
        table_bits: int = 21,
        threads: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        tables = state.no_tables(rules.pits) if tables is None else tables
        search = state.new_search(rules, shipped().compiled(rules), tables=tables, bits=table_bits)
        self.worker = ParallelWorker(search, helpers=threads - 1)

    def forget(self) -> None:
        """Clear what earlier proofs have learnt, so that the nodes of later ones repeat."""
        self.worker.search.entries[:] = 0
        self.worker.search.busy[:] = 0

    def proof(self, board: Board) -> Proof:
        """Return a proof of a board that is not over, with nothing proven yet."""
        return Proof(board, self.worker)

    def solve(
        self,
        board: Board,
        *,
        every_move: bool = False,
        guess: float | None = None,
        sure: Known | None = None,
    ) -> Iterator[Solution]:
        """Prove a board that is not over; a snapshot every few milliseconds, the proof last.

        Args:
            board: of the solver's rules.
            every_move: prove what each move is worth, not only the best.
            guess: the value to try first; None for the engine's own estimate.
            sure: what is known of the board and its moves, which is not proven once more.

        Raises:
            ValueError: when the game is over.
        """
        if board.is_over:
            raise ValueError(f"the game is over: {board.text}")
        began, nodes = self._clock(), self.worker.nodes
        proof = self.proof(board)
        if sure is not None:
            proof.adopt(sure)

        def snapshot() -> Solution:
            return Solution(
                player=board.player,
                value=proof.value,
                best=proof.best,
                moves={pit: Bounds(b.low, b.high) for pit, b in proof.moves.items()},
                nodes=self.worker.nodes - nodes,
                seconds=self._clock() - began,
            )

        for _ in self._steps(proof, every_move=every_move, guess=guess):
            yield snapshot().with_known(sure)
        yield snapshot().with_known(sure)

    def _steps(self, proof: Proof, *, every_move: bool, guess: float | None) -> Iterator[bool]:
        estimates: dict[int, float] = {}
        depth = 2 + proof.board.in_play // SEEDS_A_PLY
        for pit, bounds in proof.moves.items():
            if bounds.exact:
                estimates[pit] = bounds.low
                continue
            window = (-INFINITY, INFINITY)
            value = yield from self.worker.move(proof.board, pit, depth, window)
            estimates[pit] = value / UNIT
        order = tuple(sorted(estimates, key=lambda pit: -estimates[pit]))
        first = estimates[order[0]] if guess is None else guess
        yield from proof.prove_best(first, order)
        if every_move:
            for pit in order:
                yield from proof.prove_move(pit, estimates[pit])
