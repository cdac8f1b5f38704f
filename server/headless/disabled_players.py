"""Who fails game after game plays no more, so that no event is held up by it.

A player that forfeits so many games in a row (a crash, a hang, an illegal answer, time) is
disabled: its later games are lost without being played. What is *later* is decided by the games'
numbers and not by when they came back. So a game that was played while nobody knew yet is lost as
well, and the tables are the same on one worker or on twenty, killed and taken up or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from protocol.messages import Evidence, Reason
from protocol.record import GameRecord, Outcome
from protocol.results import Contestant
from server.headless.event import Event, Plan, plan
from server.headless.game import PlayedGame, Task, opening_of
from server.headless.score import game_of

NEVER: Final = 0
"""Forfeits in a row for an event that disables nobody."""


class Course(NamedTuple):
    """An event as far as it has come.

    Attributes:
        plan: the rounds and games that are settled.
        games: how games ended, by number, in order: those played, and those lost without.
        disabled: the last game that counted of each player that was disabled, by name.
    """

    plan: Plan
    games: dict[int, PlayedGame]
    disabled: dict[str, int]

    @property
    def missing(self) -> list[Task]:
        """The games that are still to be played."""
        return [task for task in self.plan.tasks if task.number not in self.games]


def course_of(event: Event, played: Mapping[int, PlayedGame]) -> Course:
    """Tell how far an event has come, and who is disabled.

    Args:
        event: what was settled beforehand.
        played: the games that were played, by number.
    """
    course = Course(plan(event, {}), {}, {})
    while True:
        ruled = _ruled(event, course.plan.tasks, played)
        games = {number: game_of(game) for number, game in ruled.games.items()}
        further = Course(plan(event, games), ruled.games, ruled.disabled)
        if len(further.plan.tasks) == len(course.plan.tasks):
            return further
        course = further


def forfeiter_of(game: PlayedGame) -> str | None:
    """Name the player that lost a game otherwise than by the rules, if one did."""
    result = game.record.result
    if result is None or result.winner is None or result.evidence is None:
        return None
    return game.record.players[1 - result.winner].name


class _Ruling(NamedTuple):
    games: dict[int, PlayedGame]
    disabled: dict[str, int]


def _ruled(event: Event, tasks: Iterable[Task], played: Mapping[int, PlayedGame]) -> _Ruling:
    """Go through the games by number; nobody is disabled by games with a gap before them."""
    ruling = _Ruling({}, {})
    row = dict.fromkeys(event.names, 0)
    unsure: set[str] = set()
    for task in sorted(tasks, key=lambda task: task.number):
        out = [name for name in task.players if name in ruling.disabled]
        game = played.get(task.number)
        if out:
            ruling.games[task.number] = _lost(event, task, out)
        elif game is None:
            unsure.update(task.players)
        else:
            ruling.games[task.number] = game
            if unsure.isdisjoint(task.players):
                _count(event, game, row, ruling.disabled)
            else:
                unsure.update(task.players)
    return ruling


def _count(event: Event, game: PlayedGame, row: dict[str, int], disabled: dict[str, int]) -> None:
    forfeiter = forfeiter_of(game)
    for player in game.record.players:
        row[player.name] = row[player.name] + 1 if player.name == forfeiter else 0
        if event.disable_after != NEVER and row[player.name] == event.disable_after:
            disabled[player.name] = game.number


def _lost(event: Event, task: Task, out: list[str]) -> PlayedGame:
    """Write down a game that is lost without being played; drawn when both would lose it."""
    rules = event.conditions.rules
    board = opening_of(task, rules)
    loser = task.players.index(out[0])
    detail = f"{' and '.join(out)} disabled after {event.disable_after} forfeits in a row"
    result = Outcome(
        winner=None if len(out) > 1 else 1 - loser,
        stores=board.settled().stores,
        reason=Reason.DISCONNECTED,
        evidence=Evidence(None if len(out) > 1 else loser, detail),
    )
    record = GameRecord(
        game=str(task.number),
        rules=rules,
        players=(Contestant(task.players[0]), Contestant(task.players[1])),
        opening=board.state,
        moves=(),
        result=result,
        clock=event.conditions.clock,
    )
    return PlayedGame(task.number, record)
