"""Any program as a player, ``cmd:PROGRAM``, asked over its pipes.

The program is started once and kept running. It reads one line a question, and may answer with as
many as it likes::

    in:   <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> 180
    out:  0
    out:  2
    out:  done

In: the board, the mover first (pits a row, own store, other store, own pits, other's pits), and
the milliseconds it may think. Out: pits, better and better, counted from 0 in the mover's own
sowing direction; the last one counts when the time is up. ``done`` ends the answer early. Output
must be flushed after each line. Section 13 of ``protocol/SPEC.md`` is the whole description.

**Start.** The first question after a start is a rehearsal, put before any clock runs; its answer is
not played. So a program may load tables or a JVM for as long as the start-up allowance lasts. One
that answers the rehearsal with ``ready`` is from then on asked with numbers, ``BOARD MS #7``, and
repeats the number in each line, ``2 #7`` and ``done #7``: what belongs to another question is
dropped. One that fails the rehearsal is started again without it.

**Late answers of programs without numbers.** A program that ever said ``done`` ends every answer
with it. What it still says to a question whose time was up is dropped until that ``done``. For one
that never does, what it wrote between two questions is dropped. A ``done`` without a pit before it
never ends an answer.

**Pipes.** Everything that arrives is taken from the pipes as it comes, and kept within bounds: the
beginning of a long line, `MOST_LINES` lines. A program that writes more than that is not read any
further, and fails. Nothing waits for a pipe to close, so unread output or a grandchild that holds
the pipe open delays nothing.

**Failures.** A failure is an `ExternalError` with the board, the exit code, the line that was no
legal pit, and the end of what the program wrote to stderr. The program is then ended with all
processes that it started (`bot.players.reaper`), and started afresh in the background.

This is the only implementation of the pipes. `ExternalBot` puts it on a server;
`bot.players.program` is its blocking face for headless games.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shlex
import shutil
import signal
import sys
from asyncio.subprocess import PIPE
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Final

from bot.client.bot import Bot, Turn
from bot.players.pool import Pool
from protocol.messages import Reason
from protocol.player import START_UP_S, Budget, Choice, PlayerError
from protocol.rules import KALAH, Board, Rules

REAPER: Final = Path(__file__).with_name("reaper.py")
MOST_PROGRAMS: Final = os.cpu_count() or 1
LATENESS_S: Final = 0.02
"""Seconds for which what was written at the last moment may be on its way through the pipes."""
REHEARSAL_S: Final = 0.1
"""Seconds to think that a program is given in its rehearsal."""
DONE_WAIT_S: Final = 0.2
"""Seconds for which a rehearsal waits for ``done`` after a pit."""
STDERR_LINES: Final = 20
"""Last lines of stderr quoted with a failure."""
MOST_STDERR: Final = 200
"""Lines of stderr passed on for each question; further ones are dropped."""
MOST_LINES: Final = 1000
"""Unread lines of stdout after which a program is not read any further."""
LONGEST_LINE: Final = 4096
TURNS_TO_READ: Final = 4
"""Turns of the event loop in which what is in a pipe becomes lines."""
QUOTED: Final = 200
EXIT_WAIT_S: Final = 2.0
STDERR_WAIT_S: Final = 0.2
DONE: Final = b"done"
READY: Final = b"ready"


class Failure(StrEnum):
    """How a program failed."""

    NOT_STARTED = "not started"
    CRASHED = "crashed"
    HUNG = "hung"
    ILLEGAL = "illegal"
    FLOODED = "wrote too much"


REASONS: Final = {
    Failure.NOT_STARTED: Reason.DISCONNECTED,
    Failure.CRASHED: Reason.DISCONNECTED,
    Failure.HUNG: Reason.TIMEOUT,
    Failure.ILLEGAL: Reason.ILLEGAL,
    Failure.FLOODED: Reason.PROTOCOL,
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
    """A program as a bot; one process for each of its games that asks at the same time.

    Args:
        program: its command line.
        start_up_s: the start-up allowance.
        logger: receives what it writes to stderr.
    """

    def __init__(
        self,
        program: str,
        *,
        start_up_s: float = START_UP_S,
        logger: logging.Logger | None = None,
    ) -> None:
        log = logger or logging.getLogger("mancala.bot")
        self._programs = Programs(program, log, start_up_s=start_up_s)

    async def warm_up(self) -> None:
        """Start the program and wait until it is ready, so that no clock runs meanwhile.

        Raises:
            ExternalError: when it can't be started.
        """
        await self._programs.prepare(KALAH)

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
        start_up_s: the start-up allowance of each, in seconds.
    """

    def __init__(
        self, command: str, logger: logging.Logger, *, start_up_s: float = START_UP_S
    ) -> None:
        def make() -> Program:
            return Program(command, logger, start_up_s=start_up_s)

        self._pool = Pool(make, MOST_PROGRAMS)

    async def prepare(self, rules: Rules) -> None:
        """Start one and wait until it is ready.

        Raises:
            ExternalError: when it can't be started.
        """
        program = await self._pool.take()
        try:
            await program.prepare(rules)
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
        """End all processes and wait for it."""
        for program in self._pool.made:
            await program.end()

    def kill(self) -> None:
        """End all processes without waiting."""
        for program in self._pool.made:
            program.kill()


