"""The tables of ``mancala endgame``."""

import errno
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from mancala.engine import tablebase
from mancala.engine.search.engine import tables_for
from mancala.engine.tablebase import value_of
from mancala.protocol.rules import Board, Rules
from tests.scripts.commands.results import assert_usage_error, mancala, result_of
from tests.sources import ROOT

READERS = ROOT / "docs" / "certificates"

ENDING = "<6,25,37,2,2,0,0,0,0,1,2,1,1,1,0>"
START = "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>"


def test_tables_are_built_and_probed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A build reports positions, seconds and bytes; a probe the value and the moves."""
    with monkeypatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path))  # the usual one has them from an earlier run
        built = result_of("endgame", "build", "--seeds", "6")
    assert tmp_path in Path(built["path"]).parents
    assert built["positions"] == 16717
    assert built["positions"] / 2 < built["bytes"] < built["positions"]
    probed = result_of("endgame", "probe", ENDING)
    assert probed["value"] == max(move["value"] for move in probed["moves"])
    assert probed["value"] == result_of("solve", ENDING)["value"]


def test_tables_are_verified_by_search() -> None:
    """Random positions are looked up and proven; the same seed checks the same ones."""
    found = result_of(
        "endgame", "verify", "--rules", "kalah:pits=3", "--tables", "18", "--samples", "50"
    )
    assert (found["positions"], found["wrong"], found["seeds"]) == (50, [], 18)


def test_every_command_takes_the_size_of_its_tables() -> None:
    """With tables smaller than the position a probe fails, and a search must find the value."""
    assert_usage_error("endgame", "probe", ENDING, "--tables", "4")
    value = result_of("endgame", "probe", ENDING)["value"]
    assert result_of("solve", ENDING, "--tables", "4")["value"] == value
    assert result_of("analyze", ENDING, "--tables", "4", "--exact")["value"] == value


@pytest.fixture(scope="module")
def compiled_reader(tmp_path_factory: pytest.TempPathFactory) -> str:
    compiler, program = shutil.which("cc"), tmp_path_factory.mktemp("reader") / "endgames"
    assert compiler is not None
    subprocess.run([compiler, "-o", str(program), str(READERS / "endgames.c")], check=True)
    return str(program)


def test_a_small_game_is_solved_strongly_and_counted() -> None:
    """With all seeds in the tables every position is known; with fewer the start is not."""
    game = ("endgame", "count", "--rules", "kalah:pits=3,seeds=2", "--tables")
    whole = result_of(*game, "12")
    assert whole["strong"]
    assert whole["value"] == result_of("solve", "--rules", "kalah:pits=3,seeds=2")["value"]
    assert whole["positions"] == sum(line["positions"] for line in whole["by_seeds"])
    part = result_of(*game, "9")
    assert (part["strong"], part["value"], part["seeds"]) == (False, None, 9)
    assert part["by_seeds"] == whole["by_seeds"][:8]


@pytest.mark.parametrize(
    "rules", ["kalah:pits=3", "kalah-empty-capture:pits=3", "kalah:pits=3,relap=true"]
)
def test_programs_of_others_read_the_tables_that_are_exported(
    tmp_path: Path, compiled_reader: str, rules: str
) -> None:
    """Two readers that share no code with the engine find its values, also those beyond a code."""
    exported = result_of("endgame", "export", str(tmp_path), "--rules", rules, "--tables", "22")
    file = tmp_path / exported["file"]
    assert json.loads(file.with_suffix(".json").read_text()) == exported
    assert hashlib.sha256(file.read_bytes()).hexdigest() == exported["sha256"]
    assert exported["bytes"] == file.stat().st_size
    tables, boards = tables_for(Rules.parse(rules), seeds=22), _boards(22, 300)
    found = [value_of(Board.from_text(text, Rules.parse(rules)), tables) for text in boards]
    for reader in ([compiled_reader], [sys.executable, str(READERS / "endgames.py")]):
        told = subprocess.check_output([*reader, str(file), *boards], text=True)
        assert list(map(int, told.split())) == found
        short = tmp_path / "short.bin"
        short.write_bytes(file.read_bytes()[:4200])
        ended = subprocess.run([*reader, str(short), *boards], capture_output=True, check=False)
        assert ended.returncode == 1


@pytest.mark.parametrize(("at", "number"), [(9, 8), (9, 0), (10, 33)])
def test_a_head_that_no_file_has_is_refused(
    tmp_path: Path, compiled_reader: str, at: int, number: int
) -> None:
    """The reader in C wrote beyond its arrays."""
    head = bytearray(b"KALAHEND".ljust(4096, b"\0"))
    head[8:14] = 2, 3, 22, 0, 0, 1
    head[at] = number
    (tmp_path / "file.bin").write_bytes(head)
    ended = subprocess.run([compiled_reader, str(tmp_path / "file.bin"), "<8>"], check=False)
    assert ended.returncode == 2


def _boards(seeds: int, count: int) -> list[str]:
    """Draw boards of three pits a row, with as many seeds in these, where few codes suffice."""
    rng = random.Random(22)
    boards: list[str] = []
    while len(boards) < count:
        cuts = sorted(rng.choices(range(seeds + 1), k=5))
        pits = [high - low for low, high in zip([0, *cuts], [*cuts, seeds], strict=True)]
        if any(pits[:3]) and any(pits[3:]):
            boards.append(f"<3,0,0,{','.join(map(str, pits))}>")
    return boards


def test_an_export_to_a_place_that_is_no_folder_fails_in_a_sentence(tmp_path: Path) -> None:
    """It names what is in the way."""
    (tmp_path / "taken").write_text("")
    place = str(tmp_path / "taken")
    failed = mancala("endgame", "export", place, "--rules", "kalah:pits=2", "--tables", "4")
    assert failed.exit_code == 1
    assert place in failed.stderr


def test_a_full_disk_leaves_no_part_of_an_export(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The copy stayed where it was cut short."""

    def fill(_source: IO[bytes], target: IO[bytes]) -> None:
        target.write(b"KALAH")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(shutil, "copyfileobj", fill)
    failed = mancala("endgame", "export", str(tmp_path), "--rules", "kalah:pits=2", "--tables", "4")
    assert failed.exit_code == 1
    assert list(tmp_path.iterdir()) == []


def test_tables_that_are_not_kept_are_not_exported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Their file was missed only once all positions were counted."""
    monkeypatch.setattr(tablebase, "make", lambda *_, **__: None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "none"))
    failed = mancala("endgame", "export", str(tmp_path), "--rules", "kalah:pits=2", "--tables", "4")
    assert failed.exit_code == 1
    assert "the tables could not be written to" in failed.stderr
