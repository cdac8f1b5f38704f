"""What the processes of a sandbox use, as ``/proc`` has it."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

TICKS: Final = os.sysconf("SC_CLK_TCK")
MICROSECONDS: Final = 1_000_000
CONTROL_GROUPS: Final = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified"))
"""Where systems mount control groups of version 2."""
PREFIX: Final = "mancala-"
LEFT_S: Final = 600.0
JOIN: Final = '{ echo 0 > "$0/cgroup.procs"; } 2>/dev/null; exec "$@"'
KIB: Final = 1024
FOLDERS: Final = ("work", "tmp")


class Usage(NamedTuple):
    """What processes use.

    Attributes:
        cpu_s: processor time, in seconds, also of children that ended.
        memory_bytes: private and shared memory; memory shared by several counts for each.
        sockets: number of sockets in the sandbox's network, also of those that no process holds.
    """

    cpu_s: float = 0.0
    memory_bytes: int = 0
    files: int = 0
    sockets: int = 0

    def peak_with(self, other: Usage) -> Usage:
        return Usage(
            max(self.cpu_s, other.cpu_s),
            max(self.memory_bytes, other.memory_bytes),
            max(self.files, other.files),
            max(self.sockets, other.sockets),
        )


@contextmanager
def control_group() -> Iterator[Path | None]:
    """Make a control group below that of this process, for one job; None where that is not allowed.

    It needs no controller: each group of version 2 counts processor time.
    """
    found = None
    with suppress(OSError, StopIteration):
        own = Path("/proc/self/cgroup").read_text().rpartition("0::/")[2].strip()
        root = next(each for each in CONTROL_GROUPS if (each / "cgroup.controllers").exists())
        _remove_left(root / own)
        found = Path(tempfile.mkdtemp(prefix=PREFIX, dir=root / own))
    try:
        yield found
    finally:
        if found is not None:
            with suppress(OSError):
                found.rmdir()


def _remove_left(place: Path) -> None:
    """Remove groups whose processes had not quite ended with their jobs; others are not empty."""
    for group in place.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if time.time() - group.stat().st_mtime > LEFT_S:
                group.rmdir()


def joining(group: Path | None) -> list[str]:
    """Return the words before a command line that starts it in a control group."""
    return [] if group is None else ["/bin/sh", "-c", JOIN, str(group)]


class UsageMeter:
    """Looks at what all processes below one use; those that end meanwhile are left out.

    A parent that waits for its children has their time; one that ignores their end has not. So the
    time of those that ended is also summed here, as it was when they were last seen. Either sum may
    lack some, only the control group's lacks none, and none counts anything twice; so the greatest
    one is taken.

    Args:
        process: the process.
        itself: whether it counts, too; then it is no sandbox, and has no network of its own.
        group: their control group, if there is one.
    """

    def __init__(self, process: int, *, itself: bool = False, group: Path | None = None) -> None:
        self._process = process
        self._itself = itself
        self._group = group
        self._seen: dict[tuple[int, int], float] = {}
        self._ended_s = 0.0

    def look(self) -> Usage:
        own_s: dict[tuple[int, int], float] = {}
        with_children_s, memory, files, sockets = 0.0, 0, 0, 0
        for each in (*([self._process] * self._itself), *_below(self._process)):
            with suppress(OSError, ValueError, IndexError):
                times = _times(each)
                own_s[each, times.began] = times.own_s
                with_children_s += times.own_s + times.of_children_s
                memory += _memory_bytes(each)
                if not self._itself:
                    files = max(files, _files(each))
                    sockets = max(sockets, _sockets(each))
        self._ended_s += sum(self._seen[key] for key in self._seen.keys() - own_s.keys())
        self._seen = own_s
        in_group_s = _group_s(self._group)
        cpu_s = max(with_children_s, self._ended_s + sum(own_s.values()), in_group_s)
        return Usage(cpu_s, memory, files, sockets)


def _group_s(group: Path | None) -> float:
    """Return the processor time of a group, in seconds; 0 where there is none, or none any more."""
    with suppress(OSError):
        if group is not None:
            first = (group / "cpu.stat").read_text().partition("\n")[0]
            return int(first.split()[-1]) / MICROSECONDS  # usage_usec N
    return 0.0


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


class _Times(NamedTuple):
    """Processor time of a process, its own and that of children it waited for; and its start."""

    own_s: float
    of_children_s: float
    began: int


def _times(process: int) -> _Times:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    user, system, user_below, system_below = map(int, fields[11:15])
    return _Times((user + system) / TICKS, (user_below + system_below) / TICKS, int(fields[19]))


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


def _sockets(process: int) -> int:
    """Return the number of sockets in the network of a process, unless it is still ours."""
    network, ours = (Path(f"/proc/{each}/ns/net").readlink() for each in (process, "self"))
    if network == ours:
        return 0
    first = Path(f"/proc/{process}/net/sockstat").read_text().partition("\n")[0]
    return int(first.split()[-1])  # sockets: used N
