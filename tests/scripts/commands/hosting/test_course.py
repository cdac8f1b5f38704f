"""``mancala course``: grades, and what it refuses."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mancala.scripts.mancala import build
from tests import node


@pytest.fixture(autouse=True)
def _sandbox() -> None:
    if shutil.which("bwrap") is None:
        node.skip("not installed: bubblewrap")


def test_a_team_without_a_good_version_gets_its_reason(tmp_path: Path) -> None:
    """The table and the JSON have the same row."""
    (tmp_path / "course.toml").write_text("")
    (tmp_path / "teams" / "ada").mkdir(parents=True)
    printed = CliRunner().invoke(build(), ["course", str(tmp_path), "--json"])
    (grade,) = json.loads(printed.stdout)["grades"]
    assert printed.exit_code == 0
    why = "there is no bot.toml: nothing is handed in"
    assert (grade["id"], grade["total"], grade["why"]) == ("ada", 0, why)
    assert "ada" in (tmp_path / "grades.csv").read_text()


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (None, "has no course.toml; an empty one"),
        ("colour = 3", "colour: there is no such setting"),
        ("", "has no folder teams"),
    ],
)
def test_what_is_no_course_is_refused(settings: str | None, reason: str, tmp_path: Path) -> None:
    """One sentence names what is missing or wrong; no table is written."""
    if settings is not None:
        (tmp_path / "course.toml").write_text(settings)
    printed = CliRunner().invoke(build(), ["course", str(tmp_path), "--json"])
    assert (printed.exit_code, printed.stdout) == (2, "")
    assert reason in printed.stderr
    assert not (tmp_path / "grades.csv").exists()
