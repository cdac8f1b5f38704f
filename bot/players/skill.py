"""A level below the engine's as a player: an amateur in a thread of its own.

A thought takes a few milliseconds, so questions of several games wait for one another; a question
that waited has the less time left, and gets a glance at the least.
"""

from __future__ import annotations

import asyncio
import gc
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count

from bot.client.bot import Bot, GameResult, Turn
from bot.players.engine import info_of
from engine.reports import Limit
from engine.skill import SkillLevel, SkillPlayer
from protocol.player import Choice
from protocol.rules import Board


class AmateurPlayer(Bot):
    """An amateur as a player.

    Args:
        limit: what bounds a thought besides the level and the clock.
        grade: level, weights and seed; with the same seed its first game, its second and so on
            are the same again on the same boards.
    """

    def __init__(self, limit: Limit, grade: SkillLevel) -> None:
        self._limit = limit
        self._amateur = SkillPlayer(grade)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="amateur")
        self._numbers = count()
        self._games: dict[str, int] = {}

    async def warm_up(self) -> None:
        """Load the kernels, and exempt the compiler's objects from garbage collection."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._amateur.warm_up)
        gc.freeze()

    async def choose(self, turn: Turn) -> Choice:
        """Ask the amateur."""
        number = self._number(turn.game.id)
        until = time.monotonic() + turn.budget_s
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._choose, turn.board, until, number)

    def game_over(self, result: GameResult) -> None:
        """Forget the game's number."""
        self._games.pop(result.game, None)

    async def close(self) -> None:
        """Let the thread go."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _number(self, game: str) -> int:
        if game not in self._games:
            self._games[game] = next(self._numbers)
        return self._games[game]

    def _choose(self, board: Board, until: float, number: int) -> Choice:
        """Think, in the thread, with what the wait left of the budget."""
        limit = self._limit.within(until - time.monotonic())
        report = self._amateur.choose(board, limit, game=number)
        return Choice(report.pit, info_of(report))
