"""``course.toml``: how a course marks, and the season's secret seed."""

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from math import ceil, inf
from pathlib import Path
from typing import Final

import msgspec

from mancala.protocol.levels import LEVEL_ELO
from mancala.protocol.loss import PHASES
from mancala.server.config.loading import parse_table
from mancala.server.config.settings import ConfigError

from ..hosting.handin import bare_name
from ..hosting.packages import PACKAGES, installed_in
from ..hosting.shelf import STATE, write_whole
from ..sandbox.limits import SandboxLimits
from .mistakes import PositionKind
from .tree_search import TreeSearch

SETTINGS: Final = "course.toml"
TEAMS: Final = "teams"
SEED: Final = "seed"
DAY_S: Final = 86_400
PHASE_NAMES: Final = tuple(phase.name for phase in PHASES)


class CourseError(ValueError):
    """A ``course.toml`` that cannot be used."""


class MarkWeights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much each part of a mark counts."""

    conformance: float = 10.0
    reliability: float = 10.0
    loss: float = 40.0
    levels: float = 40.0
    exercises: float = 0.0


class Scale(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What earns all points of a part, and what none; in between they are in proportion."""

    full: float
    none: float


class Thresholds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What must be reached to pass, if anything; a part fails only when its whole interval does."""

    loss: float | None = None
    level: int | None = None


class Exercise(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An exercise; it is marked by what is measured of each program anyway.

    Attributes:
        loss: seeds lost a move at most, in the positions of `phase` and `kind`; None for any.
        phase: ``early``, ``middle`` or ``late``; empty for all positions.
        kind: what all best moves of a position do, ``re-turn``, ``capture`` or ``quiet``; empty
            for all positions.
        trees: the search by which game trees are to be solved, ``minimax`` or ``alphabeta``; empty
            for none.
    """

    name: str
    conformance: float = 0.0
    reliability: float = 0.0
    loss: float | None = None
    phase: str = ""
    kind: str = ""
    level: int | None = None
    trees: str = ""

    @property
    def wrong(self) -> str:
        """What of it cannot be; empty if all can."""
        asks = (
            *(self.conformance, self.reliability, self.trees),
            *(self.loss is not None, self.level is not None),
        )
        checks = {
            "an exercise has a name": bool(self.name.strip()),
            "it asks for conformance, reliability, loss, level or trees": any(asks),
            "conformance and reliability are shares, 0 to 1": all(
                0 <= share <= 1 for share in (self.conformance, self.reliability)
            ),
            f"phase is one of {', '.join(PHASE_NAMES)}": self.phase in ("", *PHASE_NAMES),
            f"kind is one of {', '.join(PositionKind)}": self.kind in ("", *PositionKind),
            f"trees is one of {', '.join(TreeSearch)}": self.trees in ("", *TreeSearch),
            "phase and kind belong to a loss": self.loss is not None
            or not (self.phase or self.kind),
            f"level is 1 to {len(LEVEL_ELO)}": self.level is None
            or 1 <= self.level <= len(LEVEL_ELO),
        }
        return next((text for text, is_good in checks.items() if not is_good), "")


class LateRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What comes after the deadline: the days that still count, the points that each one costs."""

    days: int = 0
    points: float = 10.0


class CountingVersion(StrEnum):
    """Which version of a team counts, of those that came in time."""

    LAST = "last"
    BEST = "best"


class Override(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    points: float
    comment: str


class CourseSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a course marks.

    Attributes:
        deadline: until when programs may be handed in; None for any time.
        extensions: deadlines of single teams, by the name of the folder or zip without its ending.
        season: its name; each season has a secret seed of its own.
        games: games of each program with the levels; they are played in pairs.
        exercises: what is asked beside the mark; each is an ``[[exercise]]``.
        overrides: the lecturer's own marks by team; each is an ``[override.TEAM]``.
        assignment: the title of the marks on a learning platform.
        chosen: versions that count instead of the last or the best, by team.
    """

    deadline: datetime | None = None
    late: LateRule = LateRule()
    extensions: dict[str, datetime] = {}
    season: str = "first"
    positions: int = 200
    games: int = 40
    movetime_s: float = 0.2
    weights: MarkWeights = MarkWeights()
    loss: Scale = Scale(full=0.25, none=6)
    level: Scale = Scale(full=8, none=1)
    thresholds: Thresholds = Thresholds()
    limits: SandboxLimits = SandboxLimits()
    trusted: bool = False
    exercises: tuple[Exercise, ...] = msgspec.field(default=(), name="exercise")
    overrides: dict[str, Override] = msgspec.field(default_factory=dict, name="override")
    assignment: str = "Mancala"
    counts: CountingVersion = CountingVersion.LAST
    chosen: dict[str, str] = {}
    published: bool = True

    def odd_teams(self, teams: Iterable[str]) -> Iterator[str]:
        known = {bare_name(team) for team in teams}
        tables: dict[str, Mapping[str, object]] = {
            "extensions": self.extensions,
            "override": self.overrides,
            "chosen": self.chosen,
        }
        for key, table in tables.items():
            for team in sorted(table.keys() - known):
                yield f"{key} names a team {team}, which is none"

    def chosen_of(self, team: str) -> str:
        """Return the version of a team that the lecturer chose; empty if there is none."""
        return self.chosen.get(bare_name(team), "")

    def override_of(self, team: str) -> Override | None:
        """Return the lecturer's own mark of a team; None if there is none."""
        return self.overrides.get(bare_name(team))

    def deadline_of(self, team: str) -> float:
        """Return until when a team may hand in, in seconds of Unix time."""
        moment = self.extensions.get(bare_name(team), self.deadline)
        return moment.timestamp() if moment is not None else inf

    @property
    def may_fail(self) -> bool:
        """Whether something must be reached to pass."""
        return self.thresholds != Thresholds()

    def closes(self, team: str) -> float:
        """Return until when what a team hands in late still counts, in seconds of Unix time."""
        return self.deadline_of(team) + DAY_S * self.late.days

    def late_days(self, team: str, handed_in: float) -> int:
        """Return how many days late a program came; one begun counts."""
        late_s = max(0.0, handed_in - self.deadline_of(team))
        return ceil(late_s / DAY_S)


