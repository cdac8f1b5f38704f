"""The engine as a player: it thinks in worker threads, and the event loop never waits for it.

The kernels release the GIL. Each of its reports becomes a provisional move; it stops by
itself at the budget, and is stopped when the question is closed. An abandoned search is not
waited for: its engine goes back to the pool once its thread is done, which takes a few ms.
"""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import Final

from bot.player import Bot, Choice, Turn
from bot.pool import Pool
from engine.search import Engine, EngineOptions, Limit, Report
from protocol.messages import Info

MOST_ENGINES: Final = os.cpu_count() or 1
STOPPING_S: Final = 0.002
"""How soon an engine has to end after its time; beyond that it isn't waited for."""


class EnginePlayer(Bot):
    """The engine as a player.

    Args:
        limit: what bounds a thought besides the clock.
        options: how the engines are built.
    """

    def __init__(self, limit: Limit, options: EngineOptions) -> None:
        self._limit = limit
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
        with suppress(TimeoutError):
            async with asyncio.timeout(turn.budget_s + STOPPING_S):
                await self._think(thought)
        return thought.best

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

    async def close(self) -> None:
        """Stop every search."""
        for engine in self._engines.made:
            engine.stop()
        self._threads.shutdown(wait=False, cancel_futures=True)


class _Thought:
    """One search in a worker thread.

    Attributes:
        best: the best answer so far.
    """

    def __init__(self, turn: Turn, limit: Limit) -> None:
        time_s = turn.budget_s if limit.time_s is None else min(turn.budget_s, limit.time_s)
        self.best = Choice(turn.legal[0])
        self._turn = turn
        self._limit = replace(limit, time_s=time_s)
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
