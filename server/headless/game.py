"""One game between two minds, under the same referee as on the server.

A mind is asked and answers; nothing runs beside it, so a move costs it no thread and no event
loop. The clock is read around each answer, and a mind that is late has lost, as it would have
over the wire: there is nothing to interrupt it with.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple, Protocol

from msgspec import Struct

from protocol.clock import TimeControl
from protocol.messages import Evidence, Info, Reason
from protocol.record import GameRecord, Outcome, RecordedMove
from protocol.referee import Asked, Ended, Event, Played, Referee
from protocol.results import Contestant
from protocol.rules import Board, Rules


class Conditions(Struct, frozen=True):
    """What holds for every game of a match or an event.

    Attributes:
        rules: the variant.
        clock: the limits that the referee enforces.
        budget_s: seconds a player is told to think, in a mind that can be told.
        seed: what all chance in the games comes from.
    """

    rules: Rules
    clock: TimeControl
    budget_s: float
    seed: int = 0


class Task(Struct, frozen=True):
    """A game to be played.

    Attributes:
        number: its place in the event; no two games share one.
        players: the names, in seat order.
        opening: the position it begins from, as text; empty for the usual one.
    """

    number: int
    players: tuple[str, str]
    opening: str = ""


class Remark(Struct, frozen=True):
    """A line that a player's program wrote to stderr while it was asked."""

    ply: int
    player: int
    line: str


class PlayedGame(Struct, frozen=True):
    """A game as the journal keeps it.

    Attributes:
        number: the task's.
        record: what happened.
        stderr: what the players' programs said there.
    """

    number: int
    record: GameRecord
    stderr: tuple[Remark, ...] = ()


class Answer(NamedTuple):
    """A mind's choice, and what it says of it."""

    pit: int
    info: Info | None = None


class MindError(Exception):
    """A mind gave no answer, or none that can be judged by the rules.

    Attributes:
        reason: what it lost the game by.
        detail: one sentence for the evidence.
        received: the beginning of what it said instead.
    """

    def __init__(self, reason: Reason, detail: str, received: str = "") -> None:
        self.reason = reason
        self.detail = detail
        self.received = received
        super().__init__(detail)


class Mind(Protocol):
    """A player that is asked move by move."""

    def new_game(self, seed: int) -> None:
        """Forget the last game; all chance in the next one comes from the seed."""

    def choose(self, board: Board, *, budget_s: float, deadline_s: float) -> Answer:
        """Answer within ``budget_s`` seconds, ``deadline_s`` at the very latest.

        Raises:
            MindError: when there is no answer.
        """

    def overheard(self) -> list[str]:
        """Give what its program wrote to stderr since the last time."""

    def close(self) -> None:
        """Let go of everything; not while it is asked."""

    def kill(self) -> None:
        """Let go of what would outlive this process, at any moment and at once."""


def seed_of(seed: int, *words: object) -> int:
    """Derive a seed of 63 bits from an event's seed and what it is for."""
    text = " ".join(map(str, (seed, *words))).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") >> 1


def opening_of(task: Task, rules: Rules) -> Board:
    """Set up the board that a task begins from."""
    return Board.from_text(task.opening, rules) if task.opening else Board.start(rules)


def play(
    task: Task, minds: tuple[Mind, Mind], conditions: Conditions, clock: Callable[[], float]
) -> PlayedGame:
    """Play a game to its end.

    Args:
        task: which game.
        minds: the players, in seat order.
        conditions: what holds for every game.
        clock: seconds, never going back.
    """
    board = opening_of(task, conditions.rules)
    referee = Referee(board, conditions.clock)
    started_at = _utc_now()
    for player, mind in enumerate(minds):
        mind.new_game(seed_of(conditions.seed, task.number, player))
    moves: list[RecordedMove] = []
    stderr: list[Remark] = []
    event = referee.start(clock())[-1]
    while isinstance(event, Asked):
        mind = minds[event.player]
        events = _ask(referee, mind, event, conditions.budget_s, clock)
        moves += [_recorded(played) for played in events if isinstance(played, Played)]
        stderr += [Remark(event.ply, event.player, line) for line in mind.overheard()]
        event = events[-1]
    return PlayedGame(
        number=task.number,
        record=GameRecord(
            game=str(task.number),
            rules=conditions.rules,
            players=(Contestant(task.players[0]), Contestant(task.players[1])),
            opening=board.state,
            moves=tuple(moves),
            result=_outcome(event),
            clock=conditions.clock,
            started_at=started_at,
            ended_at=_utc_now(),
        ),
        stderr=tuple(stderr),
    )


def _ask(
    referee: Referee, mind: Mind, asked: Asked, budget_s: float, clock: Callable[[], float]
) -> list[Event]:
    """Put a question to a mind and its answer to the referee; the last event is what follows."""
    deadline_s = asked.allowed_ms / 1000
    try:
        answer = mind.choose(asked.board, budget_s=min(budget_s, deadline_s), deadline_s=deadline_s)
    except MindError as error:
        return [_lost(referee, asked, error, clock())]
    return referee.play(asked.player, asked.ply, answer.pit, clock(), info=answer.info)


def _lost(referee: Referee, asked: Asked, error: MindError, now: float) -> Ended:
    evidence = Evidence(
        asked.player,
        error.detail,
        asked.ply,
        legal=asked.board.legal() if error.reason is Reason.ILLEGAL else None,
        elapsed_ms=round(referee.clock.measure(asked.player, now, 0.0).elapsed_ms),
        allowed_ms=round(asked.allowed_ms),
        received=error.received or None,
    )
    stores = referee.board.settled().stores
    return Ended(1 - asked.player, stores, error.reason, evidence)


def _recorded(played: Played) -> RecordedMove:
    return RecordedMove(
        played.player,
        played.pit,
        elapsed_ms=round(played.ledger.elapsed_ms, 3),
        info=played.info,
        forced=played.forced,
    )


def _outcome(event: Event) -> Outcome:
    if not isinstance(event, Ended):
        raise TypeError(f"the referee neither asked nor ended the game: {event}")
    return Outcome(event.winner, event.stores, event.reason, event.evidence)


def _utc_now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
