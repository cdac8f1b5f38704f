"""What a program did while it was measured: its games, and what its processes used."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from ..sandbox.limits import SandboxLimits
from ..sandbox.outcome import RunEnding, RunOutcome, both_ends, outcomes_of

if TYPE_CHECKING:
    from mancala.server.contest.headless.played_game import PlayedGame
    from mancala.server.contest.rate.gauntlet import Meeting

PLAYER: Final = "player"
"""The program's name in its games."""
STDERR_KEPT: Final = 400
"""Letters kept of what a program wrote to stderr during a game."""


class RunFailure(msgspec.Struct, frozen=True, kw_only=True):
    """Processes that ended for one cause.

    Attributes:
        ending: the cause, a word: ``crashed``, ``memory``, ``cpu``, ``output``, ``disk``, …
        stderr: the first and the last lines that the last of them wrote there.
    """

    ending: str
    why: str
    times: int
    stderr: str = ""


class RunEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What a program's processes used.

    Attributes:
        runs: how many ended by themselves or by a limit, or were stopped in order.
        killed: how many were killed, and not for a limit.
    """

    runs: int = 0
    memory_mb: float = 0.0
    cpu_s: float = 0.0
    failures: tuple[RunFailure, ...] = ()
    killed: int = 0

    @property
    def failed(self) -> int:
        return sum(each.times for each in self.failures)


def run_evidence(file: Path, limits: SandboxLimits) -> RunEvidence:
    """Return what the outcomes of a file, a `RunOutcome` a line, come to; it may be missing."""
    outcomes = outcomes_of(file)
    return RunEvidence(
        runs=len(outcomes),
        memory_mb=max((each.memory_mb for each in outcomes), default=0.0),
        cpu_s=round(sum(each.cpu_s for each in outcomes), 3),
        failures=_failures(outcomes, limits),
        killed=sum(each.is_killed for each in outcomes),
    )


def _failures(outcomes: list[RunOutcome], limits: SandboxLimits) -> tuple[RunFailure, ...]:
    alike: dict[str, list[RunOutcome]] = defaultdict(list)
    for each in outcomes:
        if not each.is_good and each.ending is not RunEnding.STOPPED:
            alike[each.sentence(limits)].append(each)
    return tuple(
        RunFailure(
            ending=alike[why][-1].ending,
            why=why,
            times=len(alike[why]),
            stderr=alike[why][-1].stderr,
        )
        for why in sorted(alike)
    )


class GameEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """A game with a level.

    Attributes:
        result: ``won``, ``drawn`` or ``lost``.
        time_ms: the time of all of them.
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
