"""An edit in any file of the kernels reaches every kernel."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numba

from mancala.engine.kernels import locator
from tests.sources import copy_sources

COUNT = """
from mancala.engine.perft import perft
from mancala.protocol.rules import Board
print(perft(Board.start(), 1))
"""
OF_A_MODULE_THAT_MOVED = b"cengine.nowhere\nTables\n."


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
    """A kernel is compiled anew when a function it inlines changes in another file.

    The cache of the version before is not read and goes: once its index named a module that had
    moved, and every command of the engine ended with an error.
    """
    folder = copy_sources(tmp_path, without=("data",))
    assert leaves_counted_by(folder) == 6
    cached = list((folder / "engine" / "kernels" / "__pycache__").glob("sowing.perft-*.nbc"))
    written = [path.stat().st_mtime_ns for path in cached]
    assert leaves_counted_by(folder) == 6
    assert [path.stat().st_mtime_ns for path in cached] == written != []
    for index in cached[0].parent.glob("*.nbi"):
        index.write_bytes(pickle.dumps(numba.__version__) + OF_A_MODULE_THAT_MOVED)
    helper = folder / "engine" / "kernels" / "layout.py"
    text = helper.read_text()
    counted = "& HIGHS) >> HIGH_BIT) * ONES) >> TOP_LANE"
    assert text.count(counted) == 1
    helper.write_text(text.replace(counted, f"{counted} << U1"))
    assert leaves_counted_by(folder) == 12
    assert not any(path.exists() for path in cached)


def test_functions_elsewhere_keep_numbas_own_locators() -> None:
    """The stamp of the package is no business of code outside it."""
    assert locator.PackageLocator.from_function(copy_sources, __file__) is None
