"""Any program as a player, ``cmd:PROGRAM``, asked over its pipes.

The program is started once and kept running. It reads one line a question, and may answer with as
many as it likes::

    in:   <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> 180
    out:  0
    out:  2
    out:  done

In: the board, the mover first (pits a row, own store, other store, own pits, other's pits), and
the milliseconds it may think. Out: pits, better and better, counted from 0 in the mover's own
sowing direction; the last one counts when the time is up. ``done`` ends the answer early. A
program that ever says ``done`` is expected to end every answer with it, and what it still says to
a question whose time was up is passed over until then; one that never does is given all its time.
Blank lines are passed over. Output must be flushed after each line. A program that has said nothing
when its time is up is waited for until the server's deadline.

A failure is an `ExternalError` with the board, the exit code, the line that was no legal pit, and
the end of what the program wrote to stderr. The program is then killed, with all processes that it
started, and the next question starts it afresh.

This is the only implementation of the pipes. `ExternalBot` puts it on a server;
`bot.players.program` is its blocking face for headless games.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shlex
import signal
from asyncio.subprocess import PIPE, Process
from collections import deque
from contextlib import suppress
from enum import StrEnum
from typing import Final, TypeVar

from bot.client.bot import Bot, Turn
from bot.players.pool import Pool
from protocol.messages import Reason
from protocol.player import Budget, Choice, PlayerError
from protocol.rules import Board

TOLD_SHARE: Final = 0.9
"""The share of its budget that a program is given, so that an answer written at the last moment
still arrives through two pipes in time."""
MOST_PROGRAMS: Final = os.cpu_count() or 1
STDERR_LINES: Final = 20
LONGEST_LINE: Final = 4096
QUOTED: Final = 200
EXIT_WAIT_S: Final = 0.5
STDERR_WAIT_S: Final = 0.2
DONE: Final = b"done"

P = TypeVar("P", asyncio.StreamReader, asyncio.StreamWriter)


class Failure(StrEnum):
    """How a program failed."""

    NOT_STARTED = "not started"
    CRASHED = "crashed"
    HUNG = "hung"
    ILLEGAL = "illegal"


REASONS: Final = {
    Failure.NOT_STARTED: Reason.DISCONNECTED,
    Failure.CRASHED: Reason.DISCONNECTED,
    Failure.HUNG: Reason.TIMEOUT,
    Failure.ILLEGAL: Reason.ILLEGAL,
}
"""Why a headless game is lost by each failure."""


class ExternalError(PlayerError):
    """A program gave no answer, or a wrong one.

    Attributes:
        failure: which kind of wrong.
        program: its command line.
        board: the question.
        line: what it answered, when that was the fault.
        exit_code: how it ended, if it did; negative for the number of a signal.
        stderr: the last lines it wrote there.
    """

    def __init__(
        self,
        failure: Failure,
        program: str,
        board: str,
        *,
        line: str | None = None,
        exit_code: int | None = None,
        stderr: tuple[str, ...] = (),
    ) -> None:
        self.failure = failure
        self.program = program
        self.board = board
        self.line = line
        self.exit_code = exit_code
        self.stderr = stderr
        detail = "; ".join((f"the program {failure}", *self._ending()))
        super().__init__(detail, reason=REASONS[failure], received=line or "")

    def __str__(self) -> str:
        what = f"{self.program!r} {self.failure}" + (f" at {self.board}" if self.board else "")
        answer = [f"it answered {self.line!r}"] if self.line is not None else []
        return "; ".join((what, *answer, *self._ending()))

    def _ending(self) -> list[str]:
        facts = [f"exit code {self.exit_code}"] if self.exit_code is not None else []
        return facts + ([f"stderr: {' | '.join(self.stderr)}"] if self.stderr else [])


class ExternalBot(Bot):
    """A program as a bot; one process for each of its games that asks at the same time."""

    def __init__(self, program: str, *, logger: logging.Logger | None = None) -> None:
        self._programs = Programs(program, logger or logging.getLogger("mancala.bot"))

    async def warm_up(self) -> None:
        """Start the program, so that no clock runs meanwhile.

        Raises:
            ExternalError: when it can't be started.
        """
        await self._programs.start()

    async def choose(self, turn: Turn) -> int:
        """Ask the program.

        Raises:
            ExternalError: when it gives no answer, or a wrong one.
        """

        def offer(choice: Choice) -> None:
            turn.offer(*choice)

        budget = Budget(turn.budget_s, turn.deadline_s, offer=offer)
        return await self._programs.ask(turn.board, budget)

    async def close(self) -> None:
        """End the programs."""
        await self._programs.end()


class Programs:
    """The processes of one command line: as many as questions are open, within a bound.

    Args:
        command: the command line.
        logger: receives each line that a program writes to stderr, as the last argument.
    """

    def __init__(self, command: str, logger: logging.Logger) -> None:
        self._pool = Pool(lambda: Program(command, logger), MOST_PROGRAMS)

    async def start(self) -> None:
        """Start one.

        Raises:
            ExternalError: when it can't be started.
        """
        program = await self._pool.take()
        try:
            await program.start("")
        finally:
            self._pool.give(program)

    async def ask(self, board: Board, budget: Budget) -> int:
        """Return the pit that a program names; each better one is offered before.

        Raises:
            ExternalError: when it gives no answer, or a wrong one.
        """
        program = await self._pool.take()
        try:
            return await program.ask(board, budget)
        finally:
            self._pool.give(program)

    async def end(self) -> None:
        """Kill all processes and wait for their end."""
        for program in self._pool.made:
            await program.end()

    def kill(self) -> None:
        """Kill all processes without waiting."""
        for program in self._pool.made:
            program.kill()


class Program:
    """One process, asked one question at a time."""

    def __init__(self, command: str, logger: logging.Logger) -> None:
        self._command = command
        self._logger = logger
        self._process: Process | None = None
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self._stderr_reader: asyncio.Task[None] | None = None
        self._unfinished = 0
        self._says_done = False

    async def start(self, board: str) -> Process:
        """Return the running process; start it if there is none.

        Raises:
            ExternalError: when it can't be started.
        """
        if self._process is not None and self._process.returncode is None:
            return self._process
        await self.end()
        try:
            process = await asyncio.create_subprocess_exec(
                *shlex.split(self._command),
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                limit=LONGEST_LINE,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            facts = (getattr(error, "strerror", None) or str(error),)
            raise ExternalError(Failure.NOT_STARTED, self._command, board, stderr=facts) from error
        self._process, self._unfinished = process, 0
        self._stderr.clear()
        reading = self._read_stderr(_pipe(process.stderr))
        self._stderr_reader = asyncio.create_task(reading, name=f"stderr of {self._command}")
        return process

    async def ask(self, board: Board, budget: Budget) -> int:
        """Put a question and wait for the answer.

        Raises:
            ExternalError: when there is none, or a wrong one; the process has then been killed.
        """
        process = await self.start(board.text)
        try:
            return await self._answer(process, board, budget)
        except _BadLineError as error:
            raise await self._failed(Failure.ILLEGAL, board, line=error.line) from None
        except (ConnectionError, EOFError):
            raise await self._failed(Failure.CRASHED, board) from None
        except TimeoutError:
            raise await self._failed(Failure.HUNG, board) from None

    async def end(self) -> None:
        """Kill the process and all that it started."""
        if self._process is None:
            return
        self.kill()
        await self._process.wait()
        if self._stderr_reader is not None:
            await asyncio.wait([self._stderr_reader], timeout=STDERR_WAIT_S)
            self._stderr_reader.cancel()
        self._process = None

    def kill(self) -> None:
        """Kill the process and all that it started, and don't wait for it."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def _answer(self, process: Process, board: Board, budget: Budget) -> int:
        """Read until ``done`` or the budget's end; for a first pit, until the deadline."""
        loop = asyncio.get_running_loop()
        begun, output = loop.time(), _pipe(process.stdout)
        legal = board.legal()
        pit: int | None = None
        try:
            async with asyncio.timeout_at(begun + budget.deadline_s) as timer:
                await self._put(process, output, board, budget)
                while (word := await _word(output)) is not None:
                    if word == DONE:
                        self._says_done = True
                        self._unfinished -= 1
                        if self._unfinished == 0:
                            break
                    elif not (self._says_done and self._unfinished > 1):
                        pit = _legal_pit(word, legal)
                        budget.offer(Choice(pit))
                        timer.reschedule(begun + budget.time_s)
        except TimeoutError:
            if pit is None:
                raise
        if pit is None:
            raise EOFError
        return pit

    async def _put(
        self, process: Process, output: asyncio.StreamReader, board: Board, budget: Budget
    ) -> None:
        if not self._says_done:
            self._unfinished = 0
            await _pass_over(output)
        self._unfinished += 1
        told_ms = max(1, round(TOLD_SHARE * budget.time_s * 1000))
        to = _pipe(process.stdin)
        to.write(f"{board.text} {told_ms}\n".encode())
        await to.drain()

    async def _failed(
        self, failure: Failure, board: Board, *, line: str | None = None
    ) -> ExternalError:
        process = self._process
        exit_code = await _exit_code(process) if failure is Failure.CRASHED and process else None
        await self.end()
        return ExternalError(
            failure,
            self._command,
            board.text,
            line=line,
            exit_code=exit_code,
            stderr=tuple(self._stderr),
        )

    async def _read_stderr(self, stderr: asyncio.StreamReader) -> None:
        while line := await _line(stderr):
            text = line.decode(errors="replace").rstrip()
            self._stderr.append(text)
            self._logger.info("%s: %s", self._command, text)


