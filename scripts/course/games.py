"""What became of each game that a program played while it was measured; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ..sandbox.outcome import both_ends

if TYPE_CHECKING:
    from mancala.server.contest.headless.played_game import PlayedGame
    from mancala.server.contest.rate.gauntlet import Meeting

PLAYER: Final = "player"
"""The program's name in its games."""
STDERR_KEPT: Final = 400
"""Letters kept of what a program wrote to stderr during a game."""


class GameEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """A game with a level.

    Attributes:
        level: the opponent.
        seat: the program's seat; seat 0 begins.
        result: ``won``, ``drawn`` or ``lost``.
        reason: why the game ended.
        forfeited: whether the program forfeited it.
        detail: the facts behind a forfeit; empty if there are none.
        moves: the program's moves.
        time_ms: the time of all of them.
        slowest_ms: the time of the slowest.
        stderr: the first and the last lines that the program wrote there during the game.
    """

    level: int
    seat: int
    result: str
    reason: str
    forfeited: bool
    detail: str = ""
    moves: int = 0
    time_ms: float = 0.0
    slowest_ms: float = 0.0
    stderr: str = ""


def games_of(meetings: list[Meeting]) -> tuple[GameEvidence, ...]:
    """Return what became of each game of a gauntlet, in order."""
    return tuple(_evidence(meeting.level, game) for meeting in meetings for game in meeting.games)


def _evidence(level: int, game: PlayedGame) -> GameEvidence:
    seat = game.facts.players.index(PLAYER)
    times = [move.elapsed_ms or 0.0 for move in game.record.moves if move.player == seat]
    lines = [remark.line for remark in game.stderr if remark.player == seat]
    return GameEvidence(
        level=level,
        seat=seat,
        result=_result(game, seat),
        reason=str(game.facts.reason or ""),
        forfeited=game.forfeiter == PLAYER,
        detail=game.evidence,
        moves=len(times),
        time_ms=round(sum(times), 1),
        slowest_ms=round(max(times, default=0.0), 1),
        stderr=both_ends("\n".join(lines), STDERR_KEPT),
    )


def _result(game: PlayedGame, seat: int) -> str:
    if game.facts.winner is None:
        return "drawn"
    return "won" if game.facts.winner == seat else "lost"