class Program:
    """One process, asked one question at a time."""

    def __init__(self, command: str, logger: logging.Logger, *, start_up_s: float) -> None:
        self._command = command
        self._logger = logger
        self._start_up_s = start_up_s
        self._process: _Process | None = None
        self._preparing: asyncio.Task[None] | None = None
        self._rules = KALAH
        self._can_rehearse = True
        self._number = 0
        self._unfinished = 0
        self._says_done = False
        self._is_numbered = False

    async def prepare(self, rules: Rules) -> None:
        """Start the process if there is none, and wait until it is ready or its allowance ends.

        Raises:
            ExternalError: when it can't be started.
        """
        self._rules = rules
        if self._preparing is None:
            if self._process is not None and self._process.is_running:
                return
            self._prepare_in_background()
        await self._prepared(None)

    async def ask(self, board: Board, budget: Budget) -> int:
        """Put a question and wait for the answer.

        Raises:
            ExternalError: when there is none, or a wrong one; the process has then been ended.
        """
        begun = asyncio.get_running_loop().time()
        if not await self._prepared(begun + budget.deadline_s):
            raise ExternalError(Failure.HUNG, self._command, board.text, stderr=("starting up",))
        process = await self._running(board.text)
        try:
            return await self._answer(process, board, budget, begun)
        except _BadLineError as error:
            raise await self._failed(Failure.ILLEGAL, board, line=error.line) from None
        except _FloodError:
            raise await self._failed(Failure.FLOODED, board) from None
        except (ConnectionError, EOFError):
            raise await self._failed(Failure.CRASHED, board) from None
        except TimeoutError:
            raise await self._failed(Failure.HUNG, board) from None

    async def end(self) -> None:
        """End the process and all that it started."""
        if self._preparing is not None:
            self._preparing.cancel()
            await asyncio.wait([self._preparing])
            self._preparing = None
        await self._end_process()

    def kill(self) -> None:
        """End the process and all that it started, and don't wait for it."""
        if self._process is not None:
            self._process.terminate()

    def _prepare_in_background(self) -> None:
        preparing = self._prepare()
        self._preparing = asyncio.create_task(preparing, name=f"start of {self._command}")

    async def _prepared(self, until: float | None) -> bool:
        """Wait while the program starts up, at most until a time; return whether that is over.

        Raises:
            ExternalError: when it can't be started.
        """
        if self._preparing is None:
            return True
        now = asyncio.get_running_loop().time()
        limit = max(0.0, until - now) if until is not None else None
        done, _ = await asyncio.wait([self._preparing], timeout=limit)
        if not done:
            return False
        preparing, self._preparing = self._preparing, None
        preparing.result()
        return True

    async def _prepare(self) -> None:
        process = await self._running("")
        if not self._can_rehearse:
            return
        try:
            async with asyncio.timeout(self._start_up_s):
                await self._rehearse(process)
        except (ConnectionError, EOFError, TimeoutError, _FloodError, _BadLineError):
            self._can_rehearse = False
            await self._end_process()
            await self._running("")

    async def _rehearse(self, process: _Process) -> None:
        """Ask for an answer that is not played; other lines, such as a banner, are dropped."""
        board = Board.start(self._rules)
        await self._put(process, board, REHEARSAL_S)
        answered = False
        try:
            async with asyncio.timeout(None) as timer:
                while (word := await process.word()) not in (READY, DONE):
                    if word.isdigit() and not answered:
                        _legal_pit(word, board.legal())
                        answered = True
                        now = asyncio.get_running_loop().time()
                        timer.reschedule(now + REHEARSAL_S + DONE_WAIT_S)
        except TimeoutError:
            if not answered:
                raise
            return
        self._is_numbered = word == READY
        self._says_done = self._says_done or word == DONE
        self._unfinished = 0

    async def _running(self, board: str) -> _Process:
        """Return the running process; start it if there is none.

        Raises:
            ExternalError: when it can't be started.
        """
        if self._process is not None and self._process.is_running:
            return self._process
        await self._end_process()
        try:
            process = await _start(self._command, self._log)
        except (OSError, ValueError) as error:
            facts = (getattr(error, "strerror", None) or str(error),)
            raise ExternalError(Failure.NOT_STARTED, self._command, board, stderr=facts) from error
        self._process, self._unfinished, self._is_numbered = process, 0, False
        return process

    async def _answer(self, process: _Process, board: Board, budget: Budget, begun: float) -> int:
        """Read until ``done`` or the budget's end; for a first pit, until the deadline."""
        legal = board.legal()
        slack_s = min(LATENESS_S, (budget.deadline_s - budget.time_s) / 2)
        pit: int | None = None
        try:
            async with asyncio.timeout_at(begun + budget.deadline_s) as timer:
                await self._put(process, board, budget.time_s)
                while True:
                    word = await process.word()
                    if word == READY and pit is None and not self._is_numbered:
                        self._is_numbered = True  # it was started during the game
                        await self._put(process, board, budget.time_s)
                    elif (answer := self._of_this_question(word)) == DONE:
                        if pit is not None:
                            return pit
                    elif answer is not None:
                        pit = _legal_pit(answer, legal)
                        budget.offer(Choice(pit))
                        timer.reschedule(begun + budget.time_s + slack_s)
        except TimeoutError:
            if pit is None:
                raise
        return pit

    def _of_this_question(self, word: bytes) -> bytes | None:
        """Return a line without its number; None when it belongs to an earlier question.

        Raises:
            _BadLineError: when a program that uses numbers leaves one out.
        """
        if self._is_numbered:
            answer, _, number = word.rpartition(b" #")
            if not (answer and number.isdigit()):
                raise _BadLineError(word)
            return answer.strip() if number == b"%d" % self._number else None
        if word == DONE:
            self._says_done = True
            self._unfinished = max(0, self._unfinished - 1)
            return DONE if self._unfinished == 0 else None
        return None if self._says_done and self._unfinished > 1 else word

    async def _put(self, process: _Process, board: Board, time_s: float) -> None:
        if not (self._says_done or self._is_numbered):
            self._unfinished = 0
            await process.pass_over()
        self._unfinished += 1
        self._number += 1
        number = f" #{self._number}" if self._is_numbered else ""
        process.put(f"{board.text} {max(1, round(time_s * 1000))}{number}\n")

    async def _failed(
        self, failure: Failure, board: Board, *, line: str | None = None
    ) -> ExternalError:
        process = self._process
        exit_code = None
        if failure is Failure.CRASHED and process is not None:
            exit_code = await process.exit_code(EXIT_WAIT_S)
        await self._end_process()
        self._prepare_in_background()
        return ExternalError(
            failure,
            self._command,
            board.text,
            line=line,
            exit_code=exit_code,
            stderr=tuple(process.stderr) if process is not None else (),
        )

    async def _end_process(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.end()

    def _log(self, line: str) -> None:
        self._logger.info("%s: %s", self._command, line)


class _BadLineError(Exception):
    def __init__(self, line: bytes) -> None:
        self.line = line[:QUOTED].decode("ascii", errors="backslashreplace")
        super().__init__(self.line)


class _FloodError(Exception):
    """A program wrote more lines than are kept."""


async def _start(command: str, log: Callable[[str], None]) -> _Process:
    """Start a program under its reaper.

    Raises:
        OSError: when there is no such program.
        ValueError: when the command line cannot be split.
    """
    words = shlex.split(command)
    if not words or shutil.which(words[0]) is None:
        raise FileNotFoundError(f"no program {' '.join(words[:1])!r}")
    _, process = await asyncio.get_running_loop().subprocess_exec(
        lambda: _Process(log),
        *(sys.executable, "-I", "-S", str(REAPER), *words),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        start_new_session=True,
    )
    return process


class _Process(asyncio.SubprocessProtocol):
    """A running program and its pipes.

    Attributes:
        stderr: the last lines it wrote there.
    """

    def __init__(self, log: Callable[[str], None]) -> None:
        loop = asyncio.get_running_loop()
        self.stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self._log = log
        self._transport: asyncio.SubprocessTransport | None = None
        self._exit = loop.create_future()
        self._stderr_end = loop.create_future()
        self._words: deque[bytes] = deque()
        self._stdout = _Lines(self._take)
        self._stderr = _Lines(self._take_stderr)
        self._stderr_count = 0
        self._news = asyncio.Event()
        self._is_flooded = False
        self._is_closed = False

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return not self._exit.done()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        if isinstance(transport, asyncio.SubprocessTransport):
            self._transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Take what the program wrote."""
        (self._stdout if fd == 1 else self._stderr).feed(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002  # asyncio's signature
        """Take what the program wrote last, without the end of a line."""
        if fd == 1:
            self._stdout.end()
            self._is_closed = True
            self._news.set()
        elif fd == 2:
            self._stderr.end()
            if not self._stderr_end.done():
                self._stderr_end.set_result(None)

    def process_exited(self) -> None:
        """Keep the exit code."""
        if not self._exit.done() and self._transport is not None:
            self._exit.set_result(self._transport.get_returncode())

    def put(self, line: str) -> None:
        """Write a line to its stdin.

        Raises:
            EOFError: when it has ended.
        """
        pipe = self._transport.get_pipe_transport(0) if self._transport is not None else None
        if not isinstance(pipe, asyncio.WriteTransport) or pipe.is_closing():
            raise EOFError
        self._stderr_count = 0
        pipe.write(line.encode())

    async def word(self) -> bytes:
        """Return the next line that isn't blank.

        Raises:
            EOFError: when its stdout has ended.
            _FloodError: when it wrote more lines than are kept.
        """
        while True:
            if self._is_flooded:
                raise _FloodError
            if self._words:
                return self._words.popleft()
            if self._is_closed:
                raise EOFError
            self._news.clear()
            await self._news.wait()

    async def pass_over(self) -> None:
        """Drop the lines that were written so far."""
        for _ in range(TURNS_TO_READ):
            await asyncio.sleep(0)
        self._words.clear()

    async def exit_code(self, wait_s: float) -> int | None:
        """Return its exit code; None when it still runs after a time."""
        await asyncio.wait([self._exit], timeout=wait_s)
        return self._exit.result() if self._exit.done() else None

    def terminate(self) -> None:
        """Have its reaper end it and all that it started."""
        self._signal(signal.SIGTERM)

    async def end(self) -> None:
        """End it and all that it started; wait for that within bounds."""
        self.terminate()
        if await self.exit_code(EXIT_WAIT_S) is None:
            self._signal(signal.SIGKILL)
            await self.exit_code(EXIT_WAIT_S)
        await asyncio.wait([self._stderr_end], timeout=STDERR_WAIT_S)
        if self._transport is not None:
            self._transport.close()

    def _signal(self, number: int) -> None:
        if self._transport is not None and not self._exit.done():
            with suppress(ProcessLookupError):
                os.kill(self._transport.get_pid(), number)

    def _take(self, line: bytes) -> None:
        if self._is_flooded or not (word := line.strip()):
            return
        self._words.append(word)
        self._news.set()
        if len(self._words) > MOST_LINES:
            self._is_flooded = True
            pipe = self._transport.get_pipe_transport(1) if self._transport is not None else None
            if isinstance(pipe, asyncio.ReadTransport):
                pipe.pause_reading()

    def _take_stderr(self, line: bytes) -> None:
        text = line.decode(errors="replace").rstrip()
        self.stderr.append(text)
        self._stderr_count += 1
        if self._stderr_count < MOST_STDERR:
            self._log(text)
        elif self._stderr_count == MOST_STDERR:
            self._log("(further lines are dropped)")


class _Lines:
    """Splits what arrives into lines; of a long one, the beginning is kept."""

    def __init__(self, take: Callable[[bytes], None]) -> None:
        self._take = take
        self._part = b""
        self._is_cut = False

    def feed(self, data: bytes) -> None:
        """Take the next piece."""
        *lines, rest = data.split(b"\n")
        for line in lines:
            if not self._is_cut:
                self._take((self._part + line)[:LONGEST_LINE])
            self._part, self._is_cut = b"", False
        if not self._is_cut:
            self._part += rest
        if len(self._part) > LONGEST_LINE:
            self._take(self._part[:LONGEST_LINE])
            self._part, self._is_cut = b"", True

    def end(self) -> None:
        """Take what is left as the last line."""
        if self._part:
            self._take(self._part)
        self._part = b""


def _legal_pit(word: bytes, legal: tuple[int, ...]) -> int:
    if not (word.isdigit() and len(word) < 4 and int(word) in legal):
        raise _BadLineError(word)
    return int(word)
