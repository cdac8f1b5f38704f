"""What a course makes of what was measured."""

import csv
import io
from datetime import UTC, datetime
from math import hypot

import msgspec
import pytest

from mancala.protocol.levels import LEVEL_ELO
from mancala.scripts.course.exercises import ExerciseResult
from mancala.scripts.course.marks import TeamMark, grades_table, mark_of, share
from mancala.scripts.course.measured import Measured
from mancala.scripts.course.settings import (
    DAY_S,
    CourseSettings,
    LateRule,
    MarkWeights,
    Scale,
    Thresholds,
)
from mancala.scripts.hosting.shelf import HostedVersion

MEASURED = Measured(
    passed=12, failed=0, loss=1.0, loss_low=0.8, loss_high=1.4, elo=LEVEL_ELO[4], elo_error=80
)


NARROW = CourseSettings(loss=Scale(full=0.25, none=2.5))
VERSION = HostedVersion(version="v1", name="adas", is_good=True, handed_in=1.5 * DAY_S)


def _mark(settings: CourseSettings, **changes: float | None) -> TeamMark:
    found = msgspec.structs.replace(MEASURED, **changes)
    return mark_of("ada", VERSION, found, settings, "evidence.json")


def test_a_mark_is_the_weighted_share_of_its_parts() -> None:
    """All of conformance, two thirds of the loss, and level 5 of 1 to 8."""
    mark = _mark(NARROW)
    assert mark.level == 5.0
    assert mark.total == pytest.approx(20 + 40 * 1.5 / 2.25 + 40 * 4 / 7, abs=0.05)
    assert mark.passed


@pytest.mark.parametrize(
    ("value", "points"), [(0.0, 1.0), (0.25, 1.0), (1.375, 0.5), (2.5, 0.0), (9.0, 0.0)]
)
def test_points_are_in_proportion_within_a_scale(value: float, points: float) -> None:
    """Nothing beyond its ends counts."""
    assert share(value, Scale(full=0.25, none=2.5)) == pytest.approx(points)


def test_a_threshold_is_failed_only_by_the_whole_interval() -> None:
    """A bad day of few positions or games costs no pass."""
    strict = CourseSettings(thresholds=Thresholds(loss=0.9, level=6))
    near = _mark(strict, elo=LEVEL_ELO[5] - 40)
    far = _mark(strict, loss_low=0.95, elo=LEVEL_ELO[5] - 200)
    assert near.passed
    assert not far.passed
    assert "0.95 seeds a move or more; 0.9 are allowed" in far.why
    assert "6 is wanted" in far.why


def test_the_mark_has_an_interval_of_its_own() -> None:
    """The errors of loss and level add as squares; what is deducted moves both ends."""
    mark = _mark(NARROW)
    worse, fewer = 40 * 0.4 / 2.25, 40 * (mark.level or 0) / 7 - 40 * (mark.level_low or 0) / 7
    assert mark.total - mark.total_low == pytest.approx(hypot(worse, fewer), abs=0.11)
    certain = _mark(NARROW, loss_low=1.0, loss_high=1.0, elo_error=0)
    assert certain.total_low == certain.total == certain.total_high
    deadline, rule = datetime.fromtimestamp(DAY_S, UTC), LateRule(days=2, points=5.0)
    late = _mark(msgspec.structs.replace(NARROW, deadline=deadline, late=rule))
    assert late.total - late.total_low == pytest.approx(mark.total - mark.total_low, abs=0.11)


def test_without_a_place_the_levels_earn_nothing() -> None:
    """The columns are empty, and the rest counts."""
    mark = _mark(NARROW, elo=None, elo_error=None)
    assert mark.level is None
    assert mark.total == pytest.approx(46.7)


def test_what_is_forfeited_costs_reliability() -> None:
    """A tenth of the answers and games forfeited is a tenth of the part's points."""
    found = msgspec.structs.replace(MEASURED, asked=20, faults={"disconnected": 1, "timeout": 1})
    mark = mark_of("ada", VERSION, found, CourseSettings(), "evidence.json")
    assert (mark.reliability, mark.faults) == (0.9, "disconnected 1, timeout 1")
    assert mark.total == pytest.approx(_mark(CourseSettings()).total - 1, abs=0.11)


def test_each_day_late_costs_points() -> None:
    """A day begun counts as a day; the row says when the version came."""
    deadline = datetime.fromtimestamp(DAY_S, UTC)
    late = _mark(CourseSettings(deadline=deadline, late=LateRule(days=2, points=5.0)))
    assert (late.late_days, late.deducted, late.handed_in) == (1, 5.0, "1970-01-02T12:00:00Z")
    total = _mark(CourseSettings()).total
    assert late.total == pytest.approx(total - 5, abs=0.11)
    lost = _mark(CourseSettings(deadline=deadline, late=LateRule(days=2, points=100.0)))
    assert (lost.deducted, lost.total) == (total, 0.0)


def test_the_table_is_the_same_whatever_the_order() -> None:
    """Its rows are in the order of the teams; nothing in a cell is computed by a spreadsheet."""
    ada, bob = _mark(CourseSettings()), TeamMark(id="bob", why="=HYPERLINK()\nno bot.toml")
    assert grades_table([ada, bob]) == grades_table([bob, ada])
    rows = list(csv.DictReader(io.StringIO(grades_table([bob, ada]))))
    assert [(row["id"], row["passed"], row["loss"]) for row in rows] == [
        ("ada", "yes", "1.0"),
        ("bob", "no", ""),
    ]
    assert rows[1]["why"] == "'=HYPERLINK() no bot.toml"


def test_exercises_count_as_their_share_that_is_passed() -> None:
    """Half of them is half of the part's points; the row says how many."""
    settings = CourseSettings(weights=MarkWeights(0, 0, 0, 0, exercises=10))
    results = (ExerciseResult("one", ""), ExerciseResult("two", "loses 1 seed a move"))
    mark = mark_of("ada", VERSION, MEASURED, settings, "evidence.json", results)
    assert (mark.total, mark.exercises) == (50.0, 1)
