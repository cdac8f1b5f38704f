"""Players that do as a test says, and games that were never played."""

from collections.abc import Sequence
from random import Random
from typing import Any

from msgspec import structs

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Evidence, Info, Outcome, Reason
from mancala.protocol.player import UNLIMITED, Budget, Choice, Player, PlayerError
from mancala.protocol.record import GameRecord
from mancala.protocol.results import Contestant
from mancala.protocol.rules import KALAH, Board, Rules
from mancala.server.config.events import Format
from mancala.server.contest.events.plan import usual_rounds
from mancala.server.contest.headless.event import Contender, Event
from mancala.server.contest.headless.game import Conditions, Task, opening_of
from mancala.server.contest.headless.played_game import PlayedGame

FOUR: Rules = Rules(pits=4, seeds=2)
BEGAN = "2026-01-01T00:00:00.000Z"
STORES: dict[int | None, tuple[int, int]] = {0: (30, 18), 1: (18, 30), None: (24, 24)}
"""The end of a game that was made up, by its winner."""
FORMATS = sorted(set(Format) - {Format.MATCH})
"""The formats for more than two players."""


def conditions(rules: Rules = KALAH, *, move_ms: int = 1000, seed: int = 1) -> Conditions:
    return Conditions(rules, TimeControl(move_ms=move_ms), 0.1, seed)


class AnyPitPlayer(Player):
    """Plays any legal pit; the game's seed decides which."""

    def __init__(self) -> None:
        self._rng = Random()
        self.asked: list[tuple[float, float]] = []

    def new_game(self, seed: int) -> None:
        self._rng = Random(seed)

    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:
        self.asked.append((budget.time_s, budget.deadline_s))
        return Choice(self._rng.choice(board.legal()))


class StubbornPlayer(AnyPitPlayer):
    """Always answers with the same pit, and grumbles."""

    def __init__(self, pit: int) -> None:
        super().__init__()
        self._pit = pit

    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:  # noqa: ARG002  # as asked
        return Choice(self._pit)

    def drain_stderr(self) -> list[str]:
        return ["again?"]


class BrokenPlayer(AnyPitPlayer):
    """Has no answer."""

    def __init__(self, *, is_outage: bool = False, info: Info | None = None) -> None:
        super().__init__()
        self._is_outage = is_outage
        self._info = info

    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:  # noqa: ARG002  # as asked
        raise PlayerError(
            "the program crashed",
            reason=Reason.DISCONNECTED,
            received="Segmentation fault",
            is_outage=self._is_outage,
            info=self._info,
        )


def down(task: Task, seat: int) -> PlayedGame:
    """Make up a game that is void, since a service failed that a seat asks."""
    result = Outcome(None, (24, 24), Reason.ABORTED, Evidence(None, "no answer", 0, spared=seat))
    return PlayedGame.of(task.number, structs.replace(finished(task).record, result=result))


def finished(
    task: Task, winner: int | None = 0, stores: tuple[int, int] | None = None
) -> PlayedGame:
    """Make up a game without moves."""
    players = (Contestant(task.players[0]), Contestant(task.players[1]))
    opening = opening_of(task, KALAH).state
    outcome = Outcome(winner, stores or STORES[winner], Reason.NORMAL)
    record = GameRecord("1", KALAH, players, opening, (), outcome, started_at=BEGAN)
    return PlayedGame.of(task.number, record)


def event_of(
    format_: Format,
    names: Sequence[str],
    *,
    games: int = 4,
    rounds: int | None = None,
    **settings: Any,  # noqa: ANN401  # whatever a setting takes
) -> Event:
    contenders = tuple(Contender(name, "random") for name in names)
    laps = rounds or usual_rounds(format_, len(contenders))
    return Event(format_, contenders, games, laps, conditions(), **settings)
