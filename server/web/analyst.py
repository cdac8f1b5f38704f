"""Values of positions, for hints and the analysis board, from a process of its own.

The engine never runs in a process of the server: a command answers, one line for each question. It
is started with the first question, ends when none came for a while, and ends with its owner. The
questions that wait are bounded, those alike share one answer, and the latest answers are kept.
"""

from __future__ import annotations

import asyncio
import os  # noqa: TID251  # for this process's number, which its child watches
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final

from mancala.protocol import codec
from mancala.protocol.analysis import PositionQuestion
from mancala.protocol.messages import Assessment
from mancala.protocol.rules import Board
from mancala.server.health.log import Log
from mancala.server.web.responses import BusyError

COMMAND: Final = (sys.executable, "-m", "mancala", "analyst")
THINKING_S: Final = 1.0
ANSWER_S: Final = 300.0
"""Before the first answer the engine may be compiled and its tables built."""
PATIENCE_S: Final = 10.0
"""How long a request waits for its answer, which is kept when it comes later."""
IDLE_S: Final = 600.0
MOST_WAITING: Final = 8
MOST_KEPT: Final = 2048
LONGEST_ANSWER: Final = 64 * 1024


class Analyst:
    """Asks the command."""

    def __init__(self, log: Log, command: Sequence[str] = COMMAND) -> None:
        """Prepare it; nothing is started yet.

        Args:
            log: receives what went wrong.
            command: the program; it is given ``--parent`` with the id of this process.
        """
        self._log = log
        self._command = command
        self._turn = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None
        self._pending: dict[tuple[str, str], asyncio.Task[Assessment]] = {}
        self._kept: dict[tuple[str, str], Assessment] = {}
        self._idle: asyncio.TimerHandle | None = None

    async def ask(self, board: Board) -> Assessment:
        """Return what the moves of a position are worth; player 0 is to move.

        Raises:
            BusyError: when too many questions wait, or the command fails.
        """
        key = (board.text, str(board.rules))
        kept = self._kept.pop(key, None)
        if kept is not None:
            self._keep(key, kept)  # as the latest one
            return kept
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await asyncio.shield(self._task(key))
        except TimeoutError:
            raise BusyError("the engine is getting ready; try again in a moment") from None

    async def close(self) -> None:
        """End the command."""
        for task in self._pending.values():
            task.cancel()
        await asyncio.gather(*self._pending.values(), return_exceptions=True)
        await self._stop()

    def _task(self, key: tuple[str, str]) -> asyncio.Task[Assessment]:
        task = self._pending.get(key)
        if task is None:
            if len(self._pending) >= MOST_WAITING:
                raise BusyError("too many positions are being analysed; try again in a moment")
            task = asyncio.create_task(self._answer(*key), name="analysis")
            self._pending[key] = task
            task.add_done_callback(partial(self._forget, key))
        return task

    def _forget(self, key: tuple[str, str], task: asyncio.Task[Assessment]) -> None:
        del self._pending[key]
        if not task.cancelled() and task.exception() is None:
            self._keep(key, task.result())

    def _keep(self, key: tuple[str, str], answer: Assessment) -> None:
        self._kept[key] = answer
        if len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]

    async def _answer(self, board: str, rules: str) -> Assessment:
        async with self._turn:
            try:
                async with asyncio.timeout(ANSWER_S):
                    return await self._exchange(PositionQuestion(board, rules, THINKING_S))
            except (OSError, TimeoutError, ValueError, codec.DecodeError) as error:
                await self._stop()
                self._log.warning("analysis failed", board=board, rules=rules, error=repr(error))
                raise BusyError("the analysis failed; the server's log says why") from None
            except asyncio.CancelledError:
                await self._stop()
                raise

    async def _exchange(self, question: PositionQuestion) -> Assessment:
        process = self._process
        if process is None or process.returncode is not None:
            process = self._process = await asyncio.create_subprocess_exec(  # noqa: TID251  # no simulated world has a page
                *self._command,
                *("--parent", str(os.getpid())),
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
        if self._process is not None and not self._turn.locked():
            with suppress(ProcessLookupError):
                self._process.kill()


@asynccontextmanager
async def analyst(log: Log) -> AsyncIterator[Analyst]:
    """Offer analysis during the block.

    Args:
        log: receives what went wrong.
    """
    offered = Analyst(log)
    try:
        yield offered
    finally:
        await offered.close()
