"""One game between two players in this process, under the same referee as on the server.

A player is called directly, so a move costs no thread and no event loop. The clock is read before
and after each answer, and a late answer loses, as it would over the wire. Nothing here interrupts a
player that never answers; the owner of the worker does (`mancala.server.contest.workers.pool`),
and the game ends as `wedged`.
"""

import hashlib
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, NamedTuple

from msgspec import Struct

from mancala.protocol import pie
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Evidence, Info, Outcome, Reason
from mancala.protocol.player import START_UP_S, Budget, Choice, Player, PlayerError
from mancala.protocol.record import GameRecord, RecordedMove
from mancala.protocol.referee import Asked, Event, Played, Referee, outcome
from mancala.protocol.results import Contestant
from mancala.protocol.rules import Board, Rules

from .played_game import PlayedGame, Remark

PREPARING: Final = -2
"""Instead of a game's number, while players are made before the first game."""
UNTIMED_LIMIT_S: Final = 60.0
"""Seconds after which a player counts as hung where no clock runs."""


class Conditions(Struct, frozen=True):
    """What holds for every game of a match or an event.

    Attributes:
        budget_s: seconds a move for players without a limit of their own.
        margin_ms: the part of the clock's limit that excuses lateness; what is used of it is
            counted and shown. 0 where no time was set for a move.
        start_up_s: seconds that a program may take from its start to its first answer.
        untimed: names of the players for whom no clock runs, such as those whose effort is counted
            in nodes: how busy the machine is then changes none of their games.
    """

    rules: Rules
    clock: TimeControl
    budget_s: float
    seed: int = 0
    margin_ms: int = 0
    start_up_s: float = START_UP_S
    untimed: tuple[str, ...] = ()


class Task(Struct, frozen=True):
    """A game to be played: its number in the event, the names in seat order, and the opening.

    The opening is text; empty for the usual start.
    """

    number: int
    players: tuple[str, str]
    opening: str = ""


class Unfinished(NamedTuple):
    """A game whose worker was lost.

    Attributes:
        number: the task's, or :data:`PREPARING`.
        seat: the player whose answer was awaited; before the first game, its number in the event.
        limit_s: seconds that the answer might take.
    """

    number: int
    seat: int
    moves: tuple[int, ...]
    limit_s: float


class Progress:
    """Receives each step of a game; this one drops them."""

    def begin(self, game: int, limit_s: float) -> None:
        """Begin a game, and do what it needs, at most for a time."""

    def ask(self, seat: int, limit_s: float) -> None:
        """Wait for a player's answer, at most for a time."""

    def moved(self, pit: int) -> None:
        """Add a move."""

    def end(self) -> None:
        """End the game."""


NO_PROGRESS: Final = Progress()


def seed_of(seed: int, *words: object) -> int:
    """Derive a seed of 63 bits from an event's seed and what it is for."""
    text = " ".join(map(str, (seed, *words))).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") >> 1


def opening_of(task: Task, rules: Rules) -> Board:
    return Board.from_text(task.opening, rules) if task.opening else Board.start(rules)


def timestamp(seconds: float) -> str:
    """Return seconds since 1970 as records write a time."""
    return _written(int(1000 * seconds))


@lru_cache(maxsize=4)
def _written(milliseconds: int) -> str:
    """Return a time as records write it; hundreds of games may begin in one millisecond."""
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def play(
    task: Task,
    players: tuple[Player, Player],
    conditions: Conditions,
    clock: Callable[[], float],
    progress: Progress = NO_PROGRESS,
) -> PlayedGame:
    """Play a game between two players in seat order; the clock never goes back."""
    progress.begin(task.number, 2 * conditions.start_up_s)
    clock = _GameClock(clock)
    board = opening_of(task, conditions.rules)
    referee = Referee(board, conditions.clock)
    started_at = timestamp(time.time())
    for seat, player in enumerate(players):
        progress.ask(seat, 2 * conditions.start_up_s)  # a program may be started twice
        player.new_game(seed_of(conditions.seed, task.number, seat))
    moves: list[RecordedMove] = []
    stderr: list[Remark] = []
    unplayed: Info | None = None
    event = referee.start(clock())[-1]
    while isinstance(event, Asked):
        player = players[event.player]
        is_timed = task.players[event.player] not in conditions.untimed
        limit_s = event.allowed_ms / 1000 if is_timed else UNTIMED_LIMIT_S
        progress.ask(event.player, limit_s)
        answer = _answer(
            player, event, Budget(min(conditions.budget_s, limit_s), limit_s, enforced=False)
        )
        now = clock() if is_timed else clock.unchanged()
        events = _refereed(referee, event, answer, now)
        if not isinstance(events[0], Played):
            unplayed = answer.info
        for played in events:
            if isinstance(played, Played):
                moves.append(_recorded(played))
                progress.moved(played.pit)
        stderr += [Remark(event.ply, event.player, line) for line in player.drain_stderr()]
        event = events[-1]
    progress.end()
    times = started_at, timestamp(time.time())
    record = record_of(task, conditions, board, tuple(moves), _outcome(event), times)
    return PlayedGame.of(task.number, record, tuple(stderr), unplayed)


