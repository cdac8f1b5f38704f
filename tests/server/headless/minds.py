"""Minds that do as a test says, and games that nobody had to play."""

from __future__ import annotations

from random import Random

from protocol.clock import TimeControl
from protocol.messages import Reason
from protocol.record import GameRecord, Outcome
from protocol.results import Contestant
from protocol.rules import KALAH, Board, Rules
from server.headless.game import Answer, Conditions, MindError, PlayedGame, Task, opening_of

FOUR: Rules = Rules(pits=4, seeds=2)


def conditions(rules: Rules = KALAH, *, move_ms: int = 1000, seed: int = 1) -> Conditions:
    """Set up games of a second a move."""
    return Conditions(rules, TimeControl(move_ms=move_ms), 0.1, seed)


class RandomMind:
    """Plays any legal pit; the game's seed decides which."""

    def __init__(self) -> None:
        self._rng = Random()
        self.asked: list[tuple[float, float]] = []

    def new_game(self, seed: int) -> None:
        """Take the game's chance."""
        self._rng = Random(seed)

    def choose(self, board: Board, *, budget_s: float, deadline_s: float) -> Answer:
        """Draw a pit."""
        self.asked.append((budget_s, deadline_s))
        return Answer(self._rng.choice(board.legal()))

    def overheard(self) -> list[str]:
        """Say nothing."""
        return []

    def close(self) -> None:
        """Hold nothing."""

    def kill(self) -> None:
        """Hold nothing."""


class StubbornMind(RandomMind):
    """Always answers with the same pit, and grumbles."""

    def __init__(self, pit: int) -> None:
        super().__init__()
        self._pit = pit

    def choose(self, board: Board, *, budget_s: float, deadline_s: float) -> Answer:  # noqa: ARG002  # as asked
        """Give the pit."""
        return Answer(self._pit)

    def overheard(self) -> list[str]:
        """Grumble."""
        return ["again?"]


class BrokenMind(RandomMind):
    """Has no answer."""

    def choose(self, board: Board, *, budget_s: float, deadline_s: float) -> Answer:  # noqa: ARG002  # as asked
        """Give up."""
        raise MindError(Reason.DISCONNECTED, "the program crashed", "Segmentation fault")


def finished(task: Task, winner: int | None = 0, stores: tuple[int, int] = (30, 18)) -> PlayedGame:
    """Make up a game without moves."""
    players = (Contestant(task.players[0]), Contestant(task.players[1]))
    opening = opening_of(task, KALAH).state
    outcome = Outcome(winner, stores, Reason.NORMAL)
    return PlayedGame(task.number, GameRecord("1", KALAH, players, opening, (), outcome))
