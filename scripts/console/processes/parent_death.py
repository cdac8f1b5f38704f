"""Run a ``mancala`` command that ends with the process that started it, however that one ended.

    python -m mancala.scripts.console.processes.parent_death PARENT COMMAND ARGUMENT…

On Linux the kernel kills it when the parent, given by its process id, has ended. It uses SIGKILL,
since nothing is left to receive what the command would still do.
"""

from __future__ import annotations

import ctypes
import os
import runpy
import signal
import sys
from typing import Annotated, Final

import typer

PR_SET_PDEATHSIG: Final = 1


def end_with(parent: int | None) -> None:
    """Ask the kernel to kill this process when its parent ends (Linux only)."""
    if parent is None or sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        raise SystemExit(1)


ParentOption = Annotated[
    int | None,
    typer.Option(
        "--parent",
        hidden=True,
        callback=end_with,
        help="Process id of the parent; end when it ends.",
    ),
]

if __name__ == "__main__":
    end_with(int(sys.argv.pop(1)))
    runpy.run_module("mancala", run_name="__main__", alter_sys=True)
