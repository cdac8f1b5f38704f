"""The engine: a board and a limit in, reports out, until the limit or a stop.

One search of one board is a :class:`mancala.engine.search.session.SearchSession`; here an engine
keeps its tables from one board to the next and runs the sessions. Their steps are generators over
resumable kernels, so that taking turns, obeying a limit and stopping are the same thing: the next
step is not taken.

**Lazy SMP.** Helper threads search the same board and share the transposition table. No work is
divided. Each helper deepens and proves by itself, on stacks of its own; the shared table hands its
results to the others. While deepening, helpers search a few plies deeper than the first thread and
start with other moves. While proving, the marks of the kernels (ABDADA) keep threads out of the
same subtree. The interleaving depends on the machine, so a search with helpers visits a different
number of nodes each time; its proven values are those of one thread.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from mancala.protocol.rules import KALAH, Board, Rules

from .. import kernel_cache, tablebase
from ..kernels import state
from . import warmup
from .reports import EngineOptions, Limit, MoveValue, Report
from .resources import EngineResources, tables_for
from .session import DEEPEST, QUICK_S, SearchSession
from .worker import HelperThreads

__all__ = [
    "DEEPEST",
    "Engine",
    "EngineOptions",
    "Limit",
    "MoveValue",
    "Report",
    "analyse",
    "tables_for",
]


USUAL_TIME_S: Final = 1.0
WARM_NODES: Final = 4096
"""Nodes of a search that calls every kernel, also for proofs; a kernel's first call loads it."""


class _Proven(NamedTuple):
    """What was proven: for which player of which rules, with how many seeds in the pits."""

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
        self, *, options: EngineOptions | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.options = options or EngineOptions()
        self._clock = clock
        self._held: tuple[Rules, int] | None = None
        self._proven: _Proven | None = None
        self._resources: EngineResources
        self._entries = state.entries(self.options.table_bits)
        self._busy = state.busy()
        self._tables: state.ExactTables | None = None
        self._sessions: tuple[SearchSession, ...] = ()
        self._threads = HelperThreads(())
        self._searches = 0
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
        if not kernel_cache.is_compiled():
            warmup.compile_ahead(compiling)
        self._session(rules, Board.start(rules).total)
        self._resources.complete(progress)
        tablebase.preload(self._resources.tables)
        start = Board.start(rules)
        self.analyse(start, Limit(nodes=1))  # what is known is read when it is first asked for
        for _ in self._reports(start, Limit(nodes=WARM_NODES), asks_book=False):
            pass
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
        iterator is exhausted or closed. Where another search has begun, it ends.

        Raises:
            ValueError: when the game is over.
        """
        return self._think(board, limit)

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
        expected = _after(board, line, 1 - board.player)
        yield from self._think(expected or board, limit, is_kept=False)

    def _think(self, board: Board, limit: Limit, *, is_kept: bool = True) -> Iterator[Report]:
        if not board.legal():
            raise ValueError(f"the game is over: {board.text}")
        self._stopped = False
        return self._reports(board, limit, is_kept=is_kept)

    def _reports(
        self, board: Board, limit: Limit, *, asks_book: bool = True, is_kept: bool = True
    ) -> Iterator[Report]:
        """Search; what is proven ``is_kept`` unless another search has begun meanwhile."""
        began = self._clock()
        self._searches += 1
        number = self._searches
        self._threads.end()
        session = self._session(board.rules, board.total)
        self._resources.complete_behind()
        owner, seeds = (board.rules, board.total, board.player), board.in_play
        for each in self._sessions:
            each.open(board, began)
            if self._proven is not None and self._proven.goes_on(owner, seeds):
                each.expect(self._proven.value)
        try:
            for report in self._searched(session, limit, asks_book=asks_book):
                yield report
                if number != self._searches:
                    return
        finally:
            if number == self._searches:
                self._threads.end()
                proven = session.proven
                if is_kept:
                    self._proven = None if proven is None else _Proven(owner, seeds, proven)

    def _searched(
        self, session: SearchSession, limit: Limit, *, asks_book: bool
    ) -> Iterator[Report]:
        done = asks_book and self.options.book and limit.depth is None and session.consult(limit)
        if done or limit.time_s is None or limit.time_s > QUICK_S:
            yield session.report()
        if done:
            return
        is_current, depth_alone = session.goes_on(limit), Limit(depth=limit.depth)
        for is_news in session.steps(limit):
            ended = self._stopped or not session.goes_on(limit)
            is_current = is_news and not ended and session.is_due(limit)
            if is_current:
                yield session.report()
            if ended:
                break
            if session.is_helped(limit):
                self._threads.start(each.steps(depth_alone) for each in session.helpers)
        if not is_current:
            yield session.report()

    def _session(self, rules: Rules, total: int) -> SearchSession:
        """Return a session; entries hold for one rule set, under majority for one total."""
        held = (rules, total if rules.majority else 0)
        if held != self._held:
            if self._held is not None:
                self._entries[:] = 0
            self._held, self._tables = held, None
            self._resources = EngineResources(
                rules,
                weights=self.options.weights,
                cache=self.options.cache,
                seeds=self.options.tables,
            )
        self._resources.leave_cut_file()
        tables = self._resources.tables
        if tables is not self._tables:
            search = state.Search(
                variant=self._resources.variant,
                entries=self._entries,
                bits=self.options.table_bits,
                tables=tables,
                weights=self._resources.weights,
                busy=self._busy,
                stack=state.stack(),
            )
            session = SearchSession(search, self.options, self._clock)
            session.helpers = tuple(
                SearchSession(search, self.options, self._clock, leader=session, number=number)
                for number in range(self.options.threads - 1)
            )
            self._sessions, self._tables = (session, *session.helpers), tables
            self._threads = HelperThreads(session.helpers)
        return self._sessions[0]


def with_lines(report: Report, engine: Engine, count: int) -> Report:
    """Return an engine's last report with the expected lines of its best moves."""
    lines = {move.pit: engine.line_from(move.pit) for move in report.moves[:count]}
    return replace(report, lines=lines)


def analyse(  # noqa: PLR0913  # each is an option of the call
    board: Board | str,
    *,
    time: float | None = None,
    depth: int | None = None,
    nodes: int | None = None,
    exact: bool = False,
    moves: int = 1,
    tables: int | None = None,
    engine: Engine | None = None,
) -> Report:
    """Search a board and return the last report; its values are the mover's.

    Args:
        board: not over; a text is one of the usual rules.
        time: seconds; 1 when no limit is given. Loading or compiling the engine does not count.
        depth: plies of the deepening.
        nodes: positions whose sowings are generated.
        exact: search until the value is proven, unless a limit is given.
        moves: the number of moves that get an expected line; with more than one, all are valued.
        tables: seeds that the endgame tables reach; None for the largest there are. An ``engine``
            that is given keeps its own.
        engine: which engine searches; None for a new one, warmed up outside the limit.

    Raises:
        ValueError: when the game is over, or the time is no number.
    """
    if isinstance(board, str):
        board = Board.from_text(board)
    if time is None and depth is None and nodes is None and not exact:
        time = USUAL_TIME_S
    if engine is None:
        engine = Engine(options=EngineOptions(all_moves=moves > 1, tables=tables))
        engine.warm_up(board.rules)
    return with_lines(
        engine.analyse(board, Limit(time_s=time, depth=depth, nodes=nodes)), engine, moves
    )


analyze = analyse
"""The same, spelt as the command is."""
