"""The engine as a player: it thinks in worker threads, and the event loop never waits for it.

The kernels release the GIL. Each of its reports becomes a provisional move; it stops by
itself at the budget, and is stopped when the question is closed. An abandoned search is not
waited for: its engine goes back to the pool once its thread is done, which takes a few ms.

With ``ponder`` the engine that gave the answer thinks on, about what it expects to be asked next.
It is lent out for that as for a question, so that no engine ever has two thoughts at once; and any
question, of whichever game, ends it first.
"""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final

from bot.client.bot import Bot, GameResult, Turn
from bot.players.pool import Pool
from engine.search import Engine, EngineOptions, Limit, Report
from protocol.messages import Info
from protocol.player import Choice
from protocol.rules import Board

MOST_ENGINES: Final = os.cpu_count() or 1
STOPPING_S: Final = 0.002
"""How soon an engine has to end after its time; beyond that it isn't waited for."""
PONDER_STOPPING_S: Final = 0.005
"""How long a question waits for the engine that ponders, before it takes another."""
LONGEST_PONDER_S: Final = 60.0
"""An opponent who is gone keeps no core busy for ever."""


class EnginePlayer(Bot):
    """The engine as a player.

    Args:
        limit: what bounds a thought besides the clock.
        options: how the engines are built.
    """

    def __init__(self, limit: Limit, options: EngineOptions) -> None:
        self._limit = limit
        self._ponders = bool(options.ponder)
        self._pondering: _Pondering | None = None
        self._asked = 0
        self._engines = Pool(lambda: Engine(options=options), MOST_ENGINES)
        self._threads = ThreadPoolExecutor(MOST_ENGINES, thread_name_prefix="engine")

    async def warm_up(self) -> None:
        """Load the kernels and tables, so that no clock has to pay for it.

        The compiler's objects are then exempted from garbage collection: going through all of
        them took 120 ms, with every thread standing still, in the middle of somebody's move.
        """
        engine = await self._engines.take()
        await asyncio.get_running_loop().run_in_executor(self._threads, engine.warm_up)
        self._engines.give(engine)
        gc.freeze()

    async def choose(self, turn: Turn) -> Choice:
        """Search until the budget is spent or the engine is sure.

        The clock comes first: an engine that is late, or none being free, costs the quality of
        the move and not the game.
        """
        thought = _Thought(turn, self._limit)
        self._asked += 1
        try:
            async with asyncio.timeout(turn.budget_s + STOPPING_S):
                await self._end_pondering()
                await self._think(thought)
        except TimeoutError:
            return thought.best
        finally:
            self._asked -= 1
        if self._ponders and not self._asked:
            await self._ponder(turn, thought.best)
        return thought.best

    def game_over(self, result: GameResult) -> None:  # noqa: ARG002  # whichever it is
        """Ponder no more."""
        if self._pondering is not None:
            self._pondering.stop()

    async def _think(self, thought: _Thought) -> None:
        engine = await self._engines.take()
        future = asyncio.get_running_loop().run_in_executor(self._threads, thought.run, engine)
        future.add_done_callback(lambda _: self._engines.give(engine))
        try:
            await asyncio.shield(future)
        except asyncio.CancelledError:
            thought.abandon()
            engine.stop()
            raise

    async def _ponder(self, turn: Turn, answer: Choice) -> None:
        """Think on while the other side does; an engine is free, as nobody else is asking."""
        board = turn.board.sow(answer.pit).board
        if board.is_over or board.player == turn.board.player:
            return
        line = answer.info.pv[1:] if answer.info is not None and answer.info.pv else ()
        engine = await self._engines.take()
        self._pondering = _Pondering(engine, board, line, self._threads)
        self._pondering.done.add_done_callback(lambda _: self._engines.give(engine))

    async def _end_pondering(self) -> None:
        pondering, self._pondering = self._pondering, None
        if pondering is not None:
            pondering.stop()
            await asyncio.wait([pondering.done], timeout=PONDER_STOPPING_S)

    async def close(self) -> None:
        """Stop every search."""
        if self._pondering is not None:
            self._pondering.stop()
        for engine in self._engines.made:
            engine.stop()
        self._threads.shutdown(wait=False, cancel_futures=True)


class _Thought:
    """One search in a worker thread.

    Attributes:
        best: the best answer so far.
    """

    def __init__(self, turn: Turn, limit: Limit) -> None:
        self.best = Choice(turn.legal[0])
        self._turn = turn
        self._limit = limit.within(turn.budget_s).to_choose_on(turn.board)
        self._loop = asyncio.get_running_loop()
        self._is_abandoned = threading.Event()

    def abandon(self) -> None:
        """Take no more reports; nobody waits for them."""
        self._is_abandoned.set()

    def run(self, engine: Engine) -> None:
        """Search to the end; in the worker thread."""
        for report in engine.think(self._turn.board, self._limit):
            if self._is_abandoned.is_set():
                return
            self.best = Choice(report.pit, info_of(report))
            self._loop.call_soon_threadsafe(self._turn.offer, *self.best)


class _Pondering:
    """One search on the other side's time, in a worker thread.

    Attributes:
        done: done once the engine is free.
    """

    def __init__(
        self, engine: Engine, board: Board, line: tuple[int, ...], threads: ThreadPoolExecutor
    ) -> None:
        self._engine = engine
        self._is_over = threading.Event()
        loop = asyncio.get_running_loop()
        self.done = loop.run_in_executor(threads, self._run, board, line)

    def stop(self) -> None:
        """End it, at once."""
        self._is_over.set()
        self._engine.stop()

    def _run(self, board: Board, line: tuple[int, ...]) -> None:
        limit = Limit(time_s=LONGEST_PONDER_S)
        with suppress(RecursionError):  # a game that outgrows the stack costs no move here
            for _ in self._engine.ponder(board, line, limit):
                if self._is_over.is_set():
                    return


def info_of(report: Report) -> Info:
    """Say on the wire what the engine reports."""
    return Info(
        depth=report.depth,
        value=report.value,
        exact=report.exact,
        nodes=report.nodes,
        nps=round(report.nodes / report.seconds) if report.seconds else None,
        seconds=round(report.seconds, 6),
        pv=report.pv,
    )
