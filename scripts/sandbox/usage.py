"""What the processes of a sandbox use, as ``/proc`` has it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

TICKS: Final = os.sysconf("SC_CLK_TCK")
KIB: Final = 1024
FOLDERS: Final = ("work", "tmp")


class Usage(NamedTuple):
    """What processes use.

    Attributes:
        cpu_s: processor time, in seconds, also of children that ended and were waited for.
        memory_bytes: private and shared memory; memory shared by several counts for each.
        files: number of files in the folders that the sandbox may write.
    """

    cpu_s: float = 0.0
    memory_bytes: int = 0
    files: int = 0

    def peak_with(self, other: Usage) -> Usage:
        """Return the greater of each."""
        return Usage(
            max(self.cpu_s, other.cpu_s),
            max(self.memory_bytes, other.memory_bytes),
            max(self.files, other.files),
        )


def usage_below(process: int, *, itself: bool = False) -> Usage:
    """Return what all processes below one use; those that end meanwhile are left out.

    Args:
        process: the process.
        itself: whether it counts, too.
    """
    cpu_s, memory, files = 0.0, 0, 0
    for each in (*([process] * itself), *_below(process)):
        with suppress(OSError, ValueError, IndexError):
            cpu_s += _cpu_s(each)
            memory += _memory_bytes(each)
            files = max(files, _files(each))
    return Usage(cpu_s, memory, files)


def _below(process: int) -> list[int]:
    found, waiting = [], [process]
    while waiting:
        each = waiting.pop()
        with suppress(OSError):
            for thread in Path(f"/proc/{each}/task").iterdir():
                waiting += map(int, (thread / "children").read_text().split())
        if each != process:
            found.append(each)
    return found


def _cpu_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS


def _memory_bytes(process: int) -> int:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return sum(
        KIB * int(line.split()[1]) for line in lines if line.startswith(("RssAnon", "RssShmem"))
    )


def _files(process: int) -> int:
    root = Path(f"/proc/{process}/root")
    if not (root / "program").is_dir():
        return 0  # still outside, where these folders are others
    counts = (os.statvfs(root / folder) for folder in FOLDERS)
    return sum(each.f_files - each.f_ffree for each in counts)
