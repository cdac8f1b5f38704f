"""How a course marks, and its season's secret seed."""

from pathlib import Path

import pytest

from mancala.scripts.course.settings import (
    DAY_S,
    CourseError,
    CourseSettings,
    read_settings,
    season_seed,
)
from mancala.scripts.sandbox.limits import SandboxLimits


def test_an_empty_file_marks_by_the_defaults(tmp_path: Path) -> None:
    """A lecturer begins with nothing to decide."""
    (tmp_path / "course.toml").write_text("")
    assert read_settings(tmp_path) == CourseSettings()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("colour = 3", "colour: there is no such setting; known: deadline"),
        ("deadline = 2026-12-01T18:00:00", "a deadline has an offset"),
        ("extensions = { ada = 2026-12-01T18:00:00 }", "a deadline has an offset"),
        ("late = { days = -1 }", "late.days and late.points are 0 or more"),
        ("games = 'ten'", "games: expected a whole number, got a text (at line 1)"),
        ("late = 3", "late: expected a table such as {key = value}, got a whole number"),
        ("deadline = 2027-01-31", "deadline: expected a time such as 2027-01-31T18:00:00+01:00"),
        (
            "override.a = {points = 1, comment = 'a'}\noverride.b = {points = '2', comment = 'b'}",
            "override.b.points: expected a number, got a text (at line 2)",
        ),
        ("counts = 'first'", "counts: must be one of last, best, not 'first' (at line 1)"),
        ("[exercise]\nname = 'a'", "there may be several, so each begins with [[exercise]]"),
        ("[[exercise]]\nname = 'a'\ngames = 4", "it belongs to no table, so it stands above"),
        ("games = 1", "positions and games are 2 or more"),
        ("weights = { conformance = 0, reliability = 0, loss = 0, levels = 0 }", "not all 0"),
        ("loss = { full = 2, none = 1 }", "who loses less earns more"),
        ("level = { full = 11, none = 1 }", "both 1 to 10"),
        ("thresholds = { level = 12 }", "thresholds.level is 1 to 10"),
        ("limits = { memory_mb = 0 }", "memory_mb is at least 1"),
        ("limits = { packages = 'pakages' }", "limits.packages: there is no folder"),
        ("games = " + "9" * 5000, "course.toml: a number is too long"),
        ("movetime_s = ", "not TOML: no value: write a number"),
        ("weights = { exercises = 5 }", "weights.exercises is 0 where there is no exercise"),
        ("[[exercise]]", "exercise[0].name: it is missing, and has no default (at line 1)"),
        ("[[exercise]]\nname = 'a'", "exercise 1, 'a': it asks for conformance"),
        ("[[exercise]]\nname = 'a'\nloss = 1\nkind = 'trap'", "kind is one of re-turn, capture"),
        ("[[exercise]]\nname = 'a'\nlevel = 2\nphase = 'late'", "phase and kind belong to a loss"),
        ("[[exercise]]\nname = 'a'\nlevel = 1\n" * 2, "two exercises are named 'a'"),
    ],
)
def test_what_cannot_be_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    """One sentence names the file and the setting."""
    (tmp_path / "course.toml").write_text(text)
    with pytest.raises(CourseError, match=r"course\.toml: ") as refused:
        read_settings(tmp_path)
    assert reason in str(refused.value)


def test_a_course_may_trust_its_programs(tmp_path: Path) -> None:
    """Then they run without a sandbox; nothing else does so."""
    (tmp_path / "course.toml").write_text("trusted = true\nlimits = { memory_mb = 64 }\n")
    assert read_settings(tmp_path).limits == SandboxLimits(memory_mb=64, isolated=False)
    assert CourseSettings().limits.isolated


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """The lecturer learns that an empty one will do."""
    with pytest.raises(CourseError, match=r"has no course\.toml; an empty one"):
        read_settings(tmp_path)


def test_each_season_has_a_seed_that_stays(tmp_path: Path) -> None:
    """It is drawn once, and only its owner may read it."""
    first = season_seed(tmp_path, "2026-autumn")
    assert season_seed(tmp_path, "2026-autumn") == first != season_seed(tmp_path, "2027-spring")
    (file,) = tmp_path.rglob("2026-autumn")
    assert file.stat().st_mode & 0o777 == 0o600
    with pytest.raises(CourseError, match="letters, digits and -"):
        season_seed(tmp_path, "../../x")


def test_an_extension_is_a_teams_own_deadline(tmp_path: Path) -> None:
    """It holds for the team's zip as well; a day begun is a day late."""
    (tmp_path / "course.toml").write_text(
        "deadline = 1970-01-02T00:00:00Z\nlate = { days = 2 }\n"
        "extensions = { ada = 1970-01-03T00:00:00Z }\n"
    )
    settings = read_settings(tmp_path)
    assert [settings.late_days(team, 1.5 * DAY_S) for team in ("bob", "ada", "ada.zip")] == [
        1,
        0,
        0,
    ]
    assert (settings.closes("bob"), settings.closes("ada.zip")) == (3 * DAY_S, 4 * DAY_S)
    assert CourseSettings().late_days("bob", 1e12) == 0
