"""A gauntlet: a player against the levels, round by round, placed by what is learned so far.

Each round takes pairs of games from openings, as the scale of the levels was measured, with the
opponents that tell most about the player. It ends as soon as the place is known to a given error,
or at a number of games or a time. Apart from the time, the rounds depend on results alone, so the
same seed gives the same games on any number of workers, where the player's moves do not depend on
time.

The levels' effort is counted in nodes, so no clock runs for them. A game that a level forfeits all
the same, because it hung or its worker was lost, says nothing about the player: its pair is void.
So is one that ends since a service failed that the player asks.
"""

import time
from collections import Counter
from collections.abc import Generator, Sequence
from enum import StrEnum
from itertools import count
from math import inf
from typing import Final, NamedTuple

from mancala.protocol.messages import Reason

from ..headless.executor import GameExecutor
from ..headless.game import Task
from ..headless.played_game import PlayedGame
from .placement import LevelPair, is_placed, next_round

PLAYER: Final = "player"
"""The name in the games of the player that is rated."""
OUTAGE: Final = "outage"
"""The reason of a void game that ended since a service failed."""
PATIENCE: Final = 4
"""How many times as often what is late is repeated where most is in time."""
MOST_PAIRS: Final = 1000
"""Pairs at most where no number is given."""


class GauntletEnd(StrEnum):
    """What ended a gauntlet."""

    ERROR = "error"
    GAMES = "games"
    TIME = "time"


class GauntletLimits(NamedTuple):
    """What ends a gauntlet, whichever comes first.

    Attributes:
        error: half of the 95 % interval of the Elo; 0 for as many games as there may be.
        ends_at: time of the monotonic clock at which no game should run any more, in seconds.
        repeats: how often games that the player lost on time are played again; more often where
            they are few.
    """

    pairs: int = MOST_PAIRS
    error: float = 0.0
    ends_at: float = inf
    repeats: int = 0


class Meeting(NamedTuple):
    """A pair of games with a level, and how many others were lost on time and played again."""

    level: int
    games: tuple[PlayedGame, PlayedGame]
    repeated: int = 0

    @property
    def pair(self) -> LevelPair:
        return LevelPair(self.level, sum(points_of(game) for game in self.games))

    @property
    def void(self) -> Counter[str]:
        """The games that the level forfeited or an outage ended, by reason; none if it counts."""
        return Counter(
            OUTAGE if game.is_void else str(game.facts.reason)
            for game in self.games
            if game.is_void or game.forfeiter not in (None, PLAYER)
        )


def meetings(
    executor: GameExecutor, openings: Sequence[str], limits: GauntletLimits
) -> Generator[list[Meeting], None, GauntletEnd]:
    """Play a gauntlet of at least one round; yield each round's meetings, and return what ended it.

    Args:
        executor: workers that know the player as `PLAYER`, and the levels by `level_name`.
        openings: one for each pair; the rules are those of the levels' scale.
        limits: what ends it.
    """
    known: list[LevelPair] = []
    pairs, pair_s = 0, 0.0
    while pairs < limits.pairs:
        if is_placed(known, limits.error):
            return GauntletEnd.ERROR
        opposed = next_round(known)[: limits.pairs - pairs]
        began = time.monotonic()
        if pairs and limits.ends_at < inf:
            opposed = opposed[: max(0, int((limits.ends_at - began) / pair_s))]
        if not opposed:
            return GauntletEnd.TIME
        played = _round(executor, opposed, openings, pairs, limits.repeats)
        pair_s = (time.monotonic() - began) / len(played)
        pairs += len(played)
        known += [meeting.pair for meeting in played if not meeting.void]
        yield played
    return GauntletEnd.GAMES


def _round(
    executor: GameExecutor, opposed: list[int], openings: Sequence[str], first: int, repeats: int
) -> list[Meeting]:
    """Play a pair with each level; games that the player loses on time are repeated."""
    tasks = [
        Task(2 * number + leg, seats, openings[number])
        for level, number in zip(opposed, count(first), strict=False)
        for leg, seats in enumerate(((PLAYER, level_name(level)), (level_name(level), PLAYER)))
    ]
    games, repeated = _played(executor, tasks), Counter[int]()
    for times in count():
        late = [task for task in tasks if _is_lost_on_time(games[task.number])]
        if not is_worth_repeating(times, len(late), len(tasks), repeats):
            break
        repeated.update(task.number // 2 for task in late)
        games |= _played(executor, late)
    return [
        Meeting(level, (games[2 * number], games[2 * number + 1]), repeated[number])
        for level, number in zip(opposed, count(first), strict=False)
    ]


def is_worth_repeating(times: int, late: int, asked: int, repeats: int) -> bool:
    """Return whether what was late is asked for again.

    A program that is too slow is so in most games and positions. Where fewer than a quarter stay
    late, the machine may be at fault, and they are repeated more often.

    Args:
        times: how often that was done.
        late: how many are late.
        asked: how many there are.
        repeats: how often what is late is repeated in any case.
    """
    most = repeats * PATIENCE if 4 * late < asked else repeats
    return late > 0 and times < most


def _played(executor: GameExecutor, tasks: list[Task]) -> dict[int, PlayedGame]:
    return {game.number: game for batch in executor.play(tasks) for game in batch.games}


def _is_lost_on_time(game: PlayedGame) -> bool:
    return game.forfeiter == PLAYER and game.facts.reason == Reason.TIMEOUT


def level_name(level: int) -> str:
    return f"level {level}"


def points_of(game: PlayedGame) -> float:
    found = game.rated
    return found.points(found.players.index(PLAYER))


def times_in(games: list[PlayedGame]) -> list[float]:
    """Return the time of each of the player's moves, in ms."""
    return [
        move.elapsed_ms
        for game in games
        for record in (game.record,)
        for move in record.moves
        if record.players[move.player].name == PLAYER and move.elapsed_ms is not None
    ]