def record_of(
    task: Task,
    conditions: Conditions,
    opening: Board,
    moves: tuple[RecordedMove, ...],
    result: Outcome,
    times: tuple[str | None, str | None] = (None, None),
) -> GameRecord:
    """Return the record of a finished game; ``times`` are its beginning and its end, if known."""
    return GameRecord(
        game=str(task.number),
        rules=conditions.rules,
        players=(Contestant(task.players[0]), Contestant(task.players[1])),
        opening=opening.state,
        moves=moves,
        result=result,
        clock=conditions.clock,
        started_at=times[0],
        ended_at=times[1],
    )


def wedged(task: Task, conditions: Conditions, unfinished: Unfinished, detail: str) -> PlayedGame:
    """Return an unfinished game as lost by the player to move; ``detail`` says what happened.

    A game whose last move was made already has the result of the rules.
    """
    opening = board = opening_of(task, conditions.rules)
    moves = []
    for pit in unfinished.moves:
        moves.append(RecordedMove(board.player, pit))
        board = board.sow(pit).board
    seat = unfinished.seat
    evidence = Evidence(seat, detail, len(moves), allowed_ms=round(1000 * unfinished.limit_s))
    lost = Outcome(1 - seat, board.settled().stores, Reason.WEDGED, evidence)
    record = record_of(task, conditions, opening, tuple(moves), outcome(board) or lost)
    return PlayedGame.of(task.number, record)


class _GameClock:
    """The time of a game, in seconds; ``clock`` never goes back."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._stopped_s = 0.0
        self._now = 0.0

    def __call__(self) -> float:
        self._now = self._clock() - self._stopped_s
        return self._now

    def unchanged(self) -> float:
        """Return the time of the last look, and let none have passed since."""
        self._stopped_s = self._clock() - self._now
        return self._now


def _answer(player: Player, asked: Asked, budget: Budget) -> Choice | PlayerError:
    """Put a question to a player; a failure is an answer."""
    try:
        return pie.choose(player, asked.board, budget)
    except PlayerError as error:
        return error


def _refereed(
    referee: Referee, asked: Asked, answer: Choice | PlayerError, now: float
) -> list[Event]:
    """Hand an answer to the referee; the last event is what follows."""
    if isinstance(answer, PlayerError):
        return [_lost(referee, asked, answer, now)]
    return referee.play(asked.player, asked.ply, answer.pit, now, info=answer.info)


def _lost(referee: Referee, asked: Asked, error: PlayerError, now: float) -> Outcome:
    """Return a game as lost by who failed; as void where a service did that it asks."""
    evidence = Evidence(
        None if error.is_outage else asked.player,
        error.detail,
        asked.ply,
        legal=asked.board.legal() if error.reason is Reason.ILLEGAL else None,
        elapsed_ms=round(referee.clock.measure(asked.player, now, 0.0).elapsed_ms),
        allowed_ms=round(asked.allowed_ms),
        received=error.received or None,
        spared=asked.player if error.is_outage else None,
    )
    stores = referee.board.settled().stores
    if error.is_outage:
        return Outcome(None, stores, Reason.ABORTED, evidence)
    return Outcome(1 - asked.player, stores, error.reason, evidence)


def _recorded(played: Played) -> RecordedMove:
    return RecordedMove(
        played.player,
        played.pit,
        elapsed_ms=round(played.ledger.elapsed_ms, 3),
        info=played.info,
        forced=played.forced,
    )


def _outcome(event: Event) -> Outcome:
    if not isinstance(event, Outcome):
        raise TypeError(f"the referee neither asked nor ended the game: {event}")
    return event
