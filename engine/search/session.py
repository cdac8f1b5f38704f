"""One search session: two searches that alternate on one board, and what is known of each move.

One search deepens: it estimates every move to depth 1, 2, 3… and so always has an answer. The
other proves: from the deepening's value as its first guess it narrows the exact value with null
windows until nothing is left to prove.
"""

from __future__ import annotations

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
AHEAD: Final = 4
"""Plies that a helper looks beyond what its leader has finished: what it leaves in the table then
serves several of the leader's iterations."""
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

SLICE_SHARE: Final = 0.5
"""Share of the time left that a slice may take at the mean speed so far: near the deadline slices
become short."""
SURE_NODES: Final = 256
"""Nodes from which on a search's own speed is believed; before that, it is the last search's."""
LEAST_NODES: Final = 32
"""Nodes of the shortest slice, tens of microseconds."""
REPORT_S: Final = 0.002
"""A search with a limit of time reports at most this often: a report takes as long as 100 nodes."""

Question = tuple[float, tuple[int, ...]]
"""What a proof begins with: the value that is asked for first, and the order of the moves."""


class SearchSpeed:
    """The nodes a second of an engine's searches, which bound slices near a deadline.

    A search begins with the speed of the last one: with none, its first slices would take tens of
    microseconds, and as much again between them.
    """

    def __init__(self) -> None:
        self._nodes_s = 0.0
        self._since = 0.0

    def begin(self, now: float) -> None:
        """Begin a search."""
        self._since = now

    def after(self, nodes: int, now: float) -> float:
        """Return nodes a second, of a search that has had some; 0 while nothing is known."""
        if nodes >= SURE_NODES and now > self._since:
            self._nodes_s = nodes / (now - self._since)
        return self._nodes_s


