"""The program's side of section 13 of SPEC.md, for programs that answer one question at a time.

A question is answered before the next line is read. So ``stop`` and a question that comes meanwhile
wait; an answer that comes too late repeats the number of its own question, and is dropped.
"""

import subprocess
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import IO, Any, Final, NamedTuple, TextIO

from mancala.protocol.rules import Board

COME_S: Final = 25.0
"""How long a program may take to be ready, in seconds."""
END_S: Final = 0.5
"""How long it may take to end, in seconds."""


class ProgramQuestion(NamedTuple):
    """A question of the host; in its board, player 0 is the mover.

    Attributes:
        game: the game's id.
        seat: the mover's seat in it.
        pie: whether a swap can still follow.
    """

    board: Board
    budget_ms: int
    game: str
    seat: int
    pie: bool


class Adapter(ABC):
    """A program that speaks another protocol; ``command`` starts it."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command

    @abstractmethod
    def warm_up(self) -> None:
        """Start it, before any clock runs."""

    def set_option(self, name: str, value: str) -> None:  # noqa: B027  # most protocols have none
        """Take an option of the user, or a rule."""

    @abstractmethod
    def answer(self, question: ProgramQuestion) -> str:
        """Return a pit, from 0, and perhaps a report, or ``swap``; nothing if too late."""

    @abstractmethod
    def close(self) -> None:
        """End it."""

    @classmethod
    def main(cls) -> None:
        """Play as a program of section 13, with the program of the command line."""
        if len(sys.argv) < 2:
            sys.exit(f"usage: python -m {cls.__module__} COMMAND")
        converse(cls(sys.argv[1:]))


class LineProcess:
    """A program that is spoken to in lines, over its pipes."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(  # noqa: S603  # the user's own command
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._lines: SimpleQueue[str] = SimpleQueue()
        self._reader = threading.Thread(
            target=self._read, args=(self._process.stdout,), daemon=True
        )
        self._reader.start()

    def say(self, line: str) -> None:
        if self._process.stdin is not None:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()

    def hear(self, within_s: float | None = None) -> str:
        """Return the program's next line, or raise `TimeoutError`, or `SystemExit` at its end."""
        try:
            line = self._lines.get(timeout=within_s)
        except Empty:
            raise TimeoutError from None
        if not line:
            sys.exit(f"the program ended with code {self._process.wait()}")
        return line.strip()

    def end(self, farewell: str) -> None:
        """Send that it is over, and end the program if it stays."""
        with suppress(OSError):
            self.say(farewell)
        end_process(self._process)
        self._reader.join(END_S)

    def _read(self, stdout: IO[str]) -> None:
        with stdout:
            for line in stdout:
                self._lines.put(line)
        self._lines.put("")


def end_process(process: subprocess.Popen[Any]) -> None:
    """Wait for a process that was asked to end, and kill it if it stays."""
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
    try:
        process.wait(timeout=END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class _Dialogue:
    """What the host has said so far."""

    def __init__(self, program: Adapter, out: TextIO) -> None:
        self._program = program
        self._out = out
        self._game, self._seat = "", 0
        self._board = Board.start()

    def hear(self, words: list[str]) -> None:
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

    def _answer(self, budget_ms: int, number: str, *, pie: bool) -> None:
        question = ProgramQuestion(self._board, budget_ms, self._game, self._seat, pie)
        if answer := self._program.answer(question):
            print(f"{answer} {number}\ndone {number}", file=self._out, flush=True)


def converse(program: Adapter, lines: TextIO = sys.stdin, out: TextIO = sys.stdout) -> None:
    """Answer the questions of a host until it says ``quit`` or hangs up."""
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
