"""Values of positions, for hints and the analysis board, from a process of its own.

The engine never runs in a process of the server: a command answers, one line for each question. It
is started with the first question, ends when none came for a while, and ends with its owner. Those
alike share one answer, and the latest answers are kept. The questions that wait are bounded, and
the networks that ask take turns: where too many wait, a newcomer displaces one of a network that
was served since.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final

from mancala.parent_death import ending_with_us
from mancala.protocol import codec
from mancala.protocol.analysis import PositionQuestion
from mancala.protocol.messages import Assessment
from mancala.protocol.rules import Board

from ...health.log import Log
from ...model.leases import Leases
from ..feed.kept_answers import Latest
from ..http.responses import BusyError

COMMAND: Final = (sys.executable, "-m", "mancala", "analyst")
THINKING_S: Final = 1.0
ANSWER_S: Final = 300.0
"""Before the first answer the engine may be compiled and its tables built."""
PATIENCE_S: Final = 10.0
"""How long a request waits for its answer, which is kept when it comes later."""
IDLE_S: Final = 600.0
MOST_WAITING: Final = 8
TOO_MANY: Final = "too many positions are being analysed; try again in a moment"
MOST_KEPT: Final = 2048
LONGEST_ANSWER: Final = 64 * 1024


class Analyst:
    """Asks the command."""

    def __init__(self, log: Log, command: Sequence[str] = COMMAND) -> None:
        """Prepare it."""
        self._log = log
        self._command = command
        self._leases = Leases(places=1, lease_s=ANSWER_S)
        self._turns: dict[str, asyncio.Future[None]] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._pending: dict[str, asyncio.Task[Assessment]] = {}
        self._kept: Latest[Assessment] = Latest(MOST_KEPT)
        self._idle: asyncio.TimerHandle | None = None

    async def ask(self, board: Board, asker: str) -> Assessment:
        """Return what the moves of a position are worth; player 0 is to move.

        The asker is a network; where too many wait, or the command fails, raise :class:`BusyError`.
        """
        key = f"{board.text} {board.rules}"
        if (kept := self._kept.get(key)) is not None:
            return kept
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await asyncio.shield(self._task(key, board, asker))
        except TimeoutError:
            raise BusyError("the engine is getting ready; try again in a moment") from None

    async def close(self) -> None:
        """End the command."""
        tasks = [*self._pending.values()]
        self._pending.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._stop()

    def _task(self, key: str, board: Board, asker: str) -> asyncio.Task[Assessment]:
        if key not in self._pending and len(self._pending) >= MOST_WAITING:
            self._make_room(asker)
        self._leases.ask(key, (asker,), self._now())
        if key not in self._pending:
            self._turns[key] = asyncio.get_running_loop().create_future()
            task = asyncio.create_task(self._answer(key, board), name="analysis")
            self._pending[key] = task
            task.add_done_callback(partial(self._forget, key))
            self._grant()
        return self._pending[key]

    def _make_room(self, asker: str) -> None:
        """Refuse the question whose turn is last, if the asker's is before it; else raise."""
        last = self._leases.displaced_by((asker,))
        if last is None:
            raise BusyError(TOO_MANY)
        turn = self._turns[last]
        self._drop(last)
        turn.set_exception(BusyError(TOO_MANY))

    def _grant(self) -> None:
        for key in self._leases.grant(self._now()):
            self._turns[key].set_result(None)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _forget(self, key: str, task: asyncio.Task[Assessment]) -> None:
        if self._pending.get(key) is task:
            self._drop(key)
            self._grant()
        if not task.cancelled() and task.exception() is None:
            self._kept.keep(key, task.result())

    def _drop(self, key: str) -> None:
        del self._pending[key], self._turns[key]
        self._leases.end(key)

    async def _answer(self, key: str, board: Board) -> Assessment:
        await self._turns[key]
        question = PositionQuestion(board.text, str(board.rules), THINKING_S)
        try:
            async with asyncio.timeout(ANSWER_S):
                return await self._exchange(question)
        except (OSError, TimeoutError, ValueError, codec.DecodeError) as error:
            await self._stop()
            self._log.warning("analysis failed", position=key, error=repr(error))
            raise BusyError("the analysis failed; the server's log says why") from None
        except asyncio.CancelledError:
            await self._stop()
            raise

    async def _exchange(self, question: PositionQuestion) -> Assessment:
        process = self._process
        if process is None or process.returncode is not None:
            process = self._process = await asyncio.create_subprocess_exec(  # noqa: TID251  # no simulated world has a page
                *ending_with_us(*self._command),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=LONGEST_ANSWER,
            )
        if process.stdin is None or process.stdout is None:
            raise OSError("the analyst has no pipes")
        process.stdin.write(codec.to_json(question) + b"\n")
        await process.stdin.drain()
        line = await process.stdout.readline()
        if not line:
            raise OSError("the analyst ended")
        self._rest()
        return codec.from_json(line, Assessment)

    def _rest(self) -> None:
        """End the command once it has not been needed for a while."""
        if self._idle is not None:
            self._idle.cancel()
        self._idle = asyncio.get_running_loop().call_later(IDLE_S, self._kill)

    async def _stop(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.communicate()

    def _kill(self) -> None:
        if self._process is not None and not self._leases.lent:
            with suppress(ProcessLookupError):
                self._process.kill()


@asynccontextmanager
async def analyst(log: Log) -> AsyncIterator[Analyst]:
    """Offer analysis during the block."""
    offered = Analyst(log)
    try:
        yield offered
    finally:
        await offered.close()
