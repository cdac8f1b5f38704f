"""Which line of a program answers which question."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import cast

import pytest

from mancala.bot.players.dialogue import BadLineError, Dialogue
from mancala.bot.players.process import Process
from mancala.protocol.player import Budget
from mancala.protocol.rules import KALAH, Board

START = Board.start(KALAH)
SOON = Budget(time_s=0.0, deadline_s=0.0)
LONG = Budget(time_s=1000.0, deadline_s=1000.0)


class Script:
    """A process that answers each question with the next lines of a script."""

    def __init__(self, *answers: str) -> None:
        self.asked: list[str] = []
        self._answers = deque(answers)
        self._words: deque[bytes] = deque()

    def put(self, line: str) -> None:
        """Take a question."""
        self.asked.append(line.rstrip("\n"))
        if self._answers:
            words = self._answers.popleft().split(",")
            self._words.extend(word.strip().encode() for word in words if word)

    async def word(self) -> bytes:
        """Return the next line, or wait for ever."""
        if not self._words:
            await asyncio.Event().wait()
        return self._words.popleft()

    async def pass_over(self) -> None:
        """Drop what was written so far."""
        self._words.clear()


async def ask(dialogue: Dialogue, budget: Budget = LONG) -> int:
    """Put the usual start."""
    return await dialogue.answer(START, budget, asyncio.get_running_loop().time())


def dialogue_with(script: Script) -> Dialogue:
    """Return a dialogue with a script."""
    return Dialogue(cast("Process", script))


async def test_a_program_that_says_ready_is_asked_with_numbers() -> None:
    """What belongs to another question is dropped."""
    script = Script("a banner, 3, ready", "5 #1, done #1, 2 #2, done #2")
    dialogue = dialogue_with(script)
    await dialogue.rehearse(KALAH)
    assert await ask(dialogue) == 2
    assert script.asked[1].endswith(" #2")


async def test_a_number_may_not_be_left_out() -> None:
    """A program that asked for numbers uses them."""
    dialogue = dialogue_with(Script("ready", "2, done"))
    await dialogue.rehearse(KALAH)
    with pytest.raises(BadLineError, match="2"):
        await ask(dialogue)


async def test_a_late_done_ends_no_other_answer() -> None:
    """After a question whose time was up, everything until its ``done`` is dropped."""
    dialogue = dialogue_with(Script("0, done", "", "4, done, 1, done"))
    await dialogue.rehearse(KALAH)
    with pytest.raises(TimeoutError):
        await ask(dialogue, SOON)
    assert await ask(dialogue) == 1


async def test_a_done_without_a_pit_ends_nothing() -> None:
    """The answer is the pit that follows."""
    assert await ask(dialogue_with(Script("done, 3, done"))) == 3


async def test_what_is_no_legal_pit_is_quoted() -> None:
    """The error holds the beginning of the line."""
    with pytest.raises(BadLineError) as caught:
        await ask(dialogue_with(Script("six")))
    assert caught.value.line == "six"
