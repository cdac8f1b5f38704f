"""The files of a course."""

from importlib import resources
from pathlib import Path

from mancala.bot.starters import starter
from mancala.scripts.course.grading import GradedTeam, MarkEvidence
from mancala.scripts.course.marks import TeamMark
from mancala.scripts.course.measured import Measured
from mancala.scripts.course.pseudonyms import page_key, pseudonym
from mancala.scripts.course.report import write_report
from mancala.scripts.course.settings import CourseSettings, Exercise, Thresholds

MEASURED = Measured(
    passed=7, failed=0, loss=1.0, loss_low=0.5, loss_high=2.0, elo=None, elo_error=None
)
FOUND = MarkEvidence(
    measured=MEASURED,
    rating={"positions": 1, "best_share": 1.0, "phases": {}, "time": {"worst_ms": 1.0}},
)
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


def test_a_web_server_of_another_user_shows_the_public_pages_alone(tmp_path: Path) -> None:
    """Only who knows a page's name reads it; nginx, as www-data, had 403 for all."""
    (tmp_path / "public").mkdir(0o755)
    write_report(tmp_path, CourseSettings(), TEAMS)
    for page in (tmp_path / "public").iterdir():
        assert page.stat().st_mode & 0o004
    assert (tmp_path / "public").stat().st_mode & 0o005 == 0o001
    for private in ("grades.csv", "lecturer.html"):
        assert not (tmp_path / private).stat().st_mode & 0o077


def test_marks_are_the_lecturers_until_they_are_published(tmp_path: Path) -> None:
    """Teams read what became of their hand-ins, and no figure."""
    write_report(tmp_path, CourseSettings(published=False), TEAMS)
    shown = [*(tmp_path / "public").iterdir(), *(tmp_path / "feedback").iterdir()]
    texts = [each.read_text() for each in shown]
    assert len(texts) == 5
    assert all("Marks are not published yet." in text for text in texts)
    assert not any("81.5" in text for text in texts)
    assert sum("no bot.toml" in text for text in texts) == 2
    for private in ("grades.csv", "lecturer.html"):
        assert "81.5" in (tmp_path / private).read_text()
    assert "once course.toml says published = true" in (tmp_path / "lecturer.html").read_text()


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
    assert "<li>1 broken</li><li>1 marked</li>" in lecturer
    assert "<p>None are.</p>" in lecturer


def test_a_course_that_asks_for_nothing_is_passed_by_none(tmp_path: Path) -> None:
    """A starter with a third of the points read that it passes."""
    asking = CourseSettings(thresholds=Thresholds(loss=2.0))
    for settings, passes in ((CourseSettings(), False), (asking, True)):
        write_report(tmp_path, settings, TEAMS)
        own = (tmp_path / "feedback" / "lovelace.md").read_text()
        assert ("It passes." in own) == passes
        assert ("1 passed" in (tmp_path / "lecturer.html").read_text()) == passes


def test_the_lecturer_sees_which_points_are_set_by_hand(tmp_path: Path) -> None:
    """They looked as measured ones do."""
    mark = TeamMark(id="ada", total=70.0, evidence="e.json", passed=True, comment="in person")
    write_report(tmp_path, CourseSettings(), [GradedTeam(mark=mark)])
    assert "<td>in person</td>" in (tmp_path / "lecturer.html").read_text()


def test_who_has_handed_in_nothing_has_broken_nothing(tmp_path: Path) -> None:
    """On a course's first day, all of it was called broken."""
    empty = TeamMark(id="ada", why="there is no bot.toml: nothing is handed in")
    write_report(tmp_path, CourseSettings(), [GradedTeam(mark=empty, refused=empty.why)])
    assert "<ul><li>1 empty</li></ul>" in (tmp_path / "lecturer.html").read_text()


def test_what_all_have_from_elsewhere_makes_no_programs_alike(tmp_path: Path) -> None:
    """Two starters in JavaScript were alike by their client, and by a package of npm."""
    page, found = resources.files("mancala.server.web.static"), []
    for team in ("ada", "bob"):
        program = tmp_path / team
        (program / "node_modules" / "ws").mkdir(parents=True)
        for name, text in starter("javascript", name=team).items():
            (program / name).write_text(text)
        for name in ("client.js", "rules.js"):
            (program / name).write_text(page.joinpath(name).read_text())
        package = "\n".join(f"export function f{n}(a) {{ return a + {n} * g; }}" for n in range(50))
        (program / "node_modules" / "ws" / "ws.js").write_text(package)
        found.append(
            GradedTeam(
                mark=TeamMark(id=team, loss=1.0, loss_low=0.5, loss_high=2.0),
                found=FOUND,
                program=program,
            )
        )
    write_report(tmp_path, CourseSettings(), found)
    assert len((tmp_path / "likeness.csv").read_text().splitlines()) == 1


def test_the_same_figures_make_the_same_bytes(tmp_path: Path) -> None:
    """So a changed file means a changed figure."""
    settings = CourseSettings(exercises=(Exercise(name="Legal", conformance=1),))
    write_report(tmp_path, settings, TEAMS)
    first = _written(tmp_path)
    write_report(tmp_path, settings, TEAMS)
    assert _written(tmp_path) == first
    assert {"grades.csv", "exercises.csv", "likeness.csv", "feedback/boole.md"} <= first.keys()
