"""A game in the terminal: the board, four outputs per move, and the two players.

The game reads and prints lines through functions that are passed in, so that a scripted game and
a person's are the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, NamedTuple

from bot.client.bot import Bot, Game, Turn, as_choice
from protocol.clock import Clock, TimeControl
from protocol.player import Choice
from protocol.rules import Board, InvalidPositionError, Sowing, article_index, from_article_index
from scripts.views.drawing import draw, outputs, thinking, verdict

LEAVE: Final = frozenset({"q", "quit", "exit"})

PATIENCE_S: Final = 3600.0

Chooser = Callable[[Board], Choice]
Ask = Callable[[], str]
Say = Callable[[str], None]


class LeftError(Exception):
    """The person left the game before its end."""


def person(ask: Ask, say: Say) -> Chooser:
    """Return a player whose moves a person types, as numbers of the drawn board.

    Args:
        ask: reads one line; raises :class:`EOFError` when there are no more.
        say: prints one line.
    """

    def choose(board: Board) -> Choice:
        pits = board.rules.pits
        choices = sorted(article_index(board.player, pit, pits) for pit in board.legal())
        say(f"Player {board.player + 1}'s Turn! Choose a number in range {choices}")
        while True:
            try:
                return Choice(_pit(_answer(ask), board))
            except InvalidPositionError as wrong:
                say(f"    {wrong}. Choose a number in range {choices}")

    return choose


class Computer:
    """A bot that plays in this process, without a server."""

    def __init__(self, bot: Bot, *, budget_s: float) -> None:
        """Warm up a bot; it thinks ``budget_s`` seconds per move unless its SPEC sets a limit.

        Raises:
            PlayerError: when the bot cannot be warmed up.
        """
        self._bot = bot
        self._budget_s = budget_s
        self._runner = asyncio.Runner()
        try:
            self._runner.run(bot.warm_up())
        except BaseException:
            self.close()
            raise

    def __call__(self, board: Board) -> Choice:
        """Return the bot's move."""
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
        """Close the bot and its event loop."""
        self._runner.run(self._bot.close())
        self._runner.close()


class Step(NamedTuple):
    """One move of a game.

    Attributes:
        before: the position before the move.
        pit: the pit sown.
        sowing: the result of the sowing.
    """

    before: Board
    pit: int
    sowing: Sowing


def play(
    board: Board,
    choosers: tuple[Chooser, Chooser],
    say: Say,
    record: Callable[[Step], None],
) -> None:
    """Play a game to its end, printing each position and each move's four outputs.

    Args:
        board: the position to begin from.
        choosers: the players.
        say: prints one line, or several.
        record: called with each move.

    Raises:
        LeftError: when a person leaves.
    """
    while not board.is_over:
        say(f"{draw(board)}\n")
        choice = choosers[board.player](board)
        sowing = board.sow(choice.pit)
        say(f"    {outputs(board, choice.pit, sowing)}")
        if choice.info is not None:
            say(f"    {thinking(choice.info)}")
        say("")
        record(Step(board, choice.pit, sowing))
        board = sowing.board
    say(f"{draw(board)}\n")
    say(verdict(board))


async def _choose(bot: Bot, turn: Turn) -> int | Choice:
    return await bot.choose(turn)


def _answer(ask: Ask) -> str:
    try:
        answer = ask().strip()
    except (EOFError, KeyboardInterrupt):
        raise LeftError from None
    if answer.lower() in LEAVE:
        raise LeftError
    return answer


def _pit(answer: str, board: Board) -> int:
    if not (answer.isascii() and answer.isdigit()):
        raise InvalidPositionError(f"{answer!r} is not a number")
    player, pit = from_article_index(int(answer), board.rules.pits)
    if player != board.player:
        raise InvalidPositionError(f"pit {answer} is the other player's")
    if not board.pits[player][pit]:
        raise InvalidPositionError(f"pit {answer} is empty")
    return pit
