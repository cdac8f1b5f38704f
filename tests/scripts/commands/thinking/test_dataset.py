"""``mancala dataset``: files of positions with exact values, and their card."""

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from mancala.engine import dataset_files
from mancala.engine.dataset import DatasetPlan
from mancala.protocol.rules import Rules
from mancala.yardstick import read_positions
from tests.scripts.commands.results import assert_usage_error, refusal_of, result_of

SMALL = ("--rules", "kalah:pits=3,seeds=3", "--seeds", "4-9", "--tables", "6", "--shard", "10")


def test_files_hold_positions_and_their_card_says_how_they_were_made(tmp_path: Path) -> None:
    """The card names each file with its hash; a second run makes nothing anew."""
    home = tmp_path / "data"
    arguments = ("dataset", str(home), "--positions", "25", *SMALL, "--workers", "1")
    made = result_of(*arguments)
    assert (made["positions"], made["exact"], len(made["files"])) == (25, 25, 3)
    records = np.concatenate([np.load(file) for file in made["files"]])
    assert set(records["pits"].sum(axis=(1, 2)).tolist()) == set(range(4, 10))
    card = json.loads(Path(made["card"]).read_text())
    assert [file["positions"] for file in card["files"]] == [10, 10, 5]
    assert [file["sha256"] for file in card["files"]] == [
        hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in made["files"]
    ]
    assert sum(row["positions"] for row in card["by_seeds"]) == 25
    assert set(card["columns"]) == set(records.dtype.names or ())
    assert (
        "25 positions by the rules `kalah:pits=3,seeds=3`"
        in (home / dataset_files.PAGE).read_text()
    )
    written = Path(made["files"][0]).stat().st_mtime_ns
    assert result_of(*arguments)["files"] == made["files"]
    assert Path(made["files"][0]).stat().st_mtime_ns == written
    for damaged, content, said in (
        (made["files"][1], Path(made["files"][1]).read_bytes()[:200], "is damaged; delete it"),
        (made["files"][1], b"PK\x03\x04", "is damaged; delete it"),
        (made["files"][1], Path(made["files"][2]).read_bytes(), "is damaged; delete it"),
        (made["card"], b"{", "is no card of a data set"),
    ):
        Path(damaged).write_bytes(content)
        assert f"{damaged} {said}" in refusal_of(*arguments)


def test_a_folder_of_another_data_set_is_refused(tmp_path: Path) -> None:
    """Shards of two plans would be one set of neither."""
    plan = DatasetPlan(Rules(pits=3, seeds=3), 1, 25, 10, 4, 9, 100, 6)
    dataset_files.begin(tmp_path, plan)
    dataset_files.begin(tmp_path, plan)
    assert_usage_error("dataset", str(tmp_path), "--positions", "25", *SMALL)


def test_hard_positions_are_made_once_and_by_their_plan_alone(tmp_path: Path) -> None:
    """A second run makes nothing anew, what is lost of the file is made alike, other plans fail."""
    home, other = tmp_path / "hard", tmp_path / "other"
    arguments = ("--hard", "--positions", "2", "--rules", "kalah:pits=5,seeds=5", "--seed", "2")
    made = result_of("dataset", str(home), *arguments, "--workers", "1")
    assert (made["positions"], made["exact"]) == (2, 2)
    (path,) = map(Path, made["files"])
    lines = path.read_bytes()
    shutil.copytree(home, other)
    (other / path.name).write_bytes(lines.splitlines(keepends=True)[1] + lines[:20])
    result_of("dataset", str(other), *arguments, "--workers", "1")
    assert (other / path.name).read_bytes() == lines
    for name in (dataset_files.CARD, dataset_files.PAGE):
        assert (other / name).read_bytes() == (home / name).read_bytes()
    assert len(read_positions(home)) == 2
    assert_usage_error("dataset", str(home), *arguments, "--positions", "3")
    assert_usage_error("dataset", str(other), *arguments, "--tables", "4")


@pytest.mark.parametrize("name", ["positions.jsonl", dataset_files.PAGE])
def test_files_of_ones_own_are_not_overwritten(name: str, tmp_path: Path) -> None:
    """A folder without a card that holds a file of that name is another's."""
    (tmp_path / name).write_text("mine\n")
    for hard in ([], ["--hard"]):
        if hard or name == dataset_files.PAGE:
            assert_usage_error("dataset", str(tmp_path), "--positions", "1", *hard)
    assert (tmp_path / name).read_text() == "mine\n"
    assert len([*tmp_path.iterdir()]) == 1


def test_boards_without_hard_positions_are_refused(tmp_path: Path) -> None:
    """Before a folder is made; they were looked for without end."""
    home = tmp_path / "none"
    assert_usage_error("dataset", str(home), "--hard", "--rules", "kalah:pits=2")
    assert not home.exists()
