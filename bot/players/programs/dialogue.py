"""The dialogue with a program: questions, rehearsal, and which line answers which question.

A question is a line, the board and the milliseconds; an answer is as many lines as the program
likes, the last pit counts, and ``done`` ends it. Section 13 of ``protocol/SPEC.md`` is the whole
description, `external` its summary.

**Stale answers.** A program that answered the rehearsal with ``ready`` repeats a question's number
in each line; what has another number is dropped. Of a program without numbers that ever said
``done``, what it still says to a question whose time was up is dropped until that ``done``. For one
that never does, what it wrote between two questions is dropped. A ``done`` without a pit before it
never ends an answer.

**Version 2.** A program that answered with ``ready 2`` learns more, in UCI's manner: its options,
the rules where they change, each game, and when to stop. It may add to a pit what it found, and
resign with a cause. One that answered with ``ready 2 swap`` learns where the pie rule's swap can
still follow; no other program is asked.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields
from math import isfinite
from typing import Any, Final, NamedTuple

from msgspec import UNSET

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Info
from mancala.protocol.player import Budget, Choice, PlayerError
from mancala.protocol.rules import MAX_SEEDS_IN_ALL, SWAP, Board, Rules
from mancala.protocol.text import decimal_number

from .process import Process

LATENESS_S: Final = 0.02
"""Seconds for which what was written at the last moment may be on its way through the pipes."""
REHEARSAL_S: Final = 0.1
"""Seconds to think that a program is given in its rehearsal."""
DONE_WAIT_S: Final = 0.2
"""Seconds for which a rehearsal waits for ``done`` after a pit."""
QUOTED: Final = 200
DONE: Final = b"done"
READY: Final = b"ready"
READY_2: Final = b"ready 2"
READY_2_SWAP: Final = b"ready 2 swap"
READIES: Final = (READY, READY_2, READY_2_SWAP)
SWAP_WORD: Final = b"swap"
RESIGN: Final = b"resign"
UCI_LIKE: Final = 2
QUIT_S: Final = 0.5
"""Seconds that a program of version 2 has to end after ``quit``."""


class ProgramGame(NamedTuple):
    """What a program learns about a game: its id, without spaces, and what else is known."""

    id: str
    control: TimeControl | None = None
    seed: int | None = None
    opponent: str = ""


NO_GAME: Final = ProgramGame("game")


class BadLineError(Exception):
    """A program answered with what is no legal pit; ``line`` is the beginning of it."""

    def __init__(self, line: bytes) -> None:
        self.line = line[:QUOTED].decode("ascii", errors="backslashreplace")
        super().__init__(self.line)


class Dialogue:
    def __init__(
        self, process: Process, *, says_done: bool = False, options: Mapping[str, str] | None = None
    ) -> None:
        self.says_done = says_done
        self.process = process
        self.version = 1
        self._knows_swap = False
        self._options = options or {}
        self._number = 0
        self._stopped = 0
        self._unfinished = 0
        self._is_numbered = False
        self._told: tuple[str, str] = ("", "")

    async def rehearse(self, rules: Rules) -> None:
        """Ask for an answer that is not played; other lines, such as a banner, are dropped."""
        board = Board.start(rules)
        await self._put(board, REHEARSAL_S, NO_GAME)
        answered = False
        try:
            async with asyncio.timeout(None) as timer:
                while (word := await self.process.word()) not in (*READIES, DONE):
                    if word.isdigit() and not answered:
                        _legal_pit(word, board.legal())
                        answered = True
                        now = asyncio.get_running_loop().time()
                        timer.reschedule(now + REHEARSAL_S + DONE_WAIT_S)
        except TimeoutError:
            if not answered:
                raise
            return
        self.says_done = self.says_done or word == DONE
        self._unfinished = 0
        if word != DONE:
            self._agree(word)

    async def answer(
        self, board: Board, budget: Budget, begun: float, game: ProgramGame = NO_GAME
    ) -> Choice:
        """Put a question and return the last choice before ``done`` or the budget's end.

        While there is no pit, wait until the deadline. The budget began at ``begun``, by the loop's
        clock; each better pit is offered to it.

        Raises:
            PlayerError: when it resigns.
            TimeoutError: when there is no pit by the deadline.
            BadLineError: when it answers with no legal pit.
            FloodError: when it writes too much.
            EOFError: when it ends.
        """
        swap = (SWAP,) if board.may_swap and self._knows_swap else ()
        legal = (*board.legal(), *swap)
        slack_s = min(LATENESS_S, (budget.deadline_s - budget.time_s) / 2)
        choice: Choice | None = None
        stop = asyncio.get_running_loop().call_at(begun + budget.time_s, self._stop)
        try:
            async with asyncio.timeout_at(begun + budget.deadline_s) as timer:
                await self._put(board, budget.time_s, game)
                while True:
                    word = await self.process.word()
                    if word in READIES and choice is None and not self._is_numbered:
                        self._agree(word)  # it was started during the game
                        await self._put(board, budget.time_s, game)
                    elif (answer := self._of_this_question(word)) == DONE:
                        if choice is not None:
                            return choice
                    elif answer is not None:
                        choice = self._choice(answer, legal)
                        budget.offer(choice)
                        timer.reschedule(begun + budget.time_s + slack_s)
        except (TimeoutError, asyncio.CancelledError) as ending:
            self._stop()
            if choice is None or isinstance(ending, asyncio.CancelledError):
                raise
        finally:
            stop.cancel()
        return choice

    async def quit(self) -> None:
        """Ask a program of version 2 to end, and give it a moment for that."""
        if self.version == UCI_LIKE:
            with suppress(EOFError):
                self.process.put("quit\n")
                await self.process.exit_code(QUIT_S)

    def _agree(self, ready: bytes) -> None:
        """Speak as the program wants to from now on."""
        self._is_numbered = True
        self.version = 1 if ready == READY else UCI_LIKE
        self._knows_swap = ready == READY_2_SWAP
        for name, value in self._options.items():
            self._tell(f"option {name} {value}")

    def _stop(self) -> None:
        if self._stopped != self._number:
            self._stopped = self._number
            with suppress(EOFError):
                self._tell(f"stop #{self._number}")

    def _tell(self, line: str) -> None:
        if self.version == UCI_LIKE:
            self.process.put(f"{line}\n")

    def _choice(self, answer: bytes, legal: tuple[int, ...]) -> Choice:
        if self.version == 1:
            return Choice(_legal_pit(answer, legal))
        word, _, cause = answer.partition(b" ")
        if word == RESIGN:
            said = cause.decode(errors="replace").strip()
            raise PlayerError(f"the program said: {said}" if said else "the program gave no reason")
        choice = Choice(SWAP) if answer == SWAP_WORD else read_choice(answer)
        if choice is None or choice.pit not in legal:
            raise BadLineError(answer)
        return choice

    def _of_this_question(self, word: bytes) -> bytes | None:
        """Return a line without its number; None when it belongs to an earlier question."""
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

    async def _put(self, board: Board, time_s: float, game: ProgramGame) -> None:
        if not (self.says_done or self._is_numbered):
            self._unfinished = 0
            await self.process.pass_over()
        self._unfinished += 1
        self._number += 1
        milliseconds = max(1, round(time_s * 1000))
        if self.version == 1:
            number = f" #{self._number}" if self._is_numbered else ""
            self.process.put(f"{board.text} {milliseconds}{number}\n")
            return
        news = (rules_line(board.rules.without_pie), newgame_line(game, board.player))
        for line, told in zip(news, self._told, strict=True):
            if line != told or news[0] != self._told[0]:
                self._tell(line)
        self._told = news
        self._tell(f"position {board.text}")
        pie = " pie" if board.rules.pie and self._knows_swap else ""
        self._tell(f"go {milliseconds} #{self._number}{pie}")


def _legal_pit(word: bytes, legal: tuple[int, ...]) -> int:
    if not (word.isdigit() and len(word) < 4 and int(word) in legal):
        raise BadLineError(word)
    return int(word)


HIGHEST_COUNT: Final = 2**53 - 1
DEEPEST_LINE: Final = 256


def rules_line(rules: Rules) -> str:
    """Return the line that states rules: each field, so that no preset must be known."""
    named = ((field.name, getattr(rules, field.name)) for field in fields(rules))
    stated = (f"{name} {_word(value)}" for name, value in named if value is not UNSET)
    return f"rules {' '.join(stated)}"


def newgame_line(game: ProgramGame, seat: int) -> str:
    """Return the line that begins a game, or goes back to one."""
    facts = {"newgame": game.id, "seat": seat}
    if game.control is not None:
        names = ("move_ms", "bank_ms", "increment_ms", "timeout")
        facts |= {name: getattr(game.control, name) for name in names}
    facts |= {"seed": game.seed, "opponent": game.opponent or None}
    return " ".join(f"{name} {_word(it)}" for name, it in facts.items() if it is not None)


def read_choice(answer: bytes) -> Choice | None:
    """Read ``PIT [value X] [depth N] [nodes N] [exact yes|no] [pv PIT…]``; unknown words end it."""
    pit, *words = answer.decode("ascii", errors="replace").split()
    if not (pit.isascii() and pit.isdigit() and len(pit) < 4):
        return None
    known: dict[str, Any] = {}
    while words:
        name = words.pop(0)
        if name == "pv":
            known["pv"], words = tuple(_count(word, 255) for word in words[:DEEPEST_LINE]), []
        elif name in _READERS and words:
            known[name] = _READERS[name](words.pop(0))
        else:
            break
    if None in known.values() or None in known.get("pv", ()):
        return None
    return Choice(int(pit), Info(**known) if known else None)


def _word(value: object) -> str:
    return value if isinstance(value, str) else str(value).lower()


def _count(word: str, most: int = HIGHEST_COUNT) -> int | None:
    is_whole = word.isascii() and word.isdigit() and len(word) <= len(str(most))
    return int(word) if is_whole and int(word) <= most else None


def _value(word: str) -> float | None:
    try:
        value = decimal_number(word)
    except ValueError:
        return None
    return value if isfinite(value) and abs(value) <= MAX_SEEDS_IN_ALL else None


_READERS: Final[Mapping[str, Callable[[str], object]]] = {
    "value": _value,
    "depth": _count,
    "nodes": _count,
    "exact": {"yes": True, "no": False}.get,
}
