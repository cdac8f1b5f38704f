"""The situations of ``mancala check-bot`` for programs (``cmd:PROGRAM``): section 13 of SPEC.md."""

import asyncio
import re
import shlex
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Final

from mancala.bot.players.programs.dialogue import ProgramGame, newgame_line, rules_line
from mancala.protocol.clock import TimeControl
from mancala.protocol.player import START_UP_S
from mancala.protocol.rules import Board, Rules

from .robot import QUOTED_FRAMES, Times
from .starting import end_group
from .verdicts import ConformanceReport, FailureError, Verdict, chosen

REHEARSAL_MS: Final = 100
SMALL_BUDGET_MS: Final = 50
SIZES: Final = ("kalah:pits=1,seeds=1", "kalah:pits=3,seeds=2", "kalah:pits=2,seeds=60",
                "kalah:pits=16,seeds=1")  # fmt: skip
ANSWER: Final = re.compile(r"([0-9]{1,6}|done)(?: (#[0-9]+))?")
ANSWER_2: Final = re.compile(r"([0-9]{1,6}|done)(?: [^#]+)?(?: (#[0-9]+))?")
READY: Final = {"ready": 1, "ready 2": 2, "ready 2 swap": 2}
LONG_MS: Final = 600_000


class CheckedProgram:
    """A running program, the last lines, and the version of the dialogue that it asked for."""

    def __init__(
        self, process: asyncio.subprocess.Process, times: Times, start: Board | None = None
    ) -> None:
        self.start = start or Board.start()
        self.lines: deque[str] = deque(maxlen=QUOTED_FRAMES)
        self.has_answered = False
        self.is_numbered = False
        self.version = 1
        self._games = 0
        self._ends_answers = False
        self._owes_done = False
        self._number = 0
        self._process = process
        self._times = times

    async def rehearse(self) -> str:
        """Put the first question, whose answer is not played; return a note on the program."""
        await self._write(f"{self.start.text} {REHEARSAL_MS}")
        got = "nothing"
        try:
            async with asyncio.timeout(START_UP_S) as limit:
                while not self.is_numbered:
                    line = await self._read(None)
                    got = f"no pit: {line!r}" if line != "done" or got == "nothing" else got
                    self.is_numbered = line in READY
                    self.version = READY.get(line, 1)
                    if line == "done" and self.has_answered:
                        self._ends_answers = True
                        return "ends its answers with done"
                    if line.isascii() and line.isdigit() and not self.has_answered:
                        self.has_answered = True
                        left_s = REHEARSAL_MS / 1000 + self._times.late_s
                        limit.reschedule(asyncio.get_running_loop().time() + left_s)
        except TimeoutError:
            if self.has_answered:
                return "answers without done, and gets all its time"
            raise FailureError(
                f"an answer within {START_UP_S:g} s", got, "**Start.** The first question"
            ) from None
        self.has_answered = True
        return "speaks version 2" if self.speaks_2 else "answers with numbers"

    @property
    def speaks_2(self) -> bool:
        """Whether it hears of rules, games and when to stop."""
        return self.version > 1

    async def ask(self, board: Board, milliseconds: int) -> int:
        """Put a question; return the last pit of its answer."""
        return await self.hear(board, await self.put(board, milliseconds), milliseconds)

    async def hear(self, board: Board, mark: str, milliseconds: float) -> int:
        """Return the last pit of the answer to a question; it comes within the time."""
        pit: int | None = None
        with suppress(TimeoutError):
            async with asyncio.timeout(milliseconds / 1000 + self._times.late_s):
                while (found := await self._answer(mark)) != "done" or pit is None:
                    pit = _legal(board, found) if found != "done" else pit
                self._ends_answers = True
                return pit
        if pit is None:
            raise FailureError(
                f"a pit within {milliseconds:g} ms for {board.text}",
                "none",
                "A question is a board",
                is_late=True,
            )
        if self._ends_answers or self.is_numbered:
            raise FailureError(
                f"done within {milliseconds:g} ms",
                "pits alone",
                "it must end every answer with it",
                is_late=True,
            )
        return pit

    async def put(self, board: Board, milliseconds: int) -> str:
        """Put a question, and do not wait for its answer; return its mark."""
        self._number += 1
        mark = f"#{self._number}" if self.is_numbered else ""
        if self.speaks_2:
            for line in self._told(board):
                await self._write(line)
        words = f"go {milliseconds}" if self.speaks_2 else f"{board.text} {milliseconds}"
        await self._write(f"{words} {mark}".rstrip())
        return mark

    def _told(self, board: Board) -> tuple[str, ...]:
        """Return what comes before ``go``: each question is of another game."""
        self._games += 1
        game = ProgramGame(f"game{self._games}", TimeControl(), seed=self._games)
        return (rules_line(board.rules), newgame_line(game, board.player), f"position {board.text}")

    async def stop(self, mark: str) -> None:
        """Ask it to end the answer to a question now."""
        await self._write(f"stop {mark}")

    async def quit(self, within_s: float) -> None:
        """Ask it to end."""
        await self._write("quit")
        try:
            async with asyncio.timeout(within_s):
                await self._process.wait()
        except TimeoutError:
            raise FailureError(
                f"that it ends within {within_s:g} s",
                "it still runs",
                "`quit` asks the program",
                is_late=True,
            ) from None

    @property
    def has_ended(self) -> bool:
        """Whether its process is known to be over."""
        return self._process.returncode is not None

    @property
    def can_be_late(self) -> bool:
        """Whether its late answers can be told from those to the next question."""
        return self.is_numbered or self._ends_answers

    def lapse(self) -> None:
        """Close the open question, as its time is up; later answers to it are dropped."""
        self._owes_done = self._ends_answers and not self.is_numbered

    async def _answer(self, mark: str) -> str:
        while True:
            line = await self._read(None)
            found = (ANSWER_2 if self.speaks_2 else ANSWER).fullmatch(line)
            if found is None:
                raise FailureError("a pit or done", repr(line), "An answer is any number of pits")
            if self.is_numbered and found[2] is None:
                raise FailureError(
                    f"a line that ends with {mark}",
                    repr(line),
                    "repeats the number of the question at the end of each line",
                )
            if self._owes_done:
                self._owes_done = found[1] != "done"
            elif (found[2] or "") == mark:
                return found[1]

    async def _write(self, line: str) -> None:
        pipe = self._process.stdin
        if pipe is None:
            raise ValueError("the program was started without a pipe")
        self.lines.append(f"in:   {line}")
        with suppress(ConnectionError):
            pipe.write(f"{line}\n".encode())
            await pipe.drain()

    async def _read(self, within_s: float | None) -> str:
        pipe = self._process.stdout
        if pipe is None:
            raise ValueError("the program was started without a pipe")
        while True:
            async with asyncio.timeout(within_s):
                try:
                    data = await pipe.readline()
                except ValueError:  # as StreamReader says it
                    raise FailureError(
                        "a pit or done", "a line without an end", "An answer is any number of pits"
                    ) from None
            if not data:
                code = await self._process.wait()
                raise FailureError(
                    "that the program keeps running", f"it ended with code {code}", "kept running"
                )
            line = data.decode(errors="backslashreplace").strip()
            if line:
                self.lines.append(f"out:  {line}")
                return line


