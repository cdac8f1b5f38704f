"""One search session: two searches that alternate on one board, and what is known of each move.

One search deepens: it estimates every move to depth 1, 2, 3… and so always has an answer. The
other proves: from the deepening's value as its first guess it narrows the exact value with null
windows until nothing is left to prove.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from math import inf
from typing import Final

from mancala.protocol.rules import Board

from .. import book, kernels, knowledge
from ..kernels import state
from .reports import EngineOptions, Limit, MoveValue, Report
from .solver import Proof
from .worker import SLICE_NODES, RootSearch, Worker

DEEPEST: Final = 100
HELPER_NODES: Final = 2 * SLICE_NODES
"""Nodes of a helper's slice: it reads no clock, and between slices it takes the GIL."""
AHEAD: Final = (3, 2, 4)
"""Plies that helpers, in turn, look beyond what their leader has finished: what they leave in the
table then serves several of its iterations, and two helpers search different trees."""
ALONE_NODES: Final = 16_384
"""Nodes before helpers join a search that is short, or that its nodes limit: in less than about
20 ms a helper costs more than it brings, since two cores that share a memory are slower."""
LONG_S: Final = 0.05
"""A search of this time or more, or of no limit but depth, has helpers after its first slice."""
PROOF_DEPTH: Final = 6
"""Plies of the deepening before a proof begins with its order and its value as a guess."""
EXPECTED_SHARE: Final = 8.0
"""The same while an expected value is still to be proven."""
VERIFY_MARGIN: Final = 0.5
"""Seeds by which a second look has to disappoint before the next move gets one."""
PROOF_SHARES: Final = ((34, 8.0), (40, 1.0), (255, 0.25))
"""Most seeds in the pits, then the usual nodes for the proof by node of the deepening."""
NEAR_SEEDS: Final = 32
"""Up to this many seeds a proof takes milliseconds, and gets its whole share from the start."""
YOUNG_NODES: Final = 1 << 17
"""Up to this many nodes, deepening is worth more than a proof that may not end."""

LEAST_NODES: Final = 64
"""Least nodes of a slice before a deadline on a clock that the kernels cannot read."""
SLICE_SHARE: Final = 0.5
"""How much of the time left such a slice is expected to take."""
MOST_NODES: Final = 1 << 17
"""Most nodes of a slice, some 40 ms: Python looks after signals and reports between two."""
CLOCKS: Final = (time.monotonic, time.perf_counter, time.process_time, time.thread_time)
"""Clocks that the kernels read themselves where Python reads them by ``clock_gettime``."""
FOREVER_S: Final = 9e9
REPORT_S: Final = 0.002
"""A search with a limit of time reports at most this often: a report takes as long as 100 nodes."""
QUICK_S: Final = 0.02
"""A search of no more time reports once."""

Question = tuple[float, tuple[int, ...]]
"""What a proof begins with: the value that is asked for first, and the order of the moves."""


def _posix(clock: Callable[[], float]) -> int | None:
    """Return the number of a clock of POSIX; None for one that the kernels cannot read."""
    name = next((known.__name__ for known in CLOCKS if known is clock), None)
    if name is None:
        return None
    read_by = time.get_clock_info(name).implementation  # type: ignore[arg-type]  # one of CLOCKS
    number = read_by.removeprefix("clock_gettime(").removesuffix(")")
    return getattr(time, number, None)


