"""What was measured of a version, and the level that an Elo holds; pure."""

from itertools import pairwise

import msgspec

from mancala.protocol.levels import LEVEL_ELO


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured of a version; intervals hold with 95 %, of which an error is half.

    Attributes:
        passed: situations of check-bot passed.
        loss: seeds lost a move on proven positions.
        elo: place on the levels' scale; None where too many games are void.
        asked: answers and games in all.
        faults: answers and games forfeited, by reason.
        repeated: answers and games that were late, or answers cut short, and were asked for again.
    """

    passed: int
    failed: int
    loss: float
    loss_low: float
    loss_high: float
    elo: float | None
    elo_error: float | None
    asked: int = 0
    faults: dict[str, int] = {}
    repeated: int = 0

    @property
    def conformance(self) -> float:
        """The share of check-bot's situations passed, 0..1."""
        return self.passed / (self.passed + self.failed)

    @property
    def reliability(self) -> float:
        """The share of answers and games that were not forfeited, 0..1."""
        return 1 - sum(self.faults.values()) / self.asked if self.asked else 1.0

    @property
    def levels(self) -> tuple[float | None, float | None, float | None]:
        """The lower end of the level held, the level, and the upper end; None without a place."""
        if self.elo is None or self.elo_error is None:
            return None, None, None
        ends = (self.elo - self.elo_error, self.elo, self.elo + self.elo_error)
        low, middle, high = (round(level_at(elo), 2) for elo in ends)
        return low, middle, high


def level_at(elo: float) -> float:
    """Return the level that an Elo holds, between the levels in proportion; 0 far below all."""
    if elo <= LEVEL_ELO[0]:
        return max(0.0, 1 + (elo - LEVEL_ELO[0]) / 400)
    for level, (low, high) in enumerate(pairwise(LEVEL_ELO), start=1):
        if elo <= high:
            return level + (elo - low) / (high - low)
    return float(len(LEVEL_ELO))
