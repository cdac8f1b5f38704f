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
dropped. One that answers with ``ready 2`` hears the rules, each game and when to stop, in UCI's
manner. One that fails the rehearsal is started again without it; how it failed is logged, and said
with the game that it then loses by silence.

**Failures.** A failure is an `ExternalError` with the board, the exit code, the line that was no
legal pit, and the end of what the program wrote to stderr. The program is then ended with all
processes that it started (`reaper`), and started afresh in the background.

The dialogue is `dialogue`, the pipes are `process`, both the only ones. `ExternalBot` plays on a
server; `program` runs one for headless games, where a question blocks.
"""

import asyncio
import logging
import os
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import partial
from typing import Final

from mancala.protocol.messages import Reason
from mancala.protocol.player import START_UP_S, Budget, Choice, PlayerError
from mancala.protocol.rules import KALAH, Board, Rules

from ...client.bot import Bot, Turn
from ..host import Pool
from .dialogue import NO_GAME, BadLineError, Dialogue, ProgramGame
from .process import EXIT_WAIT_S, FloodError, start

MOST_PROGRAMS: Final = os.cpu_count() or 1
FLUSHED: Final = "is each line flushed?"
SILENT: Final = f"no line with a pit came in time; {FLUSHED}"
SLOW: Final = f"if it needs longer to start, --start-up allows it; {FLUSHED}"
NOT_A_PIT: Final = "stdout is for pits alone; write all else to stderr"
NO_LOOP: Final = "it has to answer one question after another, until its input ends"
UNREHEARSED: Final = "it is started again without one, and has to begin within the clock of a move"
NO_OPTIONS: Final = "options are for programs of version 2, which answer with 'ready 2'"


class Failure(StrEnum):
    """How a program failed."""

    NOT_STARTED = "not started"
    CRASHED = "crashed"
    HUNG = "hung"
    SLOW = "has written no pit since its start"
    ABSENT = "failed and was not ready again in time"
    ILLEGAL = "named no legal pit"
    FLOODED = "wrote too much"


REASONS: Final = {
    Failure.NOT_STARTED: Reason.DISCONNECTED,
    Failure.CRASHED: Reason.DISCONNECTED,
    Failure.HUNG: Reason.TIMEOUT,
    Failure.SLOW: Reason.TIMEOUT,
    Failure.ABSENT: Reason.TIMEOUT,
    Failure.ILLEGAL: Reason.ILLEGAL,
    Failure.FLOODED: Reason.PROTOCOL,
}
"""Why a headless game is lost by each failure."""
FAULTS: Final[Mapping[type[Exception], Failure]] = {
    BadLineError: Failure.ILLEGAL,
    FloodError: Failure.FLOODED,
    TimeoutError: Failure.HUNG,
    ConnectionError: Failure.CRASHED,
    EOFError: Failure.CRASHED,
}
"""What a dialogue raises when the program is at fault."""


class ExternalError(PlayerError):
    """A program gave no answer, or a wrong one.

    Attributes:
        line: what it answered, when that was the fault.
        exit_code: how it ended, if it did; negative for the number of a signal.
        stderr: the last lines it wrote there.
        facts: all that is known beside the failure, each after a semicolon.
    """

    def __init__(  # noqa: PLR0913  # each is a fact of the failure
        self,
        failure: Failure,
        program: str,
        board: str,
        *,
        line: str | None = None,
        exit_code: int | None = None,
        advice: str = "",
        stderr: tuple[str, ...] = (),
    ) -> None:
        self.failure, self.board, self.line = failure, board, line
        self.exit_code, self.stderr = exit_code, stderr
        facts = [f"it wrote {line!r}"] if line is not None else []
        facts += [f"exit code {exit_code}"] if exit_code is not None else []
        facts += [advice] if advice else []
        facts += [f"stderr: {' | '.join(stderr)}"] if stderr else []
        self.facts = "".join(f"; {fact}" for fact in facts)
        self._what = f"{program!r} {failure}" + (f" at {board}" if board else "")
        super().__init__(
            f"the program {failure}{self.facts}", reason=REASONS[failure], received=line or ""
        )

    def __str__(self) -> str:
        return f"{self._what}{self.facts}"


class ExternalBot(Bot):
    """A program as a bot: as many processes as questions are open, within a bound.

    Args:
        command: its command line.
        start_up_s: the start-up allowance of each process, in seconds.
        options: what a program of version 2 receives by ``option``.
        stderr: receives each line that it writes to stderr, and how a rehearsal failed; by default,
            they are logged.
    """

    swaps = True  # the dialogue asks only programs that know it

    def __init__(
        self,
        command: str,
        *,
        start_up_s: float = START_UP_S,
        options: Mapping[str, str] | None = None,
        stderr: Callable[[str], None] | None = None,
    ) -> None:
        def make() -> Program:
            return Program(command, start_up_s, options or {}, stderr)

        self._pool = Pool(make, MOST_PROGRAMS)

    async def warm_up(self, rules: Rules = KALAH) -> None:
        """Start the program and wait until it has rehearsed, so that no clock runs meanwhile."""
        async with self._pool.one() as program:
            await program.prepare(rules)

    async def choose(self, turn: Turn) -> Choice:
        """Ask the program; raise what `ask` raises."""

        def offer(choice: Choice) -> None:
            turn.offer(*choice)

        budget = Budget(turn.budget_s, turn.deadline_s, offer=offer)
        game = ProgramGame(turn.game.id, turn.game.control, opponent=turn.game.opponent)
        return await self.ask(turn.board, budget, game)

    async def ask(self, board: Board, budget: Budget, game: ProgramGame = NO_GAME) -> Choice:
        """Return what the program chooses on a board; each better choice is offered before.

        Raises:
            PlayerError: when it resigns.
            ExternalError: when it gives no answer, or a wrong one.
        """
        async with self._pool.one() as program:
            return await program.ask(board, budget, game)

    async def close(self) -> None:
        for program in self._pool.made:
            await program.end()

    def kill(self) -> None:
        """End all processes without waiting."""
        for program in self._pool.made:
            program.kill()


class Program:
    def __init__(
        self,
        command: str,
        start_up_s: float,
        options: Mapping[str, str],
        stderr: Callable[[str], None] | None,
    ) -> None:
        logger = logging.getLogger("mancala.bot")
        self._options = options
        self._command = command
        self._stderr = stderr or partial(logger.info, "%s: %s", command)
        self._warn = stderr or partial(logger.warning, "%s: %s", command)
        self._start_up_s = start_up_s
        self._preparing: asyncio.Task[None] | None = None
        self._rules = KALAH
        self._rehearsal: str | None = None  # how it failed
        self._has_answered = False
        self._says_done = False
        self._is_refused = False
        self._dialogue: Dialogue | None = None

    async def prepare(self, rules: Rules) -> None:
        """Start the process if there is none, and wait until it is ready or its allowance ends."""
        self._rules = rules
        if self._preparing is None:
            if self._dialogue is not None and self._dialogue.process.is_running:
                return
            self._prepare_in_background()
        await self._prepared(None)

    async def ask(self, board: Board, budget: Budget, game: ProgramGame) -> Choice:
        """Put a question and wait for the answer; a process that fails is started anew."""
        begun = asyncio.get_running_loop().time()
        if not await self._prepared(begun + budget.deadline_s):
            raise ExternalError(Failure.ABSENT, self._command, board.text)
        dialogue = await self._running(board.text)
        try:
            choice = await dialogue.answer(board, budget, begun, game)
        except tuple(FAULTS) as fault:
            failed = await self._failed(fault, board.text)
            self._prepare_in_background()
            raise failed from None
        self._has_answered = True
        return choice

    async def end(self) -> None:
        if self._preparing is not None:
            self._preparing.cancel()
            await asyncio.wait([self._preparing])
            self._preparing = None
        if self._dialogue is not None and self._dialogue.process.is_running:
            await self._dialogue.quit()
        await self._end_process()

    def kill(self) -> None:
        """End the process and all that it started, and don't wait for it."""
        if self._dialogue is not None:
            self._dialogue.process.terminate()

    def _prepare_in_background(self) -> None:
        preparing = self._prepare()
        self._preparing = asyncio.create_task(preparing, name=f"start of {self._command}")

    async def _prepared(self, until: float | None) -> bool:
        """Wait while the program starts up, at most until a time; return whether that is over."""
        if self._preparing is None:
            return True
        now = asyncio.get_running_loop().time()
        limit = max(0.0, until - now) if until is not None else None
        done, _ = await asyncio.wait([self._preparing], timeout=limit)
        if done:
            preparing, self._preparing = self._preparing, None
            preparing.result()
        return bool(done)

    async def _prepare(self) -> None:
        dialogue = await self._running("")
        if self._rehearsal is not None:
            return
        try:
            async with asyncio.timeout(self._start_up_s):
                await dialogue.rehearse(self._rules)
        except tuple(FAULTS) as fault:
            failed = await self._failed(fault, "")
            said = f"in its rehearsal it {failed.failure}{failed.facts}"
            self._rehearsal = "" if failed.failure is Failure.HUNG else said
            self._warn(f"{said}; {UNREHEARSED}")
            dialogue = await self._running("")
        else:
            self._has_answered = True
        if self._options and dialogue.version == 1:
            self._is_refused = True
            await self._running("")

    async def _running(self, board: str) -> Dialogue:
        """Return the dialogue with the running process; start it if there is none."""
        if self._is_refused:
            await self._end_process()
            raise ExternalError(Failure.NOT_STARTED, self._command, board, advice=NO_OPTIONS)
        if self._dialogue is not None and self._dialogue.process.is_running:
            return self._dialogue
        await self._end_process()
        try:
            process = await start(self._command, self._stderr)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise ExternalError(Failure.NOT_STARTED, self._command, board, advice=why) from error
        self._has_answered = False
        self._dialogue = Dialogue(process, says_done=self._says_done, options=self._options)
        return self._dialogue

    async def _failed(self, fault: Exception, board: str) -> ExternalError:
        """End the process; return what its fault is to its author."""
        failure = next(each for kind, each in FAULTS.items() if isinstance(fault, kind))
        rehearsal, process = self._rehearsal, self._dialogue.process if self._dialogue else None
        if failure is Failure.HUNG and rehearsal is not None and not self._has_answered:
            failure = Failure.SLOW
        exit_code = None
        if failure is Failure.CRASHED and process is not None:
            exit_code = await process.exit_code(EXIT_WAIT_S)
        await self._end_process()
        line = fault.line if isinstance(fault, BadLineError) else None
        return ExternalError(
            failure,
            self._command,
            board,
            line=line,
            exit_code=exit_code,
            advice=_advice(failure, line or "", exit_code, rehearsal or ""),
            stderr=tuple(process.stderr) if process is not None else (),
        )

    async def _end_process(self) -> None:
        dialogue, self._dialogue = self._dialogue, None
        if dialogue is not None:
            self._says_done = dialogue.says_done
            await dialogue.process.end()


def _advice(failure: Failure, line: str, exit_code: int | None, rehearsal: str) -> str:
    """Return what a program's author should look at, where the failure shows it."""
    match failure:
        case Failure.HUNG:
            return SILENT
        case Failure.SLOW:
            return rehearsal or SLOW
        case Failure.ILLEGAL if any(map(str.isalpha, line)):
            return NOT_A_PIT
        case Failure.CRASHED if exit_code == 0:
            return NO_LOOP
    return ""