class SearchSession:
    """One session: the board, what is known of each move, and the searches under way.

    The tables of ``search`` are shared, the stacks are its own or those of an earlier session that
    has ended. ``leader`` is the session on another thread that this one helps; the nodes of
    ``helpers`` count here, and ``speed`` may be that of earlier sessions. ``depth`` is of the last
    iteration that was finished, ``question`` what the proof began with; None before it did.
    """

    def __init__(
        self,
        search: state.Search,
        options: EngineOptions,
        board: Board,
        clock: Callable[[], float],
        *,
        leader: SearchSession | None = None,
        stacks: tuple[state.Stack, state.Stack] | None = None,
    ) -> None:
        self._board = board
        self._options = options
        self._clock = clock
        self._began = clock()
        shares = options.threads > 1
        nodes = SLICE_NODES if leader is None else HELPER_NODES
        first, second = stacks or (None, None)
        self._deepening = Worker(
            search, parameters=options.search, shares=shares, slice_nodes=nodes, stack=first
        )
        self._proving = Worker(search, shares=shares, slice_nodes=nodes, stack=second)
        self._reported = self._began
        self._moves = RootSearch(self._deepening, board)
        self._proving.share_boards(self._deepening)
        self._proof = Proof(board, self._proving)
        self._estimates = dict.fromkeys(board.legal(), 0.0)
        self._valued: set[int] = set()
        self._favourite = board.legal()[0]
        self.depth = 0
        self._expected: int | None = None
        self._workers = (self._deepening, self._proving)
        self._leader = leader
        self.helpers: tuple[SearchSession, ...] = ()
        self.speed = SearchSpeed()
        self.question: Question | None = None

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

    def expect(self, value: int) -> None:
        """Ask first whether the mover still has what was proven on its last turn.

        That is a guess, as the board may be another game's. Where it is right, the proof is far
        shorter than that of the value, and a move that keeps what was won is found immediately.
        """
        self._expected = value

    def stop(self) -> None:
        """Stop both searches immediately; from any thread."""
        for worker in self._workers:
            worker.stop()

    @property
    def is_stopped(self) -> bool:
        """Whether `stop` was called."""
        return self._proving.is_stopped

    def consult(self, limit: Limit) -> bool:
        """Adopt what is known, or thought in the book; return whether it answers the question."""
        sure = knowledge.known(self._board)
        if sure is not None:
            self._proof.adopt(sure)
            if sure.best is not None:
                self._favourite = sure.best
                self._estimate(sure.best, sure.value.low)
                return not self._options.all_moves
        entry = book.find(self._board)
        if entry is None or not entry.serves(limit.time_s):
            return False
        value = self._board.score(self._board.player) + entry.to_go
        self._favourite = entry.pit
        self._estimate(entry.pit, value)
        return not self._options.all_moves

    def goes_on(self, limit: Limit) -> bool:
        """Return whether the limits allow another slice; near a deadline, make it short."""
        nodes = SLICE_NODES
        if limit.nodes is not None:
            nodes = min(nodes, limit.nodes - self.nodes)
        if limit.time_s is not None:
            nodes = min(nodes, self._affordable(limit.time_s))
        if limit.nodes is not None or limit.time_s is not None:
            for worker in self._workers:
                worker.pause_after(max(nodes, 1))
        return nodes > 0

    def _affordable(self, time_s: float) -> int:
        """Return the nodes of the next slice, few near the deadline; 0 after it."""
        now = self._clock()
        left = time_s - (now - self._began)
        if left <= 0:
            return 0
        done = sum(worker.nodes for worker in self._workers)
        return max(int(SLICE_SHARE * left * self.speed.after(done, now)), LEAST_NODES)

    def is_due(self, limit: Limit) -> bool:
        """Return whether the last report is so old that news is worth another."""
        return limit.time_s is None or self._clock() - self._reported >= REPORT_S

    def steps(self, limit: Limit) -> Iterator[bool]:
        """Alternate the searches; yield after each slice whether there is news to report."""
        self.speed.begin(self._clock())
        estimates = self._deepen(limit.depth or DEEPEST)
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
        yield from proofs

    def report(self) -> Report:
        """Return what is known so far."""
        ranked = [self._move(pit) for pit in self._ranked()]
        best, value = ranked[0], self._proof.value
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
        seeds = self._board.in_play
        usual = next(share for most, share in PROOF_SHARES if seeds <= most)
        share = usual * self._options.search.proof_share / 100
        if seeds <= NEAR_SEEDS or self._options.all_moves or self._deepening.nodes >= YOUNG_NODES:
            return share
        return share * self._options.search.early_share / 100

    def _move(self, pit: int) -> MoveValue:
        is_known = pit in self._valued or self._proof.moves[pit].exact
        return MoveValue(pit, self._worth(pit) if is_known else None, self._proof.moves[pit].exact)

    def _worth(self, pit: int) -> float:
        """Return the estimate of a move within its proven bounds; 0 stands for no estimate."""
        return float(self._proof.moves[pit].clamp(self._estimates[pit]))

    def _estimate(self, pit: int, value: float) -> None:
        self._estimates[pit] = value
        self._valued.add(pit)

    def _ranked(self) -> list[int]:
        """Return the moves, the best first.

        By proof; else what keeps the value that was expected; else the favourite of the
        deepening; else by estimate.
        """
        proven = self._proof.best
        low = self._proof.value.low
        expected = self._expected

        def rank(pit: int) -> tuple[bool, bool, bool, bool, float]:
            bounds = self._proof.moves[pit]
            keeps = expected is not None and bounds.low >= expected
            is_other = pit != self._favourite
            return pit != proven, bounds.high < low, not keeps, is_other, -self._worth(pit)

        return sorted(self._estimates, key=rank)

    def _deepen(self, deepest: int) -> Iterator[bool]:
        while self.depth < deepest:
            depth = min(self._next_depth, deepest)
            yield from self._iterate(depth)
            self.depth = depth
            yield True

    @property
    def _next_depth(self) -> int:
        """One ply more; a helper searches ahead of its leader."""
        own = self.depth + 1
        return own if self._leader is None else max(own, self._leader.depth + AHEAD)

    def _iterate(self, depth: int) -> Iterator[bool]:
        """Search every move to a depth: the first in full, the others against it."""
        order = self._ordered()
        guess = None if self._options.all_moves or not self.depth else self._estimates[order[0]]
        for _ in self._moves.search(order, depth - 1, guess):
            self._adopt()
            yield False
        self._adopt()

    def _adopt(self) -> None:
        for pit, value in self._moves.values.items():
            self._estimate(pit, value)
        if self._moves.best is not None:
            self._favourite = self._moves.best

    def _ordered(self) -> list[int]:
        """Return the moves as they are searched; a helper takes all but the best from the end."""
        first, *others = self._ranked()
        return [first, *(others if self._leader is None else reversed(others))]

    def _verify(self) -> Iterator[bool]:
        """Search past the end of the best move's line before committing to it.

        The secondary search of Strong, "The Minimax Algorithm", 2011, section 4: the leaf that a
        move owes its value to is searched on. A move that comes out worse than the next one's
        value, by more than a margin, has to compete with the next one, seen as far.
        """
        worth = -inf
        for pit in self._ranked():
            if self._estimates[pit] <= worth + VERIFY_MARGIN:
                break
            value = yield from self._second_look(pit)
            self._estimate(pit, value)
            if self._estimates[pit] > worth:
                worth = self._estimates[pit]
                self._favourite = pit
        yield True

    def _second_look(self, pit: int) -> Generator[bool, None, float]:
        """Value a move once more, at most what the leaf of its line is worth."""
        yield from self._moves.search([pit], self.depth - 1, self._estimates[pit])
        value = self._moves.values[pit]
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
        order = tuple(self._ranked())
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
