"""A gauntlet: a player against the levels, round by round, placed by what is learned so far.

Each round takes pairs of games from random openings, as the scale of the levels was measured, with
the opponents that tell most about the player. The rounds depend on results alone, so the same seed
gives the same games on any number of workers, where the player's moves do not depend on time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.skill import FULL_LEVEL, LEVEL_10_NODES
from protocol.rules import KALAH
from scripts.processes import contest
from scripts.rating.placement import Pair, opponents
from server.headless.event import Contender
from server.headless.game import Task
from server.headless.score import game_of

if TYPE_CHECKING:
    from scripts.processes.contest import Place
    from server.headless.game import Conditions
    from server.headless.played_game import PlayedGame

PLAYER: Final = "player"
"""The name in the games of the player that is rated."""
ROUND_PAIRS: Final = 10
FIRST_PAIRS: Final = 5


class Meeting(NamedTuple):
    """A pair of games with a level."""

    level: int
    games: tuple[PlayedGame, PlayedGame]

    @property
    def pair(self) -> Pair:
        """What the player scored."""
        return Pair(self.level, sum(points_of(game) for game in self.games))


def meetings(
    spec: str, conditions: Conditions, pairs: int, where: Place
) -> Iterator[list[Meeting]]:
    """Play a gauntlet; yield each round's meetings when it is over.

    Args:
        spec: the player.
        conditions: what holds for every game; the rules are those of the levels' scale.
        pairs: pairs of games in all.
        where: the workers.

    Raises:
        typer.Exit: when the workers cannot play.
    """
    from engine.openings import choose

    openings = [opening.board for opening in choose(None, KALAH, pairs, seed=conditions.seed)]
    contenders = (
        Contender(PLAYER, spec),
        *(level_contender(level) for level in range(1, FULL_LEVEL + 1)),
    )
    known: list[Pair] = []
    with contest.hired(contenders, conditions, where) as team:
        while len(known) < pairs:
            size = min(ROUND_PAIRS if known else FIRST_PAIRS, pairs - len(known))
            opposed = opponents(known, size)
            tasks = [
                Task(2 * number + leg, seats, openings[number])
                for level, number in zip(opposed, count(len(known)), strict=False)
                for leg, seats in enumerate(_seats(level))
            ]
            games = {game.number: game for batch in team.play(tasks) for game in batch.games}
            ordered = [games[task.number] for task in tasks]
            played = [
                Meeting(level, (first, second))
                for level, first, second in zip(opposed, ordered[::2], ordered[1::2], strict=True)
            ]
            known += [meeting.pair for meeting in played]
            yield played


def level_contender(level: int) -> Contender:
    """Return a level as it is on the scale: the engine itself is bounded by nodes."""
    nodes = f",nodes={LEVEL_10_NODES}" if level == FULL_LEVEL else ""
    return Contender(f"level {level}", f"engine:level={level}{nodes}")


def points_of(game: PlayedGame) -> float:
    """Return what the player scored in a game."""
    found = game_of(game)
    return found.points(found.players.index(PLAYER))


def faults_in(games: list[PlayedGame]) -> Counter[str]:
    """Return the games that the player forfeited, by reason."""
    return Counter(str(game.facts.reason) for game in games if game.facts.forfeiter == PLAYER)


def times_in(games: list[PlayedGame]) -> list[float]:
    """Return the time of each of the player's moves, in ms."""
    return [
        move.elapsed_ms
        for game in games
        for record in (game.record,)
        for move in record.moves
        if record.players[move.player].name == PLAYER and move.elapsed_ms is not None
    ]


def _seats(level: int) -> tuple[tuple[str, str], tuple[str, str]]:
    opponent = f"level {level}"
    return (PLAYER, opponent), (opponent, PLAYER)
