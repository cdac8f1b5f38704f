"""A program as a blocking player, for headless games: its bot on an event loop of its own.

Nothing else runs in such a process, so the event loop runs only while a question is open.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from math import isfinite

from mancala.protocol.clock import TimeControl
from mancala.protocol.player import START_UP_S, UNLIMITED, Budget, Choice, Player
from mancala.protocol.rules import KALAH, Board, Rules

from .dialogue import NO_GAME, ProgramGame
from .external import ExternalBot, ExternalError


class ProgramPlayer(Player):
    """A program as a player; the arguments are those of `ExternalBot`."""

    swaps = ExternalBot.swaps

    def __init__(
        self,
        command: str,
        *,
        start_up_s: float = START_UP_S,
        options: Mapping[str, str] | None = None,
    ) -> None:
        self._lines: list[str] = []
        self._bot = ExternalBot(
            command, start_up_s=start_up_s, options=options, stderr=self._lines.append
        )
        self._rules = KALAH
        self._game = NO_GAME
        self._games = 0
        self._loop = asyncio.new_event_loop()

    def warm_up(self, rules: Rules = KALAH) -> None:
        """Start the program and wait for it; if that fails, the first question says why."""
        self._rules = rules
        with suppress(ExternalError):
            self._loop.run_until_complete(self._bot.warm_up(rules))
        self._lines.clear()  # said at no question of a game

    def new_game(self, seed: int) -> None:
        """Start the program again if it ended, before a clock runs; version 2 gets the seed."""
        self._games += 1
        self._game = ProgramGame(f"game{self._games}", seed=seed)
        self.warm_up(self._rules)

    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:
        """Ask the program, whose failures are raised as `ExternalError`."""
        if self._game.control is None and isfinite(budget.deadline_s):
            control = TimeControl.for_each_move(budget.deadline_s)
            self._game = self._game._replace(control=control)
        return self._loop.run_until_complete(self._bot.ask(board, budget, self._game))

    def drain_stderr(self) -> list[str]:
        """Return the lines that the program wrote to stderr since the last call."""
        lines = self._lines.copy()
        self._lines.clear()
        return lines

    def close(self) -> None:
        self._loop.run_until_complete(self._bot.close())
        self._loop.close()

    def kill(self) -> None:
        """Kill the program, even in the middle of a question."""
        self._bot.kill()
