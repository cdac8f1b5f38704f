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


def test_an_export_has_no_row_of_a_team_whose_figure_is_the_name(tmp_path: Path) -> None:
    """Groups are often numbered; the rows of all with an exercise passed went to team 1."""
    _course(tmp_path)
    _write(tmp_path / "teams" / "1" / "bot.py")
    _write(tmp_path / "grades.csv", 'id,bot,exercises,why\n1,1,4,\nada,1,1,"late, by 1"\n')
    _write(tmp_path / "likeness.csv", "one,other,shared\nada,bob,1\n1,ada,9\n")
    export(tmp_path, "1", tmp_path / "1.zip")
    with zipfile.ZipFile(tmp_path / "1.zip") as archive:
        assert archive.read("grades.csv").decode() == "id,bot,exercises,why\n1,1,4,\n"
        assert archive.read("likeness.csv").decode() == "one,other,shared\n1,ada,9\n"


def test_a_zip_is_named_as_in_the_settings(tmp_path: Path) -> None:
    """Without its ending; a folder of just that name comes first."""
    _course(tmp_path)
    zipped = _write(tmp_path / "teams" / "eve.ZIP")
    other = _write(tmp_path / "teams" / "bob.zip")
    forget(tmp_path, "eve")
    forget(tmp_path, "bob")
    assert not zipped.exists()
    assert other.exists()


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
