"""Engines that speak as UCI's do: ``uci``, ``isready``, ``position``, ``go``, ``bestmove``.

    mancala match "cmd:python -m mancala.bot.adapters.uci ./engine" engine:level=3

UCI is a protocol of chess, so two things are said here. A position is ``position fen BOARD``, the
board in its text form with the mover first. A move is a pit, from 0, in the mover's direction of
sowing; under the pie rule ``swap`` where the question was ``go movetime MS pie``. An option
that the user set, and a rule, are sent by ``setoption`` where the engine has an option of the name.
What ``info`` says of ``depth``, ``nodes``, ``score cp`` (hundredths of a seed) and ``pv`` is
recorded with the move.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

from .dialogue import COME_S, Adapter, LineProcess, ProgramQuestion

MARGIN_S: Final = 0.03
"""How long before the time is up an engine is stopped that still thinks."""
LAST_S: Final = 0.02
"""Seconds for the answer to ``stop``."""
SEARCH_FACTS: Final = ("depth", "nodes")
COUNTED: Final = "cp"


class UciEngine(Adapter):
    def __init__(self, command: Sequence[str]) -> None:
        super().__init__(command)
        self._process: LineProcess | None = None
        self._options: set[str] = set()
        self._pending: dict[str, str] = {}
        self._game = ""
        self._unanswered = 0

    def warm_up(self) -> None:
        """Start the engine; wait until it is ready."""
        self._process = LineProcess(self._command)
        until = time.monotonic() + COME_S
        for words in self._said("uci", until, "uciok"):
            if words[:2] == ["option", "name"]:
                self._options.add(" ".join(words[2:]).partition(" type ")[0])
        for _ in self._said("isready", until, "readyok"):
            pass

    def set_option(self, name: str, value: str) -> None:
        self._pending[name] = value

    def answer(self, question: ProgramQuestion) -> str:
        """Return the engine's best move with what it found; nothing if it gave none in time."""
        until = time.monotonic() + question.budget_ms / 1000
        self._prepare(question)
        self._say(f"position fen {question.board.text}")
        self._say(f"go movetime {question.budget_ms}{' pie' if question.pie else ''}")
        self._unanswered += 1
        found = _Found()
        with suppress(TimeoutError):
            return self._best(until - min(MARGIN_S, question.budget_ms / 4000), found)
        self._say("stop")
        with suppress(TimeoutError):
            return self._best(until + LAST_S, found)
        return found.answer(found.pv[0] if found.pv else "")

    def close(self) -> None:
        """Ask the engine to end, and end it if it stays."""
        if self._process is not None:
            self._process.end("quit")
            self._process = None

    def _prepare(self, question: ProgramQuestion) -> None:
        """Send the options that changed, and that a game begins."""
        pending, self._pending = self._pending, {}
        for name, value in pending.items():
            if name in self._options:
                self._say(f"setoption name {name} value {value}")
        if question.game != self._game:
            self._game = question.game
            self._say("ucinewgame")

    def _said(self, question: str, until: float, last: str) -> Iterator[list[str]]:
        """Send a line; yield the engine's lines before the last one of the answer, in words."""
        self._say(question)
        try:
            while (words := self._next(until))[0] != last:
                yield words
        except TimeoutError:
            sys.exit(f"the engine did not say {last} within {COME_S:g} s")

    def _best(self, until: float, found: _Found) -> str:
        """Return the best move of the last question."""
        while True:
            match self._next(until):
                case ["info", *words] if self._unanswered == 1:
                    found.read(words)
                case ["bestmove", *words]:
                    self._unanswered -= 1
                    if self._unanswered == 0:
                        return found.answer(words[0] if words else "")

    def _next(self, until: float) -> list[str]:
        """Return the next line that isn't blank, in words."""
        words: list[str] = []
        while self._process is not None and not words:
            words = self._process.hear(max(0.0, until - time.monotonic())).split()
        return words

    def _say(self, line: str) -> None:
        if self._process is not None:
            self._process.say(line)


class _Found:
    """What the lines ``info`` of one question said last."""

    def __init__(self) -> None:
        self.facts: dict[str, str] = {}
        self.pv: list[str] = []

    def read(self, words: list[str]) -> None:
        """Take a line; ``string`` ends what is read."""
        while words and words[0] != "string":
            word, *words = words
            if word == "pv":
                self.pv, words = words, []
            elif word == "score" and len(words) > 1 and words[0] == COUNTED:
                with suppress(ValueError):
                    self.facts["value"] = f"{int(words[1]) / 100:g}"
            elif word in SEARCH_FACTS and words and _is_number(words[0]):
                self.facts[word] = words[0]

    def answer(self, move: str) -> str:
        """Return a move with what was found, as section 13 writes it."""
        if not _is_number(move):
            return move
        words = [move, *(word for fact in self.facts.items() for word in fact)]
        line = [pit for pit in self.pv if _is_number(pit)]
        if line and line == self.pv and line[0] == move:
            words += ["pv", *line]
        return " ".join(words)


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit()


if __name__ == "__main__":
    UciEngine.main()