def read_settings(course: Path) -> CourseSettings:
    file = course / SETTINGS
    if not file.exists():
        raise CourseError(f"{course} has no {SETTINGS}; an empty one marks by the defaults")
    try:
        found = parse_table(file.read_bytes(), CourseSettings)
    except ConfigError as error:
        raise CourseError(f"{file}: {error}") from None
    if wrong := _wrong(found):
        raise CourseError(f"{file}: {wrong}")
    packages = course / (found.limits.packages or PACKAGES)
    if found.limits.packages and not packages.is_dir():
        raise CourseError(f"{file}: limits.packages: there is no folder {packages}")
    limits = replace(
        found.limits,
        isolated=found.limits.isolated and not found.trusted,
        packages=installed_in(packages),
    )
    return msgspec.structs.replace(found, limits=limits)


def _wrong(settings: CourseSettings) -> str:
    weights, level = msgspec.structs.astuple(settings.weights), settings.level
    best, held = len(LEVEL_ELO), settings.thresholds.level
    moments = [each for each in (settings.deadline, *settings.extensions.values()) if each]
    checks = {
        "a deadline has an offset, as in 2027-01-31T18:00:00+01:00": all(
            moment.tzinfo is not None for moment in moments
        ),
        "late.days and late.points are 0 or more": min(settings.late.days, settings.late.points)
        >= 0,
        "weights.exercises is 0 where there is no exercise": bool(settings.exercises)
        or not settings.weights.exercises,
        "weights are 0 or more, and not all 0": min(weights) >= 0 and sum(weights) > 0,
        "positions and games are 2 or more": min(settings.positions, settings.games) >= 2,
        "movetime_s is more than 0": settings.movetime_s > 0,
        "loss.full is less than loss.none: who loses less earns more": (
            settings.loss.full < settings.loss.none
        ),
        f"level.none is less than level.full, both 1 to {best}": (
            1 <= level.none < level.full <= best
        ),
        "an override has 0 to 100 points and a comment": all(
            0 <= each.points <= 100 and each.comment.strip() for each in settings.overrides.values()
        ),
        "assignment is a title": bool(settings.assignment.strip()),
        f"thresholds.level is 1 to {best}": held is None or 1 <= held <= best,
    }
    wrong = next((text for text, is_good in checks.items() if not is_good), "")
    return wrong or _wrong_exercise(settings.exercises)


def _wrong_exercise(exercises: Sequence[Exercise]) -> str:
    for number, exercise in enumerate(exercises, start=1):
        if exercise.wrong:
            return f"exercise {number}, {exercise.name!r}: {exercise.wrong}"
    names = [exercise.name for exercise in exercises]
    twice = next((name for name in names if names.count(name) > 1), None)
    return "" if twice is None else f"two exercises are named {twice!r}"


def season_seed(course: Path, season: str) -> int:
    """Return the secret seed of a season, drawn when it is first needed."""
    if not season.replace("-", "").isalnum():
        raise CourseError(f"a season is named by letters, digits and -, not {season!r}")
    file = course / STATE / SEED / season
    if not file.exists():
        write_whole(file, str(secrets.randbits(62)).encode())
    return int(file.read_text())
