"""The asyncio host: any `Player` as a `Bot`, thinking in threads beside the event loop.

A player answers one question at a time. One that keeps state of its game (`Player.anytime` is
false) is made for each game, so its questions wait for each other. An anytime player is lent from
a pool to whichever game asks, and the clock comes first: when the budget is spent, its last offer
is played, or the first legal pit if there is none.

When a question is closed, its player is asked to stop and is not waited for; it becomes free once
its thread is done. A player that ponders thinks on about the opponent's reply after it answered.
It is lent out for that as for a question, so it never thinks about two boards at the same time;
any question, of any game, ends the pondering first.
"""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import time
from collections.abc import AsyncIterator, Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from itertools import count
from typing import Final, Generic, TypeVar

from mancala.protocol import pie
from mancala.protocol.player import Budget, Choice, Player
from mancala.protocol.rules import Board

from ..client.bot import Bot, Game, GameResult, Turn

T = TypeVar("T")
MOST_THREADS: Final = os.cpu_count() or 1
STOPPING_S: Final = 0.002
"""How long after its budget an anytime player is waited for."""
PONDER_STOPPING_S: Final = 0.005
"""How long a question waits for the player that ponders, before it takes another."""
PACE_SHARE: Final = 0.5
"""The part of a move's budget that may be waited so that people can follow."""
LONGEST_PONDER_S: Final = 60.0
"""An opponent who has left keeps no core busy for longer."""


class PlayerBot(Bot):
    """A player as a bot, made anew by ``make``; each game has the next number as its seed."""

    swaps = True  # by the values that its players report

    def __init__(self, make: Callable[[], Player], *, first_seed: int = 0) -> None:
        first = make()
        self.anytime = first.anytime
        self._ponders = first.ponders
        self._make = make
        self._spare = [first]
        self._seeds = count(first_seed)
        self._shared = Pool(self._another, MOST_THREADS)
        self._games: dict[str, Pool[Player]] = {}
        self._threads = ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="player")
        self._pondering: _Pondering | None = None
        self._asked = 0

    async def warm_up(self) -> None:
        """Warm a player up: it loads what it needs, so that no clock runs meanwhile.

        The objects made so far, the compiler's among them, are then exempted from garbage
        collection: going through them stopped every thread for 120 ms in the middle of a move.
        """
        player = self._another()
        await asyncio.get_running_loop().run_in_executor(self._threads, player.warm_up)
        self._spare.append(player)
        gc.freeze()

    async def choose(self, turn: Turn) -> Choice:
        """Ask a player, and play its last offer if it is an anytime player and time is up."""
        question = _TurnQuestion(turn)
        self._asked += 1
        try:
            async with asyncio.timeout(turn.budget_s + STOPPING_S if self.anytime else None):
                await self._end_pondering()
                choice = await self._ask(question)
        except TimeoutError:
            if not self.anytime:
                raise
            choice = question.best
        finally:
            self._asked -= 1
        if self._ponders and not self._asked:
            await self._ponder(turn, choice)
        return choice

    def game_over(self, result: GameResult) -> None:
        """End the pondering, and free the game's player."""
        if self._pondering is not None:
            self._pondering.stop()
        if pool := self._games.pop(result.game, None):
            self._spare += pool.take_free()

    async def close(self) -> None:
        """Stop every player; those that think now end with their thread."""
        if self._pondering is not None:
            self._pondering.stop()
        for pool in (self._shared, *self._games.values()):
            for player in pool.take_free():
                player.close()
            for player in pool.made:
                player.stop()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _ask(self, question: _TurnQuestion) -> Choice:
        pool = self._pool(question.turn.game.id)
        player = await pool.take()
        future = asyncio.get_running_loop().run_in_executor(self._threads, question.put_to, player)
        future.add_done_callback(lambda _: pool.give(player))
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            question.cancel()
            player.stop()
            raise

    def _pool(self, game: str) -> Pool[Player]:
        if self.anytime:
            return self._shared
        if game not in self._games:
            seed = next(self._seeds)
            self._games[game] = Pool(lambda: self._another(seed), 1)
        return self._games[game]

    def _another(self, seed: int | None = None) -> Player:
        player = self._spare.pop() if self._spare else self._make()
        if seed is not None:
            player.new_game(seed)
        return player

    async def _ponder(self, turn: Turn, answer: Choice) -> None:
        """Start to think on the opponent's time; a player is free, as no question is open."""
        board = turn.board.sow(answer.pit).board
        if board.is_over or board.player == turn.board.player or board.rules.opens:
            return
        pv = answer.info.pv[1:] if answer.info is not None and answer.info.pv else ()
        pool = self._pool(turn.game.id)
        player = await pool.take()
        self._pondering = _Pondering(player, board, pv, self._threads)
        self._pondering.done.add_done_callback(lambda _: pool.give(player))

    async def _end_pondering(self) -> None:
        pondering, self._pondering = self._pondering, None
        if pondering is not None:
            pondering.stop()
            await asyncio.wait([pondering.done], timeout=PONDER_STOPPING_S)


