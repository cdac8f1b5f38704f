"""Thinking: a board and a limit in, reports out, until somebody stops it.

Two searches take turns on one transposition table. One deepens: it estimates every move to depth
1, 2, 3… and so always has an answer. The other proves: from the deepening's value as its first
guess it narrows the exact value with null windows (MTD(f): Plaat and others, 1996) until nothing
is left to prove. Both are generators over resumable kernels, so that taking turns, obeying a
limit and stopping at once are the same thing: the next step is not taken.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from engine import book, endgame, kernels, state
from engine.cabinet import Cabinet, tables_for
from engine.features import Weights
from engine.line import Line
from engine.solver import Proof
from protocol.rules import KALAH, Board, Rules

if TYPE_CHECKING:
    from engine.line import Steps

__all__ = [
    "DEEPEST",
    "Engine",
    "EngineOptions",
    "Limit",
    "MoveValue",
    "Report",
    "tables_for",
]

DEEPEST: Final = 100
LONGEST_PV: Final = 40
PROOF_SHARES: Final = ((34, 8.0), (40, 1.0), (255, 0.25))
"""Up to so many seeds in the pits: nodes for the proof by node of the deepening."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Limit:
    """When to stop thinking; whichever comes first, and None is no limit.

    Attributes:
        time_s: seconds on the engine's clock.
        depth: plies of the deepening; with it, nothing is proven and no book consulted.
        nodes: positions whose sowings are generated.
    """

    time_s: float | None = None
    depth: int | None = None
    nodes: int | None = None


