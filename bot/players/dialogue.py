"""The dialogue with a program: questions, rehearsal, and which line answers which question.

A question is a line, the board and the milliseconds; an answer is as many lines as the program
likes, the last pit counts, and ``done`` ends it. Section 13 of ``protocol/SPEC.md`` is the whole
description, `mancala.bot.players.external` its summary.

**Stale answers.** A program that answered the rehearsal with ``ready`` repeats a question's number
in each line; what has another number is dropped. Of a program without numbers that ever said
``done``, what it still says to a question whose time was up is dropped until that ``done``. For one
that never does, what it wrote between two questions is dropped. A ``done`` without a pit before it
never ends an answer.
"""

from __future__ import annotations

import asyncio
from typing import Final

from mancala.bot.players.process import Process
from mancala.protocol.player import Budget, Choice
from mancala.protocol.rules import Board, Rules

LATENESS_S: Final = 0.02
"""Seconds for which what was written at the last moment may be on its way through the pipes."""
REHEARSAL_S: Final = 0.1
"""Seconds to think that a program is given in its rehearsal."""
DONE_WAIT_S: Final = 0.2
"""Seconds for which a rehearsal waits for ``done`` after a pit."""
QUOTED: Final = 200
DONE: Final = b"done"
READY: Final = b"ready"


class BadLineError(Exception):
    """A program answered with what is no legal pit.

    Attributes:
        line: the beginning of its answer.
    """

    def __init__(self, line: bytes) -> None:
        self.line = line[:QUOTED].decode("ascii", errors="backslashreplace")
        super().__init__(self.line)


class Dialogue:
    """Questions to one process, one at a time.

    Args:
        process: the program.
        says_done: whether it is known to end its answers with ``done``.

    Attributes:
        process: the program.
        says_done: whether it ever ended an answer with ``done``.
    """

    def __init__(self, process: Process, *, says_done: bool = False) -> None:
        self.says_done = says_done
        self.process = process
        self._number = 0
        self._unfinished = 0
        self._is_numbered = False

    async def rehearse(self, rules: Rules) -> None:
        """Ask for an answer that is not played; other lines, such as a banner, are dropped.

        Raises:
            BadLineError: when it answers with no legal pit.
            FloodError: when it writes too much.
            EOFError: when it ends.
        """
        board = Board.start(rules)
        await self._put(board, REHEARSAL_S)
        answered = False
        try:
            async with asyncio.timeout(None) as timer:
                while (word := await self.process.word()) not in (READY, DONE):
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
        self.says_done = self.says_done or word == DONE
        self._unfinished = 0

    async def answer(self, board: Board, budget: Budget, begun: float) -> int:
        """Put a question and return the last pit before ``done`` or the budget's end.

        While there is no pit, wait until the deadline.

        Args:
            board: the question.
            budget: the time; each better pit is offered.
            begun: when the budget began, by the loop's clock.

        Raises:
            TimeoutError: when there is no pit by the deadline.
            BadLineError: when it answers with no legal pit.
            FloodError: when it writes too much.
            EOFError: when it ends.
        """
        legal = board.legal()
        slack_s = min(LATENESS_S, (budget.deadline_s - budget.time_s) / 2)
        pit: int | None = None
        try:
            async with asyncio.timeout_at(begun + budget.deadline_s) as timer:
                await self._put(board, budget.time_s)
                while True:
                    word = await self.process.word()
                    if word == READY and pit is None and not self._is_numbered:
                        self._is_numbered = True  # it was started during the game
                        await self._put(board, budget.time_s)
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
            BadLineError: when a program that uses numbers leaves one out.
        """
        if self._is_numbered:
            answer, _, number = word.rpartition(b" #")
            if not (answer and number.isdigit()):
                raise BadLineError(word)
            return answer.strip() if number == b"%d" % self._number else None
        if word == DONE:
            self.says_done = True
            self._unfinished = max(0, self._unfinished - 1)
            return DONE if self._unfinished == 0 else None
        return None if self.says_done and self._unfinished > 1 else word

    async def _put(self, board: Board, time_s: float) -> None:
        if not (self.says_done or self._is_numbered):
            self._unfinished = 0
            await self.process.pass_over()
        self._unfinished += 1
        self._number += 1
        number = f" #{self._number}" if self._is_numbered else ""
        self.process.put(f"{board.text} {max(1, round(time_s * 1000))}{number}\n")


def _legal_pit(word: bytes, legal: tuple[int, ...]) -> int:
    if not (word.isdigit() and len(word) < 4 and int(word) in legal):
        raise BadLineError(word)
    return int(word)
