"""One process compiles at a time, for all that share a cache.

Programs that start together, such as a server's house bots, would compile the same kernels each for
itself. Under this lock the first one compiles and the others find the result in the cache. Where
the cache cannot be written, each process compiles for itself.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class CompileLock:
    """A lock that one thread of one process holds, as often as it asks.

    A kernel that calls another one compiles it while it is compiled itself.

    Args:
        path: the file that processes lock.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread = threading.RLock()
        self._depth = 0

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock during the block; wait for it as long as it takes."""
        with self._thread:
            file = self._open() if self._depth == 0 else None
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if file is not None:
                    os.close(file)

    def _open(self) -> int | None:
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                fcntl.flock(file, fcntl.LOCK_EX)
            except OSError:
                os.close(file)
                raise
            return file
        return None