def _legal(board: Board, word: str) -> int:
    pit = int(word)
    if pit not in board.legal():
        raise FailureError(
            f"one of the legal pits {list(board.legal())} of {board.text}",
            f"pit {pit}",
            "names a pit that may not be sown",
        )
    return pit


@asynccontextmanager
async def running(
    command: str, times: Times, start: Board | None = None
) -> AsyncIterator[CheckedProgram]:
    """Run a program during the block; its errors go to stderr."""
    process = await asyncio.create_subprocess_exec(
        *shlex.split(command),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        yield CheckedProgram(process, times, start)
    finally:
        await end_group(process)


async def rehearses(program: CheckedProgram, times: Times) -> str:  # noqa: ARG001  # a situation's form
    """Answers its first question, however long it needs to start."""
    return await program.rehearse()


async def plays_a_game(program: CheckedProgram, times: Times) -> None:
    """Plays a game to its end; the robot sows its first pit."""
    board = program.start
    while not board.is_over:
        is_asked = board.player == 0
        pit = await program.ask(board, round(1000 * times.move_s)) if is_asked else board.legal()[0]
        board = board.sow(pit).board


async def plays_other_sizes(program: CheckedProgram, times: Times) -> None:
    """Plays on boards of other sizes, from one pit a row to sixteen."""
    for text in SIZES:
        await program.ask(Board.start(Rules.parse(text)), round(1000 * times.move_s))


async def keeps_small_budgets(program: CheckedProgram, times: Times) -> None:  # noqa: ARG001  # a situation's form
    """Has a pit ready when there is little time."""
    for _ in range(5):
        await program.ask(Board.start(), SMALL_BUDGET_MS)


async def is_too_late(program: CheckedProgram, times: Times) -> str | None:
    """Answers the next question though the time of the last one was up."""
    if not program.can_be_late:
        return "not asked: without numbers and done, its late answer can't be told from the next"
    await program.put(Board.start(), 1)
    program.lapse()
    board = Board.from_text("<6,3,1,0,0,0,0,0,9,5,0,2,0,9,9>")
    await program.ask(board, round(1000 * times.move_s))
    return None


async def stops(program: CheckedProgram, times: Times) -> str | None:
    """Ends its answer on `stop`, though it had more time."""
    if not program.speaks_2:
        return "not asked: version 1 has no stop"
    board = Board.start()
    mark = await program.put(board, LONG_MS)
    await program.stop(mark)
    await program.hear(board, mark, 1000 * times.move_s)
    return None


async def quits(program: CheckedProgram, times: Times) -> str | None:
    """Ends on `quit`."""
    if not program.speaks_2:
        return "not asked: version 1 has no quit"
    await program.quit(times.move_s + times.late_s)
    return None


Situation = Callable[[CheckedProgram, Times], Awaitable[str | None]]
SITUATIONS: Final[Mapping[str, Situation]] = {
    "the rehearsal": rehearses,
    "a whole game": plays_a_game,
    "other sizes": plays_other_sizes,
    "small budgets": keeps_small_budgets,
    "a question whose time was up": is_too_late,
    "a question that is stopped": stops,
    "quit": quits,
}


async def check(
    command: str, times: Times, names: Collection[str] = (), start: Board | None = None
) -> ConformanceReport:
    """Put a program through all situations, or those named, each with a process of its own."""
    report = ConformanceReport(f"cmd:{command}")
    situations = chosen(SITUATIONS, names)
    for name, situation in situations.items():
        async with running(command, times, start) as program:
            try:
                if situation is not rehearses:
                    await program.rehearse()
                note = await situation(program, times)
                report.verdicts.append(Verdict(name, note=note or ""))
            except FailureError as failure:
                report.verdicts.append(Verdict(name, failure, tuple(program.lines)))
                if not program.has_answered or (situation is rehearses and program.has_ended):
                    report.skipped = tuple(situations)[len(report.verdicts) :]
                    break
    return report
