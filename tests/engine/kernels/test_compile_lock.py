"""One process compiles at a time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from mancala.engine.kernels.compile_lock import CompileLock

TRY = """
import fcntl, sys
file = open(sys.argv[1], "w")
try:
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    print("held")
else:
    print("free")
"""


def seen_by_another(path: Path) -> str:
    """Return whether another process could take the lock."""
    asked = [sys.executable, "-c", TRY, str(path)]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def test_the_lock_is_held_until_the_outermost_block_ends(tmp_path: Path) -> None:
    """A kernel within a kernel asks again; the folder is made where it is missing."""
    path = tmp_path / "cache" / "compiling.lock"
    lock = CompileLock(path)
    with lock.held():
        with lock.held():
            assert seen_by_another(path) == "held"
        assert seen_by_another(path) == "held"
    assert seen_by_another(path) == "free"


def test_where_nothing_can_be_written_each_compiles_for_itself(tmp_path: Path) -> None:
    """A cache that is a file is no reason to fail."""
    (tmp_path / "file").touch()
    with CompileLock(tmp_path / "file" / "lock").held():
        assert (tmp_path / "file").is_file()
