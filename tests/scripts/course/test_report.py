"""The files of a course."""

from __future__ import annotations

from pathlib import Path

from mancala.scripts.course.grading import GradedTeam
from mancala.scripts.course.marks import TeamMark
from mancala.scripts.course.pseudonyms import page_key, pseudonym
from mancala.scripts.course.report import write_report
from mancala.scripts.course.settings import CourseSettings, Exercise

TEAMS = [
    GradedTeam(
        mark=TeamMark(id="lovelace", bot="adas-bot", total=81.5, evidence="e.json", passed=True),
        owner="Ada Lovelace",
    ),
    GradedTeam(mark=TeamMark(id="boole", bot="", why="no bot.toml"), refused="no bot.toml"),
]


def _written(course: Path) -> dict[str, bytes]:
    files = (file for file in course.rglob("*") if file.is_file())
    return {str(file.relative_to(course)): file.read_bytes() for file in files}


def test_the_public_page_has_no_names(tmp_path: Path) -> None:
    """It has pseudonyms and figures, and no way to a private page."""
    write_report(tmp_path, CourseSettings(), TEAMS)
    page = (tmp_path / "public" / "index.html").read_text()
    assert pseudonym(page_key(tmp_path), "lovelace") in page
    assert "81.5" in page
    for name in ("lovelace", "Lovelace", "adas-bot", "boole", "href"):
        assert name not in page


def test_each_student_has_a_page_that_cannot_be_guessed(tmp_path: Path) -> None:
    """It has the team's own feedback; the lecturer's page leads to it, with names and reasons."""
    write_report(tmp_path, CourseSettings(), TEAMS)
    pages = [page for page in (tmp_path / "public").iterdir() if page.name != "index.html"]
    own = next(page for page in pages if "lovelace" in page.read_text())
    assert len(pages) == 2
    assert len(own.stem) == 32
    assert "boole" not in own.read_text()
    lecturer = (tmp_path / "lecturer.html").read_text()
    assert f'href="public/{own.name}"' in lecturer
    assert "Ada Lovelace" in lecturer
    assert "no bot.toml" in lecturer
    assert "<li>1 broken</li><li>1 passed</li>" in lecturer


def test_the_same_figures_make_the_same_bytes(tmp_path: Path) -> None:
    """So a changed file means a changed figure."""
    settings = CourseSettings(exercises=(Exercise(name="Legal", conformance=1),))
    write_report(tmp_path, settings, TEAMS)
    first = _written(tmp_path)
    write_report(tmp_path, settings, TEAMS)
    assert _written(tmp_path) == first
    assert {"grades.csv", "exercises.csv", "likeness.csv", "feedback/boole.md"} <= first.keys()
