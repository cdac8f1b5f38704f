"""A program as a blocking player, for headless games: its bot on an event loop of its own.

Nothing else runs in such a process, so the event loop runs only while a question is open.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from math import isfinite

from mancala.protocol.clock import TimeControl
from mancala.protocol.player import START_UP_S, UNLIMITED, Budget, Choice, Player
from mancala.protocol.rules import KALAH, Board, Rules

from .external import ExternalBot, ExternalError
from .program_lines import NO_GAME, ProgramGame


class ProgramPlayer(Player):
    """A program as a player.

    Args:
        command: its command line.
        start_up_s: the start-up allowance, in seconds.
        options: what a program of version 2 receives by ``option``.
    """

    swaps = ExternalBot.swaps

    def __init__(
        self,
        command: str,
        *,
        start_up_s: float = START_UP_S,
        options: Mapping[str, str] | None = None,
    ) -> None:
        self._stderr = _StderrLines()
        logger = logging.Logger("mancala.program", level=logging.INFO)  # noqa: LOG001  # the player's own, not the process's
        logger.addHandler(self._stderr)
        self._bot = ExternalBot(command, start_up_s=start_up_s, options=options, logger=logger)
        self._rules = KALAH
        self._game = NO_GAME
        self._games = 0
        self._loop = asyncio.new_event_loop()

    def warm_up(self, rules: Rules = KALAH) -> None:
        """Start the program and wait until it is ready; if that fails, the first question says why.

        Args:
            rules: the rules of its rehearsal.
        """
        self._rules = rules
        with suppress(ExternalError):
            self._loop.run_until_complete(self._bot.warm_up(rules))
        self._stderr.drain()  # said at no question of a game

    def new_game(self, seed: int) -> None:
        """Start the program again if it ended in the last game, so that no clock runs meanwhile.

        A program of version 2 receives the seed, so that it may repeat its games.
        """
        self._games += 1
        self._game = ProgramGame(f"game{self._games}", seed=seed)
        self.warm_up(self._rules)

    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:
        """Ask the program.

        Raises:
            PlayerError: when it resigned.
            ExternalError: when it crashed, hung or answered with no legal pit.
        """
        if self._game.control is None and isfinite(budget.deadline_s):
            control = TimeControl.for_each_move(budget.deadline_s)
            self._game = self._game._replace(control=control)
        return self._loop.run_until_complete(self._bot.ask(board, budget, self._game))

    def drain_stderr(self) -> list[str]:
        """Return the lines that the program wrote to stderr since the last call."""
        return self._stderr.drain()

    def close(self) -> None:
        """End the program."""
        self._loop.run_until_complete(self._bot.close())
        self._loop.close()

    def kill(self) -> None:
        """Kill the program, even in the middle of a question."""
        self._bot.kill()


class _StderrLines(logging.Handler):
    """Keeps the stderr lines that `mancala.bot.players.programs.external` logs."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a line."""
        if isinstance(record.args, tuple) and record.args:
            self._lines.append(str(record.args[-1]))

    def drain(self) -> list[str]:
        """Return the lines kept, and forget them."""
        lines, self._lines = self._lines, []
        return lines
