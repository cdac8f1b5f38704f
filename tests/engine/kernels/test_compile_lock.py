"""One process compiles a kernel at a time."""

import subprocess
import sys
from pathlib import Path

from mancala.engine.kernels.compile_lock import CompileLock

TRY = """
import fcntl, sys, zlib
file = open(sys.argv[1], "w")
try:
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, zlib.crc32(sys.argv[2].encode()))
except (BlockingIOError, PermissionError):
    print("held")
else:
    print("free")
"""


def seen_by_another(path: Path, name: str) -> str:
    asked = [sys.executable, "-c", TRY, str(path), name]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def test_a_kernel_is_free_when_the_block_that_compiled_it_ends(tmp_path: Path) -> None:
    """A kernel within a kernel asks again; the folder is made where it is missing.

    Another process that compiles its part of the engine takes a shared kernel as soon as it is in
    the cache, and does not wait for the one around it.
    """
    path = tmp_path / "cache" / "compiling.lock"
    lock = CompileLock(path)
    with lock.held("outer"):
        with lock.held("inner"), lock.held("outer"):
            assert seen_by_another(path, "inner") == "held"
        assert seen_by_another(path, "inner") == "free"
        assert seen_by_another(path, "outer") == "held"
    assert seen_by_another(path, "outer") == "free"


HOLD = """
import fcntl, sys, zlib
file = open(sys.argv[1], "w")
fcntl.lockf(file, fcntl.LOCK_EX, 1, zlib.crc32(sys.argv[2].encode()))
print("held", flush=True)
sys.stdin.read()
"""


def test_who_has_waited_for_long_compiles_as_well(tmp_path: Path) -> None:
    """A reviewer of the lowest priority on a busy machine keeps no house bot from playing."""
    path = tmp_path / "compiling.lock"
    asked = [sys.executable, "-c", HOLD, str(path), "kernel"]
    pipe = subprocess.PIPE
    with subprocess.Popen(asked, stdin=pipe, stdout=pipe, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with CompileLock(path, patience_s=0.0).held("kernel"):
            assert holder.poll() is None
        holder.communicate()


def test_where_nothing_can_be_written_each_compiles_for_itself(tmp_path: Path) -> None:
    """A cache that is a file is no reason to fail."""
    (tmp_path / "file").touch()
    with CompileLock(tmp_path / "file" / "lock").held("kernel"):
        assert (tmp_path / "file").is_file()
