"""Compiled kernels are loaded as cheaply as they can be."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

LOAD = """
import sys
from mancala.engine.kernels.compile_lock import CompileLock
from mancala.engine.perft import perft
from mancala.protocol.rules import Board

asked = []
held = CompileLock.held
CompileLock.held = lambda lock, name: asked.append(name) or held(lock, name)
print(perft(Board.start(), 1), len(asked) > 0, "numba.np.npyimpl" in sys.modules)
"""
"""Prints the leaves, whether a lock was asked for, and whether numba was made ready to compile."""


def loaded_with(cache: Path) -> str:
    """Return what a process prints that counts leaves with a cache of its own."""
    asked = [sys.executable, "-P", "-c", LOAD]
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    return subprocess.run(
        asked, env=environment, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_a_cached_kernel_waits_for_no_lock_and_prepares_no_compiling(tmp_path: Path) -> None:
    """The first process compiles under the lock, the second loads what it left.

    Loading once took the lock as well, so a house bot could wait for a process of low priority, and
    it registered all that compiled code may call, a third of the start of a command.
    """
    assert loaded_with(tmp_path) == "6 True True"
    assert loaded_with(tmp_path) == "6 False False"
