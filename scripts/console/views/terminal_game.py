"""A game in the terminal: the board, four outputs per move, and the two players."""

import asyncio
from collections.abc import Callable
from typing import Final, NamedTuple

from mancala.bot.client.asking import ask as ask_player
from mancala.bot.client.bot import Bot, Game, Turn, as_choice
from mancala.protocol.clock import Clock, TimeControl
from mancala.protocol.player import Choice
from mancala.protocol.rules import Board, InvalidPositionError, Sowing

from .drawing import MEANING, Numbering, draw, outputs, thinking, verdict

LEAVE: Final = frozenset({"q", "quit", "exit"})
UNDO: Final = frozenset({"u", "undo"})
HINT: Final = frozenset({"h", "hint"})
HELP: Final = frozenset({"?", "help"})
WORDS: Final = "u takes your last move back, h gives a hint, ? explains, q leaves"

PATIENCE_S: Final = 3600.0
LONGEST_NUMBER: Final = 9
"""Digits of an answer that are read."""

Chooser = Callable[[Board], Choice]
Ask = Callable[[], str]
Say = Callable[[str], None]


class LeftError(Exception):
    """The person left the game before its end."""


class UndoError(Exception):
    """The person takes the last move back."""


class Person:
    """A player whose moves a person types, as numbers of the drawn board."""

    def __init__(
        self, ask: Ask, say: Say, numbering: Numbering = Numbering.OWN, hint: Chooser | None = None
    ) -> None:
        self._ask = ask
        self._say = say
        self._numbering = numbering
        self._hint = hint

    def __call__(self, board: Board) -> Choice:
        numbers = sorted(self._number(board, pit) for pit in board.legal())
        self._say(f"Player {board.player + 1}'s Turn! Choose a number in range {numbers}")
        while True:
            answer = _answer(self._ask)
            if answer in UNDO:
                raise UndoError
            if answer in HELP:
                self._say("\n".join((*MEANING, f"While you choose, {WORDS}.")))
            elif answer in HINT:
                self._say(f"    {self._advice(board)}")
            else:
                try:
                    return Choice(self._pit(answer, board))
                except InvalidPositionError as wrong:
                    self._say(f"    {wrong}. Choose a number in range {numbers}")

    def _advice(self, board: Board) -> str:
        if self._hint is None:
            return "There are no hints in this game."
        choice = self._hint(board)
        reasons = f" ({thinking(choice.info)})" if choice.info is not None else ""
        return f"Hint: pit {self._number(board, choice.pit)}{reasons}"

    def _number(self, board: Board, pit: int) -> int:
        return self._numbering.number(board.player, pit, board.rules.pits)

    def _pit(self, answer: str, board: Board) -> int:
        if not (answer.isascii() and answer.isdigit()):
            raise InvalidPositionError(f"{answer!r} is not a number")
        pit = self._numbering.pit(int(answer[:LONGEST_NUMBER]), board)
        if not board.pits[board.player][pit]:
            raise InvalidPositionError(f"pit {answer} is empty")
        return pit


class Computer:
    """A bot that plays in this process, without a server."""

    def __init__(self, bot: Bot, *, budget_s: float) -> None:
        """Warm up a bot; it thinks ``budget_s`` seconds per move unless its SPEC sets a limit."""
        self._bot = bot
        self._budget_s = budget_s
        self._runner = asyncio.Runner()
        try:
            self._runner.run(bot.warm_up())
        except BaseException:
            self.close()
            raise

    def __call__(self, board: Board) -> Choice:
        control = TimeControl(move_ms=int(PATIENCE_S * 1000))
        game = Game("play", "play", board.player, board.rules, control, "person", rated=False)
        turn = Turn(
            board,
            board.legal(),
            game,
            0,
            Clock.set_up(control).state,
            deadline_s=PATIENCE_S,
            budget_s=self._budget_s,
        )
        return as_choice(self._runner.run(_choose(self._bot, turn)))

    def close(self) -> None:
        self._runner.run(self._bot.close())
        self._runner.close()


class ShownMove(NamedTuple):
    """One move of a game: the position before, the pit sown, and what came of it."""

    before: Board
    pit: int
    sowing: Sowing


def play(
    board: Board,
    choosers: tuple[Chooser, Chooser],
    say: Say,
    steps: list[ShownMove],
    numbering: Numbering = Numbering.OWN,
) -> None:
    """Play a game to its end, printing each position and each move's four outputs."""
    while not board.is_over:
        say(f"{draw(board, numbering)}\n")
        try:
            choice = choosers[board.player](board)
        except UndoError:
            board = _taken_back(steps, board, say)
            continue
        sowing = board.sow(choice.pit)
        say(f"    {outputs(board, choice.pit, sowing, numbering)}")
        if choice.info is not None:
            say(f"    {thinking(choice.info)}")
        say("")
        steps.append(ShownMove(board, choice.pit, sowing))
        board = sowing.board
    say(f"{draw(board, numbering)}\n")
    say(verdict(board))


def _taken_back(steps: list[ShownMove], board: Board, say: Say) -> Board:
    """Return the position before the last move of the player to move; remove what followed it."""
    if all(step.before.player != board.player for step in steps):
        say("    There is no move of yours to take back.\n")
        return board
    while (step := steps.pop()).before.player != board.player:
        pass
    say("    Taken back.\n")
    return step.before


async def _choose(bot: Bot, turn: Turn) -> int | Choice:
    return await ask_player(bot.choose, turn)


def _answer(ask: Ask) -> str:
    try:
        answer = ask().strip().lower()
    except (EOFError, KeyboardInterrupt):
        raise LeftError from None
    if answer in LEAVE:
        raise LeftError
    return answer