class MoveValue(NamedTuple):
    """One move and what it is worth: the difference of stores at the end, for the mover."""

    pit: int
    value: float
    exact: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """What the engine thinks by now.

    Attributes:
        depth: plies searched; 0 before the first iteration.
        pit: the best move.
        value: store difference at the end of the game, for the mover, in seeds.
        exact: whether ``value`` is proven.
        pv: the expected line, the best move first; extra turns are moves of their own.
        nodes: positions whose sowings were generated.
        seconds: time spent.
        moves: every legal move, best first; a value that is not exact may be an upper bound.
    """

    depth: int
    pit: int
    value: float
    exact: bool
    pv: tuple[int, ...]
    nodes: int
    seconds: float
    moves: tuple[MoveValue, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class EngineOptions:
    """How an engine is built.

    Attributes:
        table_bits: the transposition table has ``2 ** table_bits`` buckets of 64 bytes; 16 to 30.
        weights: the evaluation.
        again_cost: plies that an extra turn costs; 0 searches chains for nothing.
        quiescence: most plies of captures and re-turns searched on past the depth.
        endgame_seeds: seeds that the endgame tables reach; None for 31 million positions.
        cache: directory of the endgame tables; None keeps small ones in memory only.
        book: know the opening book.
        all_moves: give every move its value, not only a bound to those that are not best.

    Raises:
        ValueError: when a number is out of its range.
    """

    table_bits: int = 18
    weights: Weights = field(default_factory=Weights)
    again_cost: int = 1
    quiescence: int = 6
    endgame_seeds: int | None = None
    cache: Path | None = field(default_factory=endgame.default_cache)
    book: bool = True
    all_moves: bool = False

    def __post_init__(self) -> None:
        if not 16 <= self.table_bits <= 30:
            raise ValueError(f"table_bits must be 16..30, not {self.table_bits}")
        if self.again_cost not in (0, 1):
            raise ValueError(f"again_cost must be 0 or 1, not {self.again_cost}")
        if not 0 <= self.quiescence <= 64:
            raise ValueError(f"quiescence must be 0..64, not {self.quiescence}")


class Engine:
    """A player that thinks; one think at a time, stopped from any thread.

    Args:
        options: see :class:`EngineOptions`.
        clock: seconds, never going back; the only time the engine knows.
    """

    def __init__(
        self,
        *,
        options: EngineOptions | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.options = options or EngineOptions()
        self._clock = clock
        self._rules: Rules | None = None
        self._cabinet: Cabinet
        self._entries = state.entries(self.options.table_bits)
        self._lines: tuple[Line, ...] = ()
        self._stopped = False

    def warm_up(self, rules: Rules = KALAH, *, progress: endgame.Progress | None = None) -> None:
        """Compile or load every kernel, and load or build the endgame tables of these rules.

        Args:
            rules: what will be played.
            progress: told positions done and in all while tables are built.
        """
        self._search(rules)
        self._cabinet.complete(progress)
        for limit in (Limit(depth=2), Limit(nodes=1)):
            for _ in self.think(Board.start(rules), limit):
                pass

    def forget(self) -> None:
        """Forget what earlier thinks found out, so that the next ones don't depend on them."""
        self._entries[:] = 0

    def stop(self) -> None:
        """End the running think, from any thread; its best report so far is its last."""
        self._stopped = True
        for line in self._lines:
            line.stop()

    def think(self, board: Board, limit: Limit) -> Iterator[Report]:
        """Think about a board; every report is better founded than the one before.

        Yields at least one report, with a legal move, however early it is stopped.

        Raises:
            ValueError: when the game is over.
        """
        legal = board.legal()
        if not legal:
            raise ValueError(f"the game is over: {board.text}")
        self._stopped = False
        return self._reports(board, limit)

    def _reports(self, board: Board, limit: Limit) -> Iterator[Report]:
        search = self._search(board.rules)
        self._cabinet.complete_behind()
        thought = _Thought(search, self.options, board, self._clock)
        self._lines = thought.lines
        done = self.options.book and limit.depth is None and thought.consult()
        yield thought.report()
        if done:
            return
        for report in thought.steps(limit):
            if report is not None:
                yield report
            if self._stopped or thought.spent(limit):
                if report is None:
                    yield thought.report()
                return

    def _search(self, rules: Rules) -> state.Search:
        if rules != self._rules:
            if self._rules is not None:
                self._entries[:] = 0
            self._rules = rules
            self._cabinet = Cabinet(
                rules,
                weights=self.options.weights,
                cache=self.options.cache,
                seeds=self.options.endgame_seeds,
            )
        return state.Search(
            variant=self._cabinet.variant,
            entries=self._entries,
            bits=self.options.table_bits,
            tables=self._cabinet.tables,
            weights=self._cabinet.weights,
            busy=state.busy(),
            stack=state.stack(),
        )


class _Thought:
    """One think: the board, what is known of each move, and the searches under way."""

    def __init__(
        self,
        search: state.Search,
        options: EngineOptions,
        board: Board,
        clock: Callable[[], float],
    ) -> None:
        self._board = board
        self._options = options
        self._clock = clock
        self._began = clock()
        self._deepening = Line(search, again_cost=options.again_cost, quiescence=options.quiescence)
        self._proving = Line(search)
        self._proof = Proof(board, self._proving)
        self._estimates = dict.fromkeys(board.legal(), 0.0)
        self._favourite = board.legal()[0]
        self._depth = 0
        self.lines = (self._deepening, self._proving)

    def consult(self) -> bool:
        """Take over what the book knows; tell whether that is all that was asked for."""
        entry = book.find(self._board)
        if entry is None:
            return False
        me = self._board.player
        ahead = self._board.stores[me] - self._board.stores[1 - me]
        self._proof.know(entry.pit, ahead + entry.to_go)
        return not self._options.all_moves

    def spent(self, limit: Limit) -> bool:
        """Tell whether the limit of time or nodes is reached."""
        if limit.nodes is not None and self._nodes >= limit.nodes:
            return True
        return limit.time_s is not None and self._clock() - self._began >= limit.time_s

    def steps(self, limit: Limit) -> Iterator[Report | None]:
        """Let the searches take turns; None where there is nothing new to say."""
        estimates = self._deepen(limit.depth or DEEPEST)
        if limit.depth is not None:
            yield from estimates
            return
        proofs = self._prove()
        for estimate in estimates:
            yield estimate
            while self._proving.nodes < self._share * self._deepening.nodes:
                try:
                    yield next(proofs)
                except StopIteration:
                    return
        yield from proofs

    def report(self) -> Report:
        """Say what is known by now."""
        ranked = [self._move(pit) for pit in self._ranked()]
        value = self._proof.value
        return Report(
            depth=self._depth,
            pit=ranked[0].pit,
            value=float(value.clamp(ranked[0].value)),
            exact=value.exact,
            pv=self._line_from(ranked[0].pit),
            nodes=self._nodes,
            seconds=self._clock() - self._began,
            moves=tuple(ranked),
        )

    @property
    def _nodes(self) -> int:
        return sum(line.nodes for line in self.lines)

    @property
    def _share(self) -> float:
        """Nodes for the proof by node of the deepening: many where a proof is near."""
        seeds = sum(map(sum, self._board.pits))
        return next(share for most, share in PROOF_SHARES if seeds <= most)

    def _move(self, pit: int) -> MoveValue:
        bounds = self._proof.moves[pit]
        return MoveValue(pit, float(bounds.clamp(self._estimates[pit])), bounds.exact)

    def _ranked(self) -> list[int]:
        """List the moves, the best first: by proof, else the favourite, else by estimate."""
        proven = self._proof.best
        low = self._proof.value.low

        def rank(pit: int) -> tuple[bool, bool, bool, float]:
            beaten = self._proof.moves[pit].high < low
            return pit != proven, beaten, pit != self._favourite, -self._move(pit).value

        return sorted(self._estimates, key=rank)

    def _line_from(self, pit: int) -> tuple[int, ...]:
        """Follow the best moves through the transposition table."""
        board, pits = self._board, [pit]
        while len(pits) < LONGEST_PV and not (board := board.sow(pits[-1]).board).is_over:
            pit = self._deepening.table_pit(board)
            if pit not in board.legal():
                break
            pits.append(pit)
        return tuple(pits)

    def _deepen(self, deepest: int) -> Iterator[Report | None]:
        """Estimate the moves depth by depth."""
        for depth in range(1, deepest + 1):
            for _ in self._iterate(depth):
                yield None
            self._depth = depth
            yield self.report()

    def _iterate(self, depth: int) -> Iterator[None]:
        """Search every move to a depth: the first in full, the others against it."""
        alpha = -kernels.INFINITY
        for pit in self._ranked():
            value = yield from self._against(pit, depth - 1, alpha)
            self._estimates[pit] = value / kernels.UNIT
            if value > alpha:
                alpha = value
                self._favourite = pit

    def _against(self, pit: int, depth: int, alpha: int) -> Steps:
        """Value a move, or bound it from above where it is no better than ``alpha``."""
        wide = kernels.INFINITY
        search = partial(self._deepening.move, self._board, pit, depth)
        if alpha == -wide or self._options.all_moves:
            return (yield from search((-wide, wide)))
        value = yield from search((alpha, alpha + 1))
        if value <= alpha:
            return value
        return (yield from search((alpha, wide)))

    def _prove(self) -> Iterator[Report | None]:
        """Prove the best move, then, where asked, what each other move is worth."""
        order = tuple(self._ranked())
        for _ in self._proof.prove_best(self._estimates[order[0]], order):
            yield None
        yield self.report()
        if self._options.all_moves:
            for pit in order:
                for _ in self._proof.prove_move(pit, self._estimates[pit]):
                    yield None
            yield self.report()
