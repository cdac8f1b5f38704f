"""What a course keeps of one team."""

import zipfile
from pathlib import Path

import pytest

from mancala.scripts.course.personal import export, forget
from mancala.scripts.course.pseudonyms import page_key, page_token
from mancala.scripts.course.settings import CourseError


def _write(place: Path, text: str = "") -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text or place.name)
    return place


def _course(course: Path) -> dict[str, list[Path]]:
    files: dict[str, list[Path]] = {}
    for team in ("ada", "bob"):
        files[team] = [
            _write(course / "teams" / team / "bot.py"),
            _write(course / "teams" / ".mancala" / team / f"v-{team}" / "verdict.json"),
            _write(course / ".mancala" / "grades" / f"v-{team}-12345678.json"),
            _write(course / "feedback" / f"{team}.md"),
            _write(course / "public" / f"{page_token(page_key(course), team)}.html"),
        ]
    _write(course / "grades.csv", "id,total\nada,70\nbob,60\n")
    return files


def test_an_export_has_all_of_one_team_and_nothing_of_another(tmp_path: Path) -> None:
    """Its program, versions, figures, feedback, page and rows."""
    files = _course(tmp_path)
    assert export(tmp_path, "ada", tmp_path / "ada.zip") == 6
    with zipfile.ZipFile(tmp_path / "ada.zip") as archive:
        names = set(archive.namelist())
        rows = archive.read("grades.csv").decode()
    assert names == {str(file.relative_to(tmp_path)) for file in files["ada"]} | {"grades.csv"}
    assert rows == "id,total\nada,70\n"


def test_a_team_that_is_forgotten_leaves_nothing(tmp_path: Path) -> None:
    """What is kept of others stays."""
    files = _course(tmp_path)
    assert forget(tmp_path, "ada")
    assert not any(file.exists() for file in files["ada"])
    assert all(file.exists() for file in files["bob"])


@pytest.mark.parametrize("team", ["eve", "../teams/ada", "..", ".", "a/b"])
def test_a_team_that_is_not_there_is_named(team: str, tmp_path: Path) -> None:
    """Nothing outside the course's folders is touched."""
    _course(tmp_path)
    with pytest.raises(CourseError, match="keeps nothing of a team"):
        forget(tmp_path, team)
    assert (tmp_path / "teams" / "ada" / "bot.py").exists()
