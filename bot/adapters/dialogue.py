"""The program's side of section 13 of SPEC.md, for programs that answer one question at a time.

A question is answered before the next line is read. So ``stop`` and a question that comes meanwhile
wait; an answer that comes too late repeats the number of its own question, and is dropped.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, Protocol, TextIO

from mancala.protocol.rules import Board

COME_S: Final = 25.0
"""How long a program may take to be ready, in seconds."""
END_S: Final = 0.5
"""How long it may take to end, in seconds."""


class ProgramQuestion(NamedTuple):
    """A question of the host.

    Attributes:
        board: the position; player 0 is the mover.
        budget_ms: milliseconds to think.
        game: the game's id.
        seat: the mover's seat in it.
        pie: whether a swap can still follow.
    """

    board: Board
    budget_ms: int
    game: str
    seat: int
    pie: bool


class AdaptedProgram(Protocol):
    """A program that speaks another protocol."""

    def warm_up(self) -> None:
        """Start it, before any clock runs."""

    def set_option(self, name: str, value: str) -> None:
        """Take an option of the user, or a rule."""

    def answer(self, question: ProgramQuestion) -> str:
        """Return a pit, from 0, or ``swap``; nothing where there was no answer in time.

        What the search found may follow the pit, as in section 13.
        """

    def close(self) -> None:
        """End it."""


class _Dialogue:
    """What the host has said so far."""

    def __init__(self, program: AdaptedProgram, out: TextIO) -> None:
        self._program = program
        self._out = out
        self._game, self._seat = "", 0
        self._board = Board.start()

    def hear(self, words: list[str]) -> None:
        """Act upon a line of the host."""
        match words:
            case ["option", name, *words]:
                self._program.set_option(name, " ".join(words))
            case ["rules", *rules]:
                for name, value in zip(rules[::2], rules[1::2], strict=False):
                    self._program.set_option(name, value)
            case ["newgame", game, "seat", seat, *_]:
                self._game, self._seat = game, int(seat)
            case ["position", text]:
                self._board = Board.from_text(text)
            case ["go", budget_ms, number, *more]:
                self._answer(int(budget_ms), number, pie="pie" in more)
            case _:
                pass

    def _answer(self, budget_ms: int, number: str, *, pie: bool) -> None:
        question = ProgramQuestion(self._board, budget_ms, self._game, self._seat, pie)
        if answer := self._program.answer(question):
            self._say(f"{answer} {number}")
            self._say(f"done {number}")

    def _say(self, line: str) -> None:
        print(line, file=self._out, flush=True)


def converse(program: AdaptedProgram, lines: TextIO = sys.stdin, out: TextIO = sys.stdout) -> None:
    """Answer the questions of a host until it says ``quit`` or hangs up.

    Args:
        program: who answers.
        lines: what the host says.
        out: what it hears.
    """
    dialogue = _Dialogue(program, out)
    try:
        if lines.readline():
            program.warm_up()
            print("ready 2 swap", file=out, flush=True)
        for line in lines:
            if line.strip() == "quit":
                break
            dialogue.hear(line.split())
    finally:
        program.close()


def end_process(process: subprocess.Popen[Any]) -> None:
    """Wait for a process that was asked to end, and kill it if it stays."""
    try:
        process.communicate(timeout=END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def run_adapter(name: str, make: Callable[[Sequence[str]], AdaptedProgram]) -> None:
    """Play as a program of section 13, with the program of the command line.

    Args:
        name: the adapter's module, for the usage.
        make: makes the adapter from the program's command.
    """
    if len(sys.argv) < 2:
        sys.exit(f"usage: python -m mancala.bot.adapters.{name} COMMAND")
    converse(make(sys.argv[1:]))
