"""The engine against a person where it is not compiled yet: a plain search chooses first moves.

Compiling takes about ten seconds of two cores. Meanwhile `mancala.engine.classics.deepening`
answers, which loads no compiler; another process compiles, since a thread here would share the
interpreter with the moves. A level, or a search bounded by depth or nodes, has to repeat itself
everywhere and waits for the engine, and so do all games of two programs.
"""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from threading import Lock, Thread
from typing import TYPE_CHECKING, ClassVar, Final

from mancala.engine import kernel_cache
from mancala.engine.classics.deepening import DeepeningPlayer
from mancala.parent_death import ending_with_us
from mancala.protocol.player import UNLIMITED, Budget, Choice, Player, PlayerError
from mancala.protocol.rules import KALAH, Board, Rules, UnknownRuleError

if TYPE_CHECKING:
    from .kind import Settings

PLAIN: Final = frozenset({"movetime", "threads", "ponder", "book"})
"""Options of ``engine`` that leave its first moves to a plain search."""
LONGEST_S: Final = 0.3
"""Seconds of a move at most, so that compiling has the cores."""
COMPILE: Final = "from mancala.engine.search import warmup; warmup.compile_ahead()"
_COMPILING: Final = Lock()


def is_needed(settings: Settings) -> bool:
    """Return whether a plain search has to choose first, and may, by the options of ``engine``."""
    keeps = kernel_cache.refusal() is None
    return settings.keys() <= PLAIN and keeps and not kernel_cache.is_compiled()


def make_ready(make: Callable[[Settings], Player], settings: Settings) -> Player:
    """Make the engine's player, or one that answers until that is compiled."""
    return FirstAnswerPlayer(make, settings) if is_needed(settings) else make(settings)


class FirstAnswerPlayer(Player):
    """Answers by a plain search until the engine's player is made and warmed up."""

    anytime: ClassVar[bool] = True

    def __init__(self, make: Callable[[Settings], Player], settings: Settings) -> None:
        self.ponders = bool(settings.get("ponder"))
        self._make = partial(make, settings)
        self._plain = DeepeningPlayer(min(settings.get("movetime", LONGEST_S), LONGEST_S))
        self._engine: Future[Player] = Future()
        self._is_preparing = False

    def warm_up(self, rules: Rules = KALAH) -> None:
        """Begin to compile, and to load what the engine needs, beside the first moves."""
        if not self._is_preparing:
            self._is_preparing = True
            Thread(target=self._prepare, args=(rules,), name="engine", daemon=True).start()

    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:
        """Search by the engine once it is ready, else plainly; by unknown rules, gain the most."""
        if self._engine.done():
            return self._engine.result().choose(board, budget)
        self.warm_up(board.rules)
        try:
            return self._plain.choose(board, budget)
        except UnknownRuleError:
            gain = {pit: board.sow(pit).board.score(board.player) for pit in board.legal()}
            return Choice(max(gain, key=gain.__getitem__))

    def ponder(self, board: Board, pv: tuple[int, ...], budget: Budget) -> None:
        """Let the engine ponder once it is ready."""
        if self._is_ready:
            self._engine.result().ponder(board, pv, budget)

    def stop(self) -> None:
        """End the engine's search; a plain one ends by its budget."""
        if self._is_ready:
            self._engine.result().stop()

    @property
    def _is_ready(self) -> bool:
        return self._engine.done() and self._engine.exception() is None

    def _prepare(self, rules: Rules) -> None:
        try:
            _compile()
            player = self._make()
            player.warm_up(rules)
            gc.freeze()  # collecting the compiler's objects would take 120 ms of a move
            self._engine.set_result(player)
        except BaseException as error:  # noqa: BLE001  # raised again by the next question
            self._engine.set_exception(error)


def _compile() -> None:
    """Have another process compile the engine, where what it compiles is kept."""
    with _COMPILING:
        if kernel_cache.is_compiled():
            return
        ran = subprocess.run(  # noqa: S603  # our own code
            ending_with_us(sys.executable, "-P", "-c", COMPILE),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    if ran.returncode:
        why = (ran.stderr.splitlines() or [f"the process ended with {ran.returncode}"])[-1]
        raise PlayerError(f"the engine could not be compiled: {why}")
