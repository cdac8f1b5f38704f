"""The engine: a board and a limit in, reports out, until the limit or a stop.

One search of one board is a :class:`mancala.engine.search.session.SearchSession`; here an engine
keeps its tables from one board to the next and runs the sessions. Their steps are generators over
resumable kernels, so that taking turns, obeying a limit and stopping are the same thing: the next
step is not taken.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from mancala.protocol.rules import KALAH, Board, Rules

from .. import tablebase
from ..kernels import state
from . import warmup
from .reports import EngineOptions, Limit, MoveValue, Report
from .resources import EngineResources, tables_for
from .session import DEEPEST, SearchSession
from .smp import ALONE_NODES, HelperThreads

__all__ = [
    "DEEPEST",
    "Engine",
    "EngineOptions",
    "Limit",
    "MoveValue",
    "Report",
    "tables_for",
]


class _Proven(NamedTuple):
    """What was proven for a player: for whom, with how many seeds in the pits, and the value."""

    owner: tuple[Rules, int, int]
    seeds: int
    value: int

    def goes_on(self, owner: tuple[Rules, int, int], seeds: int) -> bool:
        """Return whether a board may come later in the same game."""
        return self.owner == owner and seeds <= self.seeds


def _after(board: Board, line: Sequence[int], player: int) -> Board | None:
    """Return the board where a player is to move next; None where line or game end before."""
    for pit in line:
        board = board.sow(pit).board
        if board.is_over:
            return None
        if board.player == player:
            return board
    return None


class Engine:
    """A searching player; one search at a time, stopped from any thread.

    Args:
        options: see :class:`EngineOptions`.
        clock: returns seconds, monotonic; the only time the engine reads.
    """

    def __init__(
        self,
        *,
        options: EngineOptions | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.options = options or EngineOptions()
        self._clock = clock
        self._held: tuple[Rules, int] | None = None
        self._proven: _Proven | None = None
        self._resources: EngineResources
        self._entries = state.entries(self.options.table_bits)
        self._stacks = (state.stack(), state.stack())
        self._busy = state.busy()
        self._sessions: tuple[SearchSession, ...] = ()
        self._stopped = False

    def warm_up(
        self,
        rules: Rules = KALAH,
        *,
        progress: tablebase.Progress | None = None,
        compiling: warmup.Progress | None = None,
    ) -> None:
        """Compile or load every kernel, and load or build the endgame tables of these rules.

        Args:
            rules: what will be played.
            progress: called with positions done and in all while tables are built.
            compiling: called for each kernel while they are compiled; not when they are cached.
        """
        if not warmup.is_compiled():
            warmup.compile_ahead(compiling)
        self._search(rules, Board.start(rules).total)
        self._resources.complete(progress)
        tablebase.preload(self._resources.tables)
        for limit in (Limit(depth=2), Limit(nodes=1)):
            self.analyse(Board.start(rules), limit)
        self.forget()  # also touches the table's memory, so that the first search need not

    def forget(self) -> None:
        """Clear the transposition table and what was proven, so that later searches repeat."""
        self._entries[:] = 0
        self._proven = None

    def look_for_tables(self) -> None:
        """Look now and then, in the background, for endgame tables that were finished meanwhile.

        Later searches use them. Without ``options.tables`` alone: those that were chosen stay.
        """
        if self._held is not None:
            self._resources.look_behind()

    def stop(self) -> None:
        """Stop the running search, from any thread; its best report so far is its last."""
        self._stopped = True
        for session in self._sessions:
            session.stop()

    def think(self, board: Board, limit: Limit) -> Iterator[Report]:
        """Search a board; each report is based on more nodes than the one before.

        Yields at least one report, with a legal move, however early it is stopped. Between two
        reports nothing is searched, except with ``options.threads``: helpers search until the
        iterator is exhausted or closed.

        Raises:
            ValueError: when the game is over.
        """
        legal = board.legal()
        if not legal:
            raise ValueError(f"the game is over: {board.text}")
        self._stopped = False
        return self._reports(board, limit)

    def analyse(self, board: Board, limit: Limit) -> Report:
        """Search a board until the limit; return the last report.

        Raises:
            ValueError: when the game is over.
        """
        *_, last = self.think(board, limit)
        return last

    def line_from(self, pit: int) -> tuple[int, ...]:
        """Return the principal variation of one of the last search's moves, the move first."""
        return self._sessions[0].line_from(pit)

    def ponder(self, board: Board, line: Sequence[int], limit: Limit) -> Iterator[Report]:
        """Search while the other side is to move, so that the next search finds the table warm.

        The board after the expected reply is searched; where the line does not reach that far, the
        other side's own board. What was proven for the mover is kept.

        Args:
            board: the other side's, not over.
            line: what it is expected to sow, and what may follow.
            limit: bounds the search, besides a stop.
        """
        proven, waiting = self._proven, 1 - board.player
        expected = _after(board, line, waiting)
        try:
            yield from self.think(expected or board, limit)
        finally:
            self._proven = proven

    def _reports(self, board: Board, limit: Limit) -> Iterator[Report]:
        search = self._search(board.rules, board.total)
        self._resources.complete_behind()
        owner, seeds = (board.rules, board.total, board.player), board.in_play
        session, *helpers = self._sessions = self._assemble(search, board)
        if self._proven is not None and self._proven.goes_on(owner, seeds):
            for each in self._sessions:
                each.expect(self._proven.value)
        done = self.options.book and limit.depth is None and session.consult(limit)
        yield session.report()
        threads = HelperThreads(helpers)
        try:
            if not done:
                yield from self._until(session, limit, threads)
        finally:
            threads.end()
            proven = session.proven
            self._proven = None if proven is None else _Proven(owner, seeds, proven)

    def _assemble(self, search: state.Search, board: Board) -> tuple[SearchSession, ...]:
        """Return a session and those of its helpers, the session first."""
        leader = SearchSession(search, self.options, board, self._clock, stacks=self._stacks)
        leader.helpers = tuple(
            SearchSession(search, self.options, board, self._clock, leader=leader)
            for _ in range(self.options.threads - 1)
        )
        return leader, *leader.helpers

    def _until(
        self, session: SearchSession, limit: Limit, threads: HelperThreads
    ) -> Iterator[Report]:
        is_current = session.goes_on(limit)
        for is_news in session.steps(limit):
            ended = self._stopped or not session.goes_on(limit)
            is_current = is_news and not ended and session.is_due(limit)
            if is_current:
                yield session.report()
            if ended:
                break
            if session.nodes >= ALONE_NODES:
                threads.start(limit)
        if not is_current:
            yield session.report()

    def _search(self, rules: Rules, total: int) -> state.Search:
        """Return the search state; entries hold for one rule set, under majority for one total."""
        held = (rules, total if rules.majority else 0)
        if held != self._held:
            if self._held is not None:
                self._entries[:] = 0
            self._held = held
            self._resources = EngineResources(
                rules,
                weights=self.options.weights,
                cache=self.options.cache,
                seeds=self.options.tables,
            )
        return state.Search(
            variant=self._resources.variant,
            entries=self._entries,
            bits=self.options.table_bits,
            tables=self._resources.tables,
            weights=self._resources.weights,
            busy=self._busy,
            stack=self._stacks[0],
        )
