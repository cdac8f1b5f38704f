"""Whether a process runs, as the system sees it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, NamedTuple

RUNNABLE: Final = "RD"
"""States of a process that runs or waits for a processor, or for a disk: see proc(5)."""


class ProcessActivity(NamedTuple):
    """What a process does.

    Attributes:
        runs: whether one of its threads runs, or waits for a processor or a disk.
        cpu_s: processor time that it has used, in seconds.
    """

    runs: bool
    cpu_s: float


IDLE: Final = ProcessActivity(runs=False, cpu_s=0.0)


def activity_of(pid: int | None) -> ProcessActivity:
    """Return what a process does; a process that is gone, or cannot be looked at, is idle."""
    states, ticks = "", 0
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            fields = (thread / "stat").read_text().rpartition(")")[2].split()
            states += fields[0]
            ticks += int(fields[11]) + int(fields[12])
    except (OSError, IndexError, ValueError):
        return IDLE
    return ProcessActivity(
        any(map(RUNNABLE.__contains__, states)), ticks / os.sysconf("SC_CLK_TCK")
    )
