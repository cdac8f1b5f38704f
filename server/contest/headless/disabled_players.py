"""Disable players that forfeit repeatedly, so that they don't hold up an event.

A player that forfeits N games in a row (crash, hang, illegal move, time) is disabled: it loses its
later games without playing them. *Later* is decided by the games' numbers, not by the order in
which they finished. So a game that was played before the player was known to be disabled is lost as
well, and the result is the same for any number of workers, interrupted and resumed or not.

Games that are void since a service failed are counted alike, so that an event ends; the later ones
are void if the last of the row was.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from mancala.protocol.messages import Evidence, Outcome, Reason
from mancala.protocol.text import quantity

from .event import Event, EventPlan, plan
from .game import Task, opening_of, record_of
from .played_game import PlayedGame

NEVER: Final = 0
"""Number of forfeits for an event that disables no player."""


class EventProgress(NamedTuple):
    """The rounds so far, their finished games, each disabled player's last counted game."""

    plan: EventPlan
    games: dict[int, PlayedGame]
    disabled: dict[str, int]

    @property
    def missing(self) -> list[Task]:
        """The games not yet played."""
        return [task for task in self.plan.tasks if task.number not in self.games]


def progress_of(event: Event, played: Mapping[int, PlayedGame]) -> EventProgress:
    """Return the progress of an event, by the games played."""
    progress = EventProgress(plan(event, {}), {}, {})
    while True:
        games, disabled = _ruled(event, progress.plan.tasks, played)
        results = {number: game.rated for number, game in games.items()}
        further = EventProgress(plan(event, results), games, disabled)
        if len(further.plan.tasks) == len(progress.plan.tasks):
            return further
        progress = further


def _ruled(
    event: Event, tasks: Iterable[Task], played: Mapping[int, PlayedGame]
) -> tuple[dict[int, PlayedGame], dict[str, int]]:
    """Process the games by number; return those finished, and the disabled players.

    Games after a gap disable no player.
    """
    games: dict[int, PlayedGame] = {}
    disabled: dict[str, int] = {}
    row = dict.fromkeys(event.names, 0)
    unsure: set[str] = set()
    for task in sorted(tasks, key=lambda task: task.number):
        out = [name for name in task.players if name in disabled]
        game = played.get(task.number)
        if out:
            void = [name for name in out if games[disabled[name]].is_void]
            games[task.number] = _lost(event, task, void or out, is_void=bool(void))
            continue
        if game is not None:
            games[task.number] = game
        if game is None or not unsure.isdisjoint(task.players):
            unsure.update(task.players)
            continue
        for name in task.players:
            row[name] = row[name] + 1 if name == game.failed else 0
            if event.disable_after != NEVER and row[name] == event.disable_after:
                disabled[name] = task.number
    return games, disabled


def _lost(event: Event, task: Task, out: list[str], *, is_void: bool) -> PlayedGame:
    """Return a game that is lost or void without being played; lost by both, a draw."""
    board = opening_of(task, event.conditions.rules)
    loser = task.players.index(out[0])
    kind = "void game" if is_void else "forfeit"
    detail = f"{' and '.join(out)} disabled after {quantity(event.disable_after, kind)} in a row"
    result = Outcome(
        winner=None if is_void or len(out) > 1 else 1 - loser,
        stores=board.settled().stores,
        reason=Reason.ABORTED if is_void else Reason.DISCONNECTED,
        evidence=Evidence(
            None if is_void or len(out) > 1 else loser, detail, spared=loser if is_void else None
        ),
    )
    return PlayedGame.of(task.number, record_of(task, event.conditions, board, (), result))
