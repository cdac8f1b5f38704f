"""Small headless events, for tests of what is shown of them."""

from mancala.server.contest.headless.event import Event, plan
from mancala.server.contest.headless.journal import GameJournal
from mancala.server.contest.headless.played_game import PlayedGame
from tests.server.contest.headless.players import finished


def all_games(event: Event, winner: int | None = 0) -> dict[int, PlayedGame]:
    games: dict[int, PlayedGame] = {}
    while True:
        results = {number: game.rated for number, game in games.items()}
        missing = [it for it in plan(event, results).tasks if it.number not in games]
        if not missing:
            return games
        games |= {task.number: finished(task, winner) for task in missing}


def journal_of(games: dict[int, PlayedGame]) -> GameJournal:
    journal = GameJournal()
    journal.add(games.values())
    return journal