class _TurnQuestion:
    """One question, answered in a worker thread; ``best`` is what was offered last."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.best = Choice(turn.legal[0])
        self._until = time.monotonic() + turn.budget_s
        self._late = self._until - turn.budget_s + turn.deadline_s
        self._loop = asyncio.get_running_loop()
        self._is_cancelled = threading.Event()

    def cancel(self) -> None:
        """Take no more offers, and let the player know that its answer is not wanted."""
        self._is_cancelled.set()

    def put_to(self, player: Player) -> Choice:
        """Ask the player with the time that is left; in a worker thread."""
        now = time.monotonic()
        budget = Budget(
            time_s=self._until - now,
            deadline_s=self._late - now,
            offer=self._take_offer,
            is_cancelled=self._is_cancelled.is_set,
        )
        if self._is_cancelled.is_set():
            return self.best
        return pie.choose(player, self.turn.board, budget)

    def _take_offer(self, choice: Choice) -> None:
        if not self._is_cancelled.is_set():
            self.best = choice
            self._loop.call_soon_threadsafe(self.turn.offer, *choice)


class _Pondering:
    """One search on the opponent's time, in a worker thread; ``done`` once the player is free."""

    def __init__(
        self, player: Player, board: Board, pv: tuple[int, ...], threads: ThreadPoolExecutor
    ) -> None:
        self._player = player
        self._is_over = threading.Event()
        budget = Budget(time_s=LONGEST_PONDER_S, is_cancelled=self._is_over.is_set)
        loop = asyncio.get_running_loop()
        self.done = loop.run_in_executor(threads, player.ponder, board, pv, budget)

    def stop(self) -> None:
        """End it within milliseconds."""
        self._is_over.set()
        self._player.stop()


class Pool(Generic[T]):
    """At most ``most`` things, each for one question at a time: made when needed, then reused."""

    def __init__(self, make: Callable[[], T], most: int) -> None:
        self.made: list[T] = []
        self._make = make
        self._most = most
        self._free: asyncio.LifoQueue[T] = asyncio.LifoQueue()

    async def take(self) -> T:
        """Return a free one, or make one; it is handed back with `give`."""
        if self._free.empty() and len(self.made) < self._most:
            self.made.append(self._make())
            return self.made[-1]
        return await self._free.get()

    def give(self, thing: T) -> None:
        """Hand one back."""
        self._free.put_nowait(thing)

    @asynccontextmanager
    async def one(self) -> AsyncIterator[T]:
        """Lend one to the block; wait while none is free."""
        thing = await self.take()
        try:
            yield thing
        finally:
            self.give(thing)

    def take_free(self) -> list[T]:
        """Return all that are free now, made before; they leave the pool's hands."""
        return [self._free.get_nowait() for _ in range(self._free.qsize())]


class PacedBot(Bot):
    """Plays as another bot does, but unrated games against some opponents not as fast.

    So people can follow: a move then takes ``pace_s`` at least, but never more than half of what
    the clock allows for it.
    """

    def __init__(self, bot: Bot, opponents: Collection[str], pace_s: float) -> None:
        self._bot = bot
        self.swaps = bot.swaps
        self._opponents = opponents
        self._pace_s = pace_s

    async def choose(self, turn: Turn) -> int | Choice:
        """Return the bot's answer, after the time that a move takes at least."""
        if turn.game.rated or turn.game.opponent not in self._opponents:
            return await self._bot.choose(turn)
        wait_s = min(self._pace_s, PACE_SHARE * turn.budget_s)
        answer, _ = await asyncio.gather(self._bot.choose(turn), asyncio.sleep(wait_s))
        return answer

    async def warm_up(self) -> None:
        await self._bot.warm_up()

    def game_started(self, game: Game) -> None:
        self._bot.game_started(game)

    def game_over(self, result: GameResult) -> None:
        self._bot.game_over(result)

    async def close(self) -> None:
        await self._bot.close()
