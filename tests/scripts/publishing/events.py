"""Small headless events, for tests of what is shown of them."""

from __future__ import annotations

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Outcome, Reason
from mancala.protocol.record import GameRecord
from mancala.protocol.results import Contestant
from mancala.protocol.rules import Board, Rules
from mancala.server.contest.events.plan import Format
from mancala.server.contest.headless.event import Contender, Event, plan
from mancala.server.contest.headless.game import Conditions, Task
from mancala.server.contest.headless.journal import GameJournal
from mancala.server.contest.headless.played_game import PlayedGame

RULES = Rules(2, 1)
CONDITIONS = Conditions(RULES, TimeControl.for_each_move(1.0), 0.1, 1)


def event_of(*names: str, format_: Format = Format.SWISS, rounds: int = 2, games: int = 2) -> Event:
    """Return an event of players of these names."""
    contenders = tuple(Contender(name, "random") for name in names)
    return Event(format_, contenders, games, rounds, CONDITIONS)


def played(task: Task, winner: int | None) -> PlayedGame:
    """Return a game that was decided without moves."""
    record = GameRecord(
        game=str(task.number),
        rules=RULES,
        players=(Contestant(task.players[0]), Contestant(task.players[1])),
        opening=Board.start(RULES).state,
        moves=(),
        result=Outcome(winner, (2, 2), Reason.NORMAL),
        started_at="2026-01-01T00:00:00.000Z",
    )
    return PlayedGame(task.number, record)


def all_games(event: Event, winner: int | None = 0) -> dict[int, PlayedGame]:
    """Return all games of an event, each with the same result."""
    games: dict[int, PlayedGame] = {}
    while True:
        results = {number: game.rated for number, game in games.items()}
        missing = [it for it in plan(event, results).tasks if it.number not in games]
        if not missing:
            return games
        games |= {task.number: played(task, winner) for task in missing}


def journal_of(games: dict[int, PlayedGame]) -> GameJournal:
    """Return a journal of games."""
    journal = GameJournal()
    journal.add(games.values())
    return journal
