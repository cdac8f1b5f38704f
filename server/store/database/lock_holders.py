"""Who holds the lock of a SQLite file: some shell, most often, in a transaction that was forgotten.

SQLite locks a byte of the file beside the store, ``-shm``, for the one that writes. Linux lists all
such locks with their processes.
"""

import os  # noqa: TID251  # the way to the store's files
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path  # noqa: TID251  # reads /proc, and opens no file of a store
from typing import Final

LOCKS: Final = Path("/proc/locks")


def holders(path: str) -> list[str]:
    """Return the other processes that hold locks for writing: ``NAME (process ID)``."""
    inodes = set(_inodes(path))
    found = {}
    with suppress(OSError):
        for line in LOCKS.read_text().splitlines():
            words = line.split()  # 1: POSIX ADVISORY WRITE 4711 08:01:1234 120 120
            if len(words) >= 6 and words[3] == "WRITE" and words[5].rpartition(":")[2] in inodes:
                found[words[4]] = f"{_name_of(words[4])} (process {words[4]})"
    found.pop(str(os.getpid()), None)
    return list(found.values())


def _inodes(path: str) -> Iterator[str]:
    for name in (path, f"{path}-shm"):
        with suppress(OSError):
            yield str(Path(name).stat().st_ino)


def _name_of(process: str) -> str:
    try:
        return Path("/proc", process, "comm").read_text().strip()
    except OSError:
        return "a program"
