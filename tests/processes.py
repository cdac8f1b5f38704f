"""Processes that a program under test has started."""

from contextlib import suppress

import psutil

from tests.patience import PATIENCE_S


def children(pid: int, word: str) -> list[psutil.Process]:
    """List a process's children that have a word on their command lines."""
    found = []
    for child in psutil.Process(pid).children():
        with suppress(psutil.NoSuchProcess):
            if word in child.cmdline():
                found.append(child)
    return found


def have_ended(processes: list[psutil.Process]) -> bool:
    """Wait until processes have ended; return False if some go on."""
    _, alive = psutil.wait_procs(processes, PATIENCE_S)
    return not alive
