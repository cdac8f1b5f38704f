"""A gauntlet's rounds: which games are played, and which again."""

from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Evidence, Outcome, Reason
from mancala.protocol.rules import KALAH, Board
from mancala.server.contest.headless.game import Conditions, Task, play, record_of
from mancala.server.contest.headless.played_game import PlayedGame
from mancala.server.contest.rate.gauntlet import (
    PLAYER,
    GauntletLimits,
    is_worth_repeating,
    meetings,
)
from tests.server.contest.headless.players import BrokenPlayer, finished

CONDITIONS = Conditions(KALAH, TimeControl(move_ms=1000), 0.1)


class _Late:
    """An executor on which the player is late in each game's first tries."""

    def __init__(self, tries: int) -> None:
        self.played: list[int] = []
        self._tries = tries

    def play(self, tasks: Iterable[Task]) -> Iterator[Any]:
        for task in tasks:
            self.played.append(task.number)
            is_late = self.played.count(task.number) <= self._tries
            yield SimpleNamespace(games=[_lost_on_time(task) if is_late else finished(task)])


def _lost_on_time(task: Task) -> PlayedGame:
    board = Board.start(KALAH)
    seat = task.players.index(PLAYER)
    lost = Outcome(1 - seat, board.stores, Reason.TIMEOUT, Evidence(seat, "late", 0))
    return PlayedGame.of(task.number, record_of(task, CONDITIONS, board, (), lost))


@pytest.mark.parametrize(
    ("tries", "repeats", "played", "repeated"),
    [(1, 2, 4, 2), (0, 2, 2, 0), (9, 2, 6, 4), (1, 0, 2, 0)],
)
def test_a_game_lost_on_time_is_played_again(
    tries: int, repeats: int, played: int, repeated: int
) -> None:
    """As often as is allowed, and only that game; what was repeated is counted."""
    executor = _Late(tries)
    rounds = meetings(executor, [""], GauntletLimits(pairs=1, repeats=repeats))  # type: ignore[arg-type]
    ((meeting,),) = rounds
    assert (len(executor.played), meeting.repeated) == (played, repeated)
    assert (meeting.games[0].forfeiter == PLAYER) == (tries > repeats)


@pytest.mark.parametrize(
    ("times", "late", "repeated"),
    [(1, 40, True), (2, 40, False), (2, 9, True), (7, 9, True), (8, 1, False), (0, 0, False)],
)
def test_few_late_games_are_repeated_more_often(times: int, late: int, repeated: bool) -> None:  # noqa: FBT001  # what is expected
    """Of forty: a busy machine made three of a quick program late three times each."""
    assert is_worth_repeating(times, late, asked=40, repeats=2) == repeated


def test_a_pair_that_an_outage_decided_is_void() -> None:
    """A model's endpoint that is down says nothing about the player."""
    down = BrokenPlayer(is_outage=True)

    class _Down:
        def play(self, tasks: Iterable[Task]) -> Iterator[Any]:
            for task in tasks:
                yield SimpleNamespace(games=[play(task, (down, down), CONDITIONS, float)])

    ((meeting,),) = meetings(_Down(), [""], GauntletLimits(pairs=1))  # type: ignore[arg-type]
    assert meeting.void == {"outage": 2}
    assert PlayedGame.from_line(meeting.games[0].line).is_void
