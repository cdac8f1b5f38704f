"""``mancala tune``: what is to be said, and what is refused."""

from pathlib import Path

import pytest

from mancala.engine.evaluation.weights import shipped
from tests.scripts.commands.results import mancala


def test_weights_for_other_boards_are_no_start(tmp_path: Path) -> None:
    """Tables for six pits say nothing of rows of four; the file and the rules are named."""
    path = tmp_path / "six.json"
    shipped().save(path)
    result = mancala("tune", "--play", "--weights", str(path), "--rules", "kalah:pits=4")
    assert result.exit_code == 2
    assert f"{path} has weights for rows of another length than 4" in result.stderr


def test_weights_of_six_pits_label_no_wide_boards(tmp_path: Path) -> None:
    """The file is named before anything is searched."""
    path = tmp_path / "six.json"
    shipped().save(path)
    wide = ("--wide", "500", "--weights", str(path), "--out", str(tmp_path / "w.json"))
    result = mancala("tune", "--fit", *wide)
    assert result.exit_code == 1
    assert f"{path} has no weights for rows of 7 pits" in result.stderr


@pytest.mark.parametrize("way", ["--fit", "--play"])
def test_a_directory_is_no_weights_file(way: str, tmp_path: Path) -> None:
    """That is found out before hours of work, not after."""
    result = mancala("tune", way, "--out", str(tmp_path))
    assert result.exit_code == 2
    assert f"{tmp_path} is a directory" in result.stderr
