"""Values of positions, for hints and the analysis board, from a process of its own.

The engine never runs in a process of the server: a command answers, one line for each question. It
is started with the first question, ends when none came for a while, and ends with its owner. The
questions wait as other dear work does (:mod:`mancala.server.web.http.dear_work`), and the latest
answers are kept.
"""

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
from ..feed.kept_answers import Latest
from ..http.dear_work import Asker, DearWork
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
    def __init__(self, log: Log, command: Sequence[str] = COMMAND) -> None:
        self._log = log
        self._command = command
        self._work: DearWork[Assessment] = DearWork(
            most=MOST_WAITING, lease_s=ANSWER_S, refusal=TOO_MANY
        )
        self._process: asyncio.subprocess.Process | None = None
        self._kept: Latest[Assessment] = Latest(MOST_KEPT)
        self._idle: asyncio.TimerHandle | None = None

    async def ask(self, board: Board, asker: Asker) -> Assessment:
        """Return what a position's moves are worth, player 0 to move, or raise `BusyError`."""
        key = f"{board.text} {board.rules}"
        if (kept := self._kept.get(key)) is not None:
            return kept
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await self._work.get(key, asker, partial(self._answer, key, board))
        except TimeoutError:
            raise BusyError("the engine is getting ready; try again in a moment") from None

    async def close(self) -> None:
        await self._work.close()
        await self._stop()

    async def _answer(self, key: str, board: Board) -> Assessment:
        question = PositionQuestion(board.text, str(board.rules), THINKING_S)
        try:
            async with asyncio.timeout(ANSWER_S):
                found = await self._exchange(question)
        except (OSError, TimeoutError, ValueError, codec.DecodeError) as error:
            await self._stop()
            self._log.warning("analysis failed", position=key, error=repr(error))
            raise BusyError("the analysis failed; the server's log says why") from None
        except asyncio.CancelledError:
            await self._stop()
            raise
        self._kept.keep(key, found)
        return found

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
        if self._process is not None and self._work.is_idle:
            process, self._process = self._process, None  # no question finds it half dead
            with suppress(ProcessLookupError):
                process.kill()


@asynccontextmanager
async def analyst(log: Log) -> AsyncIterator[Analyst]:
    """Offer analysis during the block."""
    offered = Analyst(log)
    try:
        yield offered
    finally:
        await offered.close()
