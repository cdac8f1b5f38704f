"""An edit in any file of the kernels reaches every kernel."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import engine
import protocol
from engine.kernels import locator

SOURCES = [Path(str(package.__file__)).parent for package in (engine, protocol)]
COUNT = """
from engine.perft import perft
from protocol.rules import Board
print(perft(Board.start(), 1))
"""


def copy_of_the_sources(folder: Path) -> Path:
    """Copy the packages that a kernel needs, without anything that is cached."""
    for source in SOURCES:
        without_cache = shutil.ignore_patterns("__pycache__", "data")
        shutil.copytree(source, folder / source.name, ignore=without_cache)
    return folder


def leaves_counted_by(folder: Path) -> int:
    """Return perft 1 of the start, compiled or loaded by the copy in a folder."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
    outcome = subprocess.run(
        [sys.executable, "-c", COUNT],
        cwd=folder,
        env=environment | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(outcome.stdout)


def test_an_edit_of_a_helper_in_another_file_is_noticed(tmp_path: Path) -> None:
    """A kernel is compiled anew when a function it inlines changes in another file."""
    folder = copy_of_the_sources(tmp_path)
    assert leaves_counted_by(folder) == 6
    cached = list((folder / "engine" / "kernels" / "__pycache__").glob("sowing.perft-*.nbc"))
    written = [path.stat().st_mtime_ns for path in cached]
    assert leaves_counted_by(folder) == 6
    assert [path.stat().st_mtime_ns for path in cached] == written != []
    helper = folder / "engine" / "kernels" / "layout.py"
    text = helper.read_text()
    counted = "& HIGHS) >> HIGH_BIT) * ONES) >> TOP_LANE"
    assert text.count(counted) == 1
    helper.write_text(text.replace(counted, f"{counted} << U1"))
    assert leaves_counted_by(folder) == 12


def test_functions_elsewhere_keep_numbas_own_locators() -> None:
    """The stamp of the package is no business of code outside it."""
    assert locator.PackageLocator.from_function(copy_of_the_sources, __file__) is None
