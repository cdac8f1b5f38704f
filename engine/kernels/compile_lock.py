"""One process compiles a kernel, for all that share a cache.

Programs that start together, such as a server's house bots, would compile the same kernels each for
itself. Under this lock the first one compiles a kernel and the others find the result in the cache,
while two processes may compile two kernels. Where the cache cannot be written, each process
compiles for itself.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from zlib import crc32


class CompileLock:
    """A lock for each kernel; one thread of a process holds any, as often as it asks.

    A kernel that calls another one compiles it while it is compiled itself. A kernel's lock is a
    byte of the file: such locks belong to the process, and it holds them until its outermost block
    ends. As kernels call each other without a circle, no two processes wait for each other.

    Args:
        path: the file that processes lock.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread = threading.RLock()
        self._depth = 0
        self._file: int | None = None

    @contextmanager
    def held(self, name: str) -> Iterator[None]:
        """Hold the lock of a kernel during the block; wait for it as long as it takes."""
        with self._thread:
            if self._depth == 0:
                self._file = self._open()
            self._depth += 1
            try:
                if self._file is not None:
                    fcntl.lockf(self._file, fcntl.LOCK_EX, 1, crc32(name.encode()))
                yield
            finally:
                self._depth -= 1
                if self._depth == 0 and self._file is not None:
                    os.close(self._file)

    def _open(self) -> int | None:
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            return os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        return None