class SearchSession:
    """One session at a time: the board, what is known of each move, and the searches under way.

    The tables of ``search`` are shared, the stacks are its own. ``leader`` is the session on
    another thread that this one helps; the nodes of ``helpers`` count here. ``question`` is what
    the proof began with; None before it did.
    """

    def __init__(
        self,
        search: state.Search,
        options: EngineOptions,
        clock: Callable[[], float],
        *,
        leader: SearchSession | None = None,
        number: int = 0,
    ) -> None:
        self._options = options
        self._clock = clock
        self._posix = _posix(clock)
        shares = options.threads > 1
        nodes = SLICE_NODES if leader is None else HELPER_NODES
        self._deepening = Worker(
            search, parameters=options.search, shares=shares, slice_nodes=nodes
        )
        self._proving = Worker(search, shares=shares, slice_nodes=nodes)
        self._moves = RootSearch(self._deepening, all_moves=options.all_moves)
        self._workers = (self._deepening, self._proving)
        self._leader = leader
        self._ahead = AHEAD[number % len(AHEAD)] - 1
        self.helpers: tuple[SearchSession, ...] = ()

    def open(self, board: Board, began: float) -> None:
        """Begin the session of a board that is not over, at a time on the clock."""
        self._board = board
        self._began = self._reported = began
        for worker in self._workers:
            worker.begin()
        self._moves.open(board)
        self._proof = Proof(board, self._proving, self._moves.bounds)
        self._expected: int | None = None
        self.question: Question | None = None
        search, seeds = self._options.search, board.in_play
        usual = next(share for most, share in PROOF_SHARES if seeds <= most)
        self._usual_share = self._early_share = usual * search.proof_share / 100
        if seeds > NEAR_SEEDS and not self._options.all_moves:
            self._early_share *= search.early_share / 100

    @property
    def depth(self) -> int:
        """The depth of the last iteration that was finished."""
        return self._moves.depth

    @property
    def proven(self) -> int | None:
        """What is proven for the mover, or expected from the proof of its last turn.

        None for a bound that the estimates promise more than: it holds, but a move that is known
        to keep it is not to be preferred for that.
        """
        value = self._proof.value
        if self._expected is not None:
            return max(value.low, min(self._expected, value.high))
        return value.low if value.exact or value.low >= max(self._estimates.values()) else None

    @property
    def _estimates(self) -> dict[int, float]:
        """The value found of each move; 0 stands for none."""
        return dict.fromkeys(self._moves.pits, 0.0) | self._moves.values

    def expect(self, value: int) -> None:
        """Ask first whether the mover still has what was proven on its last turn.

        That is a guess, as the board may be another game's. Where it is right, the proof is far
        shorter than that of the value, and a move that keeps what was won is found immediately.
        """
        self._expected = value
        self._rank_moves()

    def stop(self) -> None:
        """Stop both searches immediately; from any thread."""
        for worker in self._workers:
            worker.stop()

    @property
    def is_stopped(self) -> bool:
        return self._proving.is_stopped

    def consult(self, limit: Limit) -> bool:
        """Adopt what is known, or thought in the book; return whether it answers the question."""
        sure = knowledge.known(self._board)
        if sure is not None:
            self._proof.adopt(sure)
            self._rank_moves()
            if sure.best is not None:
                self._moves.prefer(sure.best, sure.value.low)
                return not self._options.all_moves
        entry = book.find(self._board)
        if entry is None or not entry.serves(limit.time_s):
            return False
        value = self._board.score(self._board.player) + entry.to_go
        self._moves.prefer(entry.pit, value)
        return not self._options.all_moves

    def goes_on(self, limit: Limit) -> bool:
        """Return whether the limits allow another slice, and bound it."""
        deepening = proving = left = SLICE_NODES
        is_late = False
        if limit.time_s is not None:
            spent = self._clock() - self._began
            is_late = spent >= limit.time_s
            if is_late or self._posix is None:
                deepening = proving = self._affordable(limit.time_s - spent, spent)
            elif not self.helpers or self.nodes >= ALONE_NODES:
                deepening, proving = self._turns()
        if limit.nodes is not None:
            left = limit.nodes - self.nodes
            deepening, proving = min(deepening, left), min(proving, left)
        if limit.nodes is not None or limit.time_s is not None:
            self._deepening.pause_after(max(deepening, 1))
            self._proving.pause_after(max(proving, 1))
        return left > 0 and not is_late

    def _affordable(self, left: float, spent: float) -> int:
        """Return the nodes of a slice, few near the deadline; twice as many while time stands."""
        done = sum(worker.nodes for worker in self._workers)
        nodes = int(SLICE_SHARE * left * done / spent) if spent > 0 else done
        return min(max(nodes, LEAST_NODES), SLICE_NODES)

    def _turns(self) -> tuple[int, int]:
        """Return the nodes until the proof is behind, and those that it is behind by."""
        share = self._share
        behind = int(share * self._deepening.nodes - self._proving.nodes)
        ahead = int(-behind / share) if share and self.depth >= PROOF_DEPTH else MOST_NODES
        return min(max(ahead, SLICE_NODES), MOST_NODES), min(max(behind, SLICE_NODES), MOST_NODES)

    def is_helped(self, limit: Limit) -> bool:
        """Return whether helpers join the search, if there are any."""
        is_short = limit.time_s is not None and limit.time_s < LONG_S
        return self.nodes >= (ALONE_NODES if is_short or limit.nodes is not None else SLICE_NODES)

    def is_due(self, limit: Limit) -> bool:
        """Return whether the last report is so old that news is worth another."""
        if limit.time_s is None:
            return True
        return limit.time_s > QUICK_S and self._clock() - self._reported >= REPORT_S

    def steps(self, limit: Limit) -> Iterator[bool]:
        """Alternate the searches; yield after each slice whether there is news to report."""
        if limit.time_s is not None and self._posix is not None:
            deadline = int(1e9 * min(self._began + limit.time_s, FOREVER_S))
            for worker in self._workers:
                worker.pause_from(self._posix, deadline)
        estimates = self._deepen(limit)
        if limit.depth is not None:
            yield from estimates
            if self._options.verify_plies:
                yield from self._verify()
            return
        proofs = self._prove()
        for estimate in estimates:
            yield estimate
            while self.depth >= PROOF_DEPTH and self._behind:
                try:
                    yield next(proofs)
                except StopIteration:
                    return
                self._rank_moves()
        yield from proofs

    def report(self) -> Report:
        """Return what is known so far."""
        values, moves, value = self._moves.values, self._proof.moves, self._proof.value
        ranked = []
        for pit in self._ranked(values):
            bounds, is_known = moves[pit], pit in values or moves[pit].exact
            worth = float(bounds.clamp(values.get(pit, 0.0))) if is_known else None
            ranked.append(MoveValue(pit, worth, bounds.exact))
        best = ranked[0]
        self._reported = self._clock()
        return Report(
            player=self._board.player,
            depth=self.depth,
            pit=best.pit,
            value=None if best.value is None else float(value.clamp(best.value)),
            exact=value.exact,
            pv=self.line_from(best.pit),
            nodes=self.nodes,
            seconds=self._reported - self._began,
            moves=tuple(ranked),
        )

    def line_from(self, pit: int) -> tuple[int, ...]:
        """Return the principal variation after a move, the move first."""
        return self._deepening.expected(self._board, pit)

    @property
    def nodes(self) -> int:
        """Positions whose sowings were generated, by this session and its helpers."""
        own = sum(worker.nodes for worker in self._workers)
        return own + sum(helper.nodes for helper in self.helpers)

    @property
    def _behind(self) -> bool:
        return self._proving.nodes < self._share * self._deepening.nodes

    @property
    def _share(self) -> float:
        """Nodes for the proof by node of the deepening: many where a proof is near."""
        if self._expected is not None:
            value = self._proof.value
            if value.low < self._expected <= value.high:
                return EXPECTED_SHARE
        is_young = self._deepening.nodes < YOUNG_NODES
        return self._early_share if is_young else self._usual_share

    def _ranks(self) -> dict[int, int]:
        """Return what moves are ordered by before their values: by proof, the lowest first.

        After the proven best those that keep the value that was expected, last those that a proof
        refutes.
        """
        value, expected = self._proof.value, inf if self._expected is None else self._expected
        proven = self._proof.best if value.exact else None
        return {
            pit: 4 * (pit != proven) + 2 * (each.high < value.low) + (each.low < expected)
            for pit, each in self._proof.moves.items()
        }

    def _ranked(self, values: dict[int, float]) -> list[int]:
        """Return the moves, the best first: by rank, the deepening's favourite, then by value."""
        ranks, best, moves = self._ranks(), self._moves.best, self._proof.moves

        def order(pit: int) -> tuple[int, bool, float]:
            return ranks[pit], pit != best, -moves[pit].clamp(values.get(pit, 0.0))

        return sorted(moves, key=order)

    def _deepen(self, limit: Limit) -> Iterator[bool]:
        """Search every move ever deeper: the best in full, the others against it.

        With a limit of time, many iterations are one call, and the proof looks in between.
        """
        deepest = limit.depth or DEEPEST
        while (known := self.depth) < deepest:
            for _ in self._iterations(deepest, at_once=limit.time_s is not None):
                yield self.depth > known
                known = self.depth
            yield True

    def _iterations(self, deepest: int, *, at_once: bool) -> Iterator[bool]:
        """Search to the next depth, or to many; a helper takes all but the best from the end."""
        if self._leader is not None:
            first, *others = self._ranked(self._moves.values)
            guess = None if self._options.all_moves or not self.depth else self._estimates[first]
            ahead = min(max(self.depth, self._leader.depth + self._ahead), deepest - 1)
            return self._moves.search([first, *reversed(others)], ahead, guess)
        last = self.depth + 1
        if at_once:
            last = deepest if self.depth >= PROOF_DEPTH else PROOF_DEPTH
        return self._moves.deepen(min(last, deepest))

    def _rank_moves(self) -> None:
        self._moves.rank(zip(self._ranks().values(), self._proof.moves.values(), strict=True))

    def _verify(self) -> Iterator[bool]:
        """Search past the end of the best move's line before committing to it.

        The secondary search of Strong, "The Minimax Algorithm", 2011, section 4: the leaf that a
        move owes its value to is searched on. A move that comes out worse than the next one's
        value, by more than a margin, has to compete with the next one, seen as far.
        """
        favourite, worth = self._moves.best, -inf
        for pit in self._ranked(self._moves.values):
            if self._estimates[pit] <= worth + VERIFY_MARGIN:
                break
            value = yield from self._second_look(pit)
            self._moves.prefer(pit, value)
            if value > worth:
                favourite, worth = pit, value
            self._moves.prefer(favourite, worth)
        yield True

    def _second_look(self, pit: int) -> Generator[bool, None, float]:
        """Value a move once more, at most what the leaf of its line is worth."""
        best, estimates = self._moves.best, self._estimates
        yield from self._moves.search([pit], self.depth - 1, estimates[pit])
        value = self._moves.values[pit]
        self._moves.prefer(best, estimates[best])
        me, leaf = self._board.player, self._leaf_after(pit)
        if leaf.is_over:
            return value
        window = -kernels.INFINITY, kernels.INFINITY
        found = yield from self._deepening.value(leaf, self._options.verify_plies, window)
        deeper = found / kernels.UNIT
        return min(value, deeper if leaf.player == me else -deeper)

    def _leaf_after(self, pit: int) -> Board:
        """Play a move's line out to where the deepening ended."""
        first, *line = self.line_from(pit)
        board, left = self._board.sow(first).board, self.depth - 1
        for reply in line:
            if left <= 0:
                break
            mover, board = board.player, board.sow(reply).board
            left -= self._options.search.again_cost if board.player == mover else 1
        return board

    def _first_question(self) -> Question:
        """Return where the proof begins; a helper asks its leader's question."""
        if self._leader is not None and self._leader.question is not None:
            return self._leader.question
        order = tuple(self._ranked(self._moves.values))
        return self._estimates[order[0]] if self._expected is None else self._expected, order

    def _prove(self) -> Iterator[bool]:
        """Prove the best move, then, where asked, what each other move is worth."""
        self.question = guess, order = self._first_question()
        yield from self._proof.prove_best(guess, order)
        yield True
        if self._options.all_moves:
            for pit in order:
                yield from self._proof.prove_move(pit, self._estimates[pit])
            yield True
