"""The score of a match of two: points, Elo with its error, and the verdict of a test.

Pairs count in the order of their numbers, not in the order in which they finish. So a sequential
test ends after the same pair for any number of workers. A pair does not count if one of its games
is void.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from mancala.protocol.results import LOGISTIC
from mancala.protocol.text import quantity

from ...model.pair_counts import PairCounts
from ...rating.estimate import Estimate, estimate
from ...rating.sprt import Judgement, Sprt
from ...rating.stopped import stopped_estimate
from .played_game import PlayedGame


class Lateness(Struct, frozen=True):
    """Late answers of a player that the margin excused, and by how much: together, and at most."""

    moves: int = 0
    total_ms: float = 0.0
    worst_ms: float = 0.0

    def __add__(self, other: Lateness) -> Lateness:
        return Lateness(
            self.moves + other.moves,
            round(self.total_ms + other.total_ms, 3),
            max(self.worst_ms, other.worst_ms),
        )


def lateness_of(games: Iterable[PlayedGame], margin_ms: int) -> dict[str, Lateness]:
    """Return the excused lateness of each player that has any; without a margin nothing is late."""
    late: dict[str, Lateness] = {}
    if not margin_ms:
        return late
    for played in games:
        record = played.record
        limit_ms = record.clock.move_ms if record.clock is not None else None
        if limit_ms is None:
            continue
        for move in record.moves:
            over_ms = (move.elapsed_ms or 0.0) - (limit_ms - margin_ms)
            if over_ms > 0:
                name = record.players[move.player].name
                late[name] = late.get(name, Lateness()) + Lateness(
                    1, round(over_ms, 3), round(over_ms, 3)
                )
    return dict(sorted(late.items()))


def lateness_lines(lateness: Mapping[str, Lateness]) -> list[str]:
    """Return the excused lateness of each player as a line of text."""
    return [
        f"{name}: {quantity(late.moves, 'late move')} excused, {late.total_ms:.0f} ms together, "
        f"at most {late.worst_ms:.0f} ms"
        for name, late in lateness.items()
    ]


@dataclass(slots=True)
class MatchScore:
    """The score of a match, from the first player's point of view.

    Attributes:
        taken: games of complete pairs so far, in order.
        games: those that count.
        outages: void games, by the player whose service failed.
    """

    first: str
    sprt: Sprt | None = None
    margin_ms: int = 0
    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    plies: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    counts: PairCounts = field(default_factory=PairCounts)
    counts_without_forfeits: PairCounts = field(default_factory=PairCounts)
    forfeits: Counter[str] = field(default_factory=Counter)
    first_forfeit: str = ""
    taken: int = 0
    outages: Counter[str] = field(default_factory=Counter)
    first_outage: str = ""
    lateness: dict[str, Lateness] = field(default_factory=dict)
    _early: dict[int, PlayedGame] = field(default_factory=dict)

    def add(self, played: PlayedGame) -> list[PlayedGame]:
        """Add a game; return the games of pairs now whole, none once there is a verdict."""
        self._early[played.number] = played
        whole: list[PlayedGame] = []
        while self.verdict is None and {self.taken, self.taken + 1} <= self._early.keys():
            pair = [self._early.pop(self.taken + leg) for leg in (0, 1)]
            self.taken += 2
            self._count(pair)
            whole += pair
        return whole

    @property
    def judgement(self) -> Judgement | None:
        return self.sprt.judge(self.counts) if self.sprt is not None else None

    @property
    def verdict(self) -> str | None:
        """The accepted hypothesis; None before there is one."""
        judgement = self.judgement
        return judgement.verdict if judgement is not None else None

    def summary(self) -> dict[str, Any]:
        """Return the score as JSON values; ``score`` and ``los`` are 0..1, the rest in Elo.

        Before the first pair of games there is no score, and nothing is estimated.
        Once a test has ended the match, Elo, its error and ``los`` are corrected for that.
        """
        played, judgement = estimate(self.counts), self.judgement
        stopped = stopped_estimate(self.counts, self.sprt) if self.sprt is not None else None
        told = stopped or played
        summary: dict[str, Any] = {
            "scale": LOGISTIC,
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            **(_estimated(told) if self.games else dict.fromkeys(_estimated(told))),
            "pairs": told.pairs,
            "pentanomial": list(self.counts.counts),
            "plies": self.plies,
            "reasons": dict(sorted(self.reasons.items())),
            "forfeits": dict(sorted(self.forfeits.items())),
            "lateness": self.lateness,
        }
        if self.outages:
            summary |= {
                "void_games": self.taken - self.games,
                "outages": dict(sorted(self.outages.items())),
                "first_outage": self.first_outage,
            }
        if self.first_forfeit:
            summary["first_forfeit"] = self.first_forfeit
        if self.forfeits:
            fair = estimate(self.counts_without_forfeits)
            summary |= {
                "elo_without_forfeits": fair.elo,
                "elo_error_without_forfeits": fair.elo_error,
                "pairs_without_forfeits": fair.pairs,
            }
        if self.sprt is not None and judgement is not None:
            summary |= {**judgement._asdict(), "sprt_model": self.sprt.model}
        if stopped is not None:
            summary |= {"elo_as_scored": played.elo, "elo_error_as_scored": played.elo_error}
        return summary

    def _count(self, pair: list[PlayedGame]) -> None:
        if void := [played for played in pair if played.is_void]:
            self.first_outage = self.first_outage or void[0].evidence
            self.outages.update(str(played.failed) for played in void)
            return
        first, second = (self._count_game(played) for played in pair)
        counts = PairCounts.of([(first, second)])
        self.counts += counts
        lost = [played for played in pair if played.forfeiter is not None]
        if not self.forfeits:
            self.first_forfeit = next((played.evidence for played in lost), "")
        self.forfeits.update(str(played.forfeiter) for played in lost)
        if not lost:
            self.counts_without_forfeits += counts
        for name, late in lateness_of(pair, self.margin_ms).items():
            self.lateness[name] = self.lateness.get(name, Lateness()) + late

    def _count_game(self, played: PlayedGame) -> float:
        game = played.rated
        points = game.points(game.players.index(self.first))
        self.games += 1
        self.wins += points == 1
        self.draws += points == 0.5
        self.losses += points == 0
        self.plies += played.facts.plies
        self.reasons[str(played.facts.reason)] += 1
        return points


def _estimated(found: Estimate) -> dict[str, float]:
    return {name: value for name, value in found._asdict().items() if name != "pairs"}