class _BadLineError(Exception):
    def __init__(self, line: bytes) -> None:
        self.line = line.decode("ascii", errors="backslashreplace")
        super().__init__(self.line)


def _legal_pit(word: bytes, legal: tuple[int, ...]) -> int:
    if not (word.isdigit() and len(word) < 4 and int(word) in legal):
        raise _BadLineError(word)
    return int(word)


async def _line(stream: asyncio.StreamReader) -> bytes:
    """Read a line; of one that is too long, the beginning."""
    try:
        return await stream.readuntil()
    except asyncio.IncompleteReadError as error:
        return error.partial
    except asyncio.LimitOverrunError:
        return await stream.read(QUOTED)


async def _word(stream: asyncio.StreamReader) -> bytes | None:
    """Read what is on the next line that isn't blank; None at the end."""
    while line := await _line(stream):
        if word := line.strip():
            return word
    return None


async def _pass_over(stream: asyncio.StreamReader) -> None:
    """Discard what was written so far."""
    with suppress(TimeoutError):
        async with asyncio.timeout(0):
            while await _line(stream):
                pass


async def _exit_code(process: Process) -> int | None:
    """Return the exit code of a process whose output ended; None while it still runs."""
    with suppress(TimeoutError):
        async with asyncio.timeout(EXIT_WAIT_S):
            return await process.wait()
    return None


def _pipe(pipe: P | None) -> P:
    if pipe is None:
        raise RuntimeError("a pipe that was asked for is missing")
    return pipe
