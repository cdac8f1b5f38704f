"""Marks: what a course makes of what was measured of a version; pure."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from math import hypot
from typing import Final

import msgspec

from ..hosting.shelf import HostedVersion
from .exercises import ExerciseResult
from .measured import Measured
from .settings import CourseSettings, Override, Scale
from .tables import as_csv

DIGITS: Final = 4
KNOWN_UNJUDGED: Final = frozenset(("id", "bot", "version", "why", "unjudged"))
"""Columns of a team that is not judged; the others are empty."""


class TeamMark(msgspec.Struct, frozen=True, kw_only=True):
    """A team's mark: a row of ``grades.csv``; points are 0..100, intervals hold with 95 %.

    Attributes:
        id: the team: the name of its folder or zip.
        version: what was marked; empty where nothing could be.
        conformance: share of check-bot's situations passed, 0..1.
        reliability: share of answers and games not forfeited, 0..1.
        faults: those forfeited, by reason; empty if none were.
        loss: seeds lost a move.
        level: the level held, by the levels' Elo, as a fraction.
        exercises: how many of the course's exercises it passes; None where there are none.
        late_days: days after the deadline, each day begun.
        why: what was failed, or why nothing was marked; empty if nothing.
        evidence: the file with all figures, within the course's folder.
        comment: why the lecturer set the total; empty where it was made from figures.
        unjudged: whether a fault of the host left it open: its points are none, and not 0.
    """

    id: str
    bot: str = ""
    version: str = ""
    conformance: float = 0.0
    reliability: float = 0.0
    faults: str = ""
    loss: float | None = None
    loss_low: float | None = None
    loss_high: float | None = None
    level: float | None = None
    level_low: float | None = None
    level_high: float | None = None
    exercises: int | None = None
    handed_in: str = ""
    late_days: int = 0
    deducted: float = 0.0
    total: float = 0.0
    total_low: float = 0.0
    total_high: float = 0.0
    passed: bool = False
    why: str = ""
    evidence: str = ""
    comment: str = ""
    unjudged: bool = False

    @property
    def feedback(self) -> str:
        return self.comment or self.why

    @property
    def points(self) -> str:
        return "not judged yet" if self.unjudged else f"{self.total:.1f}"


def overridden(mark: TeamMark, override: Override | None) -> TeamMark:
    """Return a mark with the lecturer's own total, if there is one."""
    if override is None:
        return mark
    points = override.points
    return msgspec.structs.replace(
        mark,
        deducted=0.0,
        total=points,
        total_low=points,
        total_high=points,
        comment=override.comment,
        unjudged=False,
    )


def mark_of(
    team: str,
    version: HostedVersion,
    found: Measured,
    settings: CourseSettings,
    evidence: str,
    exercises: Sequence[ExerciseResult] = (),
) -> TeamMark:
    done = sum(each.passed for each in exercises)
    low, level, high = found.levels
    total, below, above = _points(found, settings, done / len(exercises) if exercises else 0.0)
    failed = _failed(found, high, settings)
    late_days = settings.late_days(team, version.handed_in)
    deducted = min(total, settings.late.points * late_days)
    return TeamMark(
        id=team,
        bot=version.name,
        version=version.version,
        conformance=round(found.conformance, DIGITS),
        reliability=round(found.reliability, DIGITS),
        faults=", ".join(f"{reason} {count}" for reason, count in found.faults.items()),
        loss=found.loss,
        loss_low=found.loss_low,
        loss_high=found.loss_high,
        level=level,
        level_low=low,
        level_high=high,
        exercises=done if exercises else None,
        handed_in=f"{datetime.fromtimestamp(version.handed_in, UTC):%Y-%m-%dT%H:%M:%SZ}",
        late_days=late_days,
        deducted=round(deducted, 1),
        total=round(total - deducted, 1),
        total_low=round(max(0.0, total - deducted - below), 1),
        total_high=round(min(100.0, total - deducted + above), 1),
        passed=not failed,
        why="; ".join(failed),
        evidence=evidence,
    )


def _points(
    found: Measured, settings: CourseSettings, exercises: float
) -> tuple[float, float, float]:
    """Return the points of all parts, and how far their 95 % interval reaches down and up.

    Positions and games are drawn independently, so their errors add as squares. The other parts
    have none: exercises are failed by whole intervals only.
    """
    weights = settings.weights
    scale = 100 / sum(msgspec.structs.astuple(weights))
    losses = (found.loss, found.loss_high, found.loss_low)
    loss, worse, better = (scale * weights.loss * share(each, settings.loss) for each in losses)
    low, level, high = (
        scale * weights.levels * (0.0 if each is None else share(each, settings.level))
        for each in found.levels
    )
    rest = weights.conformance * found.conformance + weights.reliability * found.reliability
    total = scale * (rest + weights.exercises * exercises) + loss + level
    return total, hypot(loss - worse, level - low), hypot(better - loss, high - level)


def share(value: float, scale: Scale) -> float:
    """Return the share of a part's points that a value earns, 0..1."""
    return max(0.0, min(1.0, (value - scale.none) / (scale.full - scale.none)))


def grades_table(marks: Iterable[TeamMark]) -> str:
    """Return marks as ``grades.csv``, ordered by team: the same bytes for the same marks."""
    ordered = sorted(marks, key=lambda mark: mark.id)
    rows = [
        [
            getattr(mark, name) if not mark.unjudged or name in KNOWN_UNJUDGED else None
            for name in TeamMark.__struct_fields__
        ]
        for mark in ordered
    ]
    return as_csv(TeamMark.__struct_fields__, rows)


def _failed(found: Measured, level_high: float | None, settings: CourseSettings) -> list[str]:
    most, least = settings.thresholds.loss, settings.thresholds.level
    failed = []
    if most is not None and found.loss_low > most:
        failed.append(f"loses {found.loss_low:.2f} seeds a move or more; {most:g} are allowed")
    if least is not None and level_high is not None and level_high < least:
        failed.append(f"holds level {level_high:.1f} at most; {least} is wanted")
    return failed
