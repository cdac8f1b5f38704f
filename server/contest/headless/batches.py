"""Games that compiled players play by the batch, as records equal to the referee's.

The moves come from a `mancala.protocol.batch.BatchPlayer`; the record, the times and the result are
made here as `mancala.server.contest.headless.game.play` makes them. One game in `CHECK_EVERY`, the
first of each event among them, is replayed by the referee and must be the same to the last field. A
game in which an answer came too late is decided by the referee too.
"""

import time
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Final

from mancala.protocol.batch import BatchedGame, BatchPlayer
from mancala.protocol.messages import Outcome, Reason
from mancala.protocol.record import GameRecord, RecordedMove
from mancala.protocol.referee import Event, Played, Referee
from mancala.protocol.rules import Board
from mancala.protocol.text import quantity

from .game import Conditions, Task, opening_of, record_of, seed_of, timestamp
from .played_game import PlayedGame

CHECK_EVERY: Final = 100
GAMES_A_CALL: Final = 256
"""Few enough for all of them to stay in the processor's cache."""


class BatchError(RuntimeError):
    """A batch contradicts the referee: a fault of this program, never of a player."""


def can_batch(conditions: Conditions) -> bool:
    """Return whether games under these conditions may be played by the batch: without banks."""
    return conditions.clock.bank_ms is None


def play_batch(
    tasks: Sequence[Task], player: BatchPlayer, conditions: Conditions
) -> list[PlayedGame | None]:
    """Play games between the same two players in the same seats; `can_batch` must hold.

    A game is None where it has to be played move by move.

    Raises:
        BatchError: when a game that is checked contradicts the referee.
    """
    return [
        game
        for first in range(0, len(tasks), GAMES_A_CALL)
        for game in _call(tasks[first : first + GAMES_A_CALL], player, conditions)
    ]


def _call(
    tasks: Sequence[Task], player: BatchPlayer, conditions: Conditions
) -> Iterator[PlayedGame | None]:
    seed = conditions.seed
    openings = [opening_of(task, conditions.rules) for task in tasks]
    seeds = [(seed_of(seed, task.number, 0), seed_of(seed, task.number, 1)) for task in tasks]
    now = time.time()
    for task, opening, game in zip(tasks, openings, player.play(openings, seeds), strict=True):
        if game is None:
            yield None
            continue
        began, now = now, now + sum(game.elapsed_ms) / 1000
        record = _record(task, conditions, opening, game, (timestamp(began), timestamp(now)))
        yield PlayedGame.of(task.number, record)


def _record(
    task: Task, conditions: Conditions, opening: Board, game: BatchedGame, times: tuple[str, str]
) -> GameRecord:
    infos = repeat(None) if game.infos is None else game.infos
    elapsed_ms = _clock_times(task, conditions, game)
    moves = tuple(
        map(RecordedMove, game.players, game.pits, elapsed_ms, repeat(0.0), repeat(None), infos)
    )
    record = record_of(task, conditions, opening, moves, _outcome(opening, game), times)
    limit_ms = conditions.clock.move_ms
    is_late = limit_ms is not None and max(elapsed_ms) >= limit_ms
    if not is_late and task.number % CHECK_EVERY:
        return record
    refereed = _refereed(task, conditions, opening, moves, times)
    if not is_late and refereed != record:
        raise BatchError(f"game {task.number}: the referee has {refereed}, the batch {record}")
    return refereed


def _clock_times(task: Task, conditions: Conditions, game: BatchedGame) -> Sequence[float]:
    """Return the time of each move by the game's clock, which runs for timed players alone."""
    is_timed = [name not in conditions.untimed for name in task.players]
    if all(is_timed):
        return game.elapsed_ms
    return [
        elapsed_ms * is_timed[player]
        for player, elapsed_ms in zip(game.players, game.elapsed_ms, strict=True)
    ]


def _outcome(opening: Board, game: BatchedGame) -> Outcome:
    """Return the result by the rules; where seeds are left, a majority ended the game."""
    south, north = game.stores
    winner = None if south == north else int(south < north)
    is_whole = south + north == opening.total
    return Outcome(winner, game.stores, Reason.NORMAL if is_whole else Reason.MAJORITY)


def _refereed(
    task: Task,
    conditions: Conditions,
    opening: Board,
    moves: tuple[RecordedMove, ...],
    times: tuple[str, str],
) -> GameRecord:
    """Return the record of a game whose moves and times are put to the referee one by one."""
    referee = Referee(opening, conditions.clock)
    now = 0.0
    event: Event = referee.start(now)[-1]
    played: list[RecordedMove] = []
    for ply, move in enumerate(moves):
        now += (move.elapsed_ms or 0.0) / 1000
        events = referee.play(move.player, ply, move.pit, now, info=move.info)
        event = events[-1] if events else event
        if isinstance(events[0], Played):
            played.append(move)
        if isinstance(event, Outcome):
            break
    if not isinstance(event, Outcome):
        raise BatchError(f"game {task.number} has not ended after {quantity(len(moves), 'move')}")
    return record_of(task, conditions, opening, tuple(played), event, times)
