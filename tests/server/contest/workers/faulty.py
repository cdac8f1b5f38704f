"""Work for real workers: games in which a player hangs, or stops or kills its own process."""

import os
import signal
import time
from pathlib import Path

from mancala.protocol.player import UNLIMITED, Budget, Choice
from mancala.protocol.rules import Board, IllegalMoveError
from mancala.server.contest.headless.executor import Batch
from mancala.server.contest.headless.game import Conditions, Task, play
from mancala.server.contest.workers.worker import progress
from tests.server.contest.headless.players import AnyPitPlayer


class FaultyPlayer(AnyPitPlayer):
    """Fails at its third question.

    Args:
        fault: ``hang``, or the name of a signal to its own process.
        once: a file; the fault happens only while it does not exist. None for always.
    """

    def __init__(self, fault: str, once: Path | None) -> None:
        super().__init__()
        self._fault = fault
        self._once = once

    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:
        """Draw a pit, or fail."""
        choice = super().choose(board, budget)
        if len(self.asked) == 3 and not (self._once and self._once.exists()):
            if self._once:
                self._once.touch()
            if self._fault == "hang":
                while True:
                    time.sleep(0.01)
            os.kill(os.getpid(), signal.Signals[self._fault])
            time.sleep(0.01)
        return choice


def play_chunk(
    number: int, fault: str, once: Path | None, conditions: Conditions, tasks: tuple[Task, ...]
) -> Batch:
    began = time.perf_counter()
    games = []
    for task in tasks:
        other = FaultyPlayer(fault, once) if task.number == number else AnyPitPlayer()
        players = (AnyPitPlayer(), other)
        games.append(play(task, players, conditions, time.monotonic, progress()))
    return Batch(tuple(games), time.perf_counter() - began)


def die(_: tuple[Task, ...]) -> Batch:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def die_once(noted: Path) -> int:
    """Kill the worker before a file is there; then return its process."""
    if not noted.exists():
        noted.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def fail() -> None:
    raise LookupError("no such player")


def fail_noting(noted: Path) -> None:
    with noted.open("a") as file:
        file.write("1")
    fail()


def move_illegally() -> None:
    """Raise an error that is made from a pit and pits, not from its text."""
    raise IllegalMoveError(3, (0, 1))


def local() -> object:
    return lambda: None
