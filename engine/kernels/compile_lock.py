"""One process compiles a kernel, for all that share a cache.

Programs that start together, such as a server's house bots, would compile the same kernels each for
itself. Under this lock the first one compiles a kernel and the others find the result in the cache,
while two processes may compile two kernels. What is in the cache is loaded without it. Where the
cache cannot be written or locked, each process compiles for itself. So does one that has waited for
long: the process that holds the lock may have a low priority on a busy machine, or be stopped.
"""

import errno
import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from zlib import crc32

PATIENCE_S: Final = 30.0
"""The longest kernel takes some ten seconds."""
POLL_S: Final = 0.05


class CompileLock:
    """A lock for each kernel; one thread of a process holds any, as often as it asks.

    A kernel that calls another one compiles it while it is compiled itself. A kernel's lock is a
    byte of the file, and free again when that kernel is compiled. Such locks belong to the process
    and end with the file, which stays open until the outermost block ends. After ``patience_s`` of
    waiting for another process the block goes on without the lock.
    """

    def __init__(self, path: Path, *, patience_s: float = PATIENCE_S) -> None:
        self._path = path
        self._patience_s = patience_s
        self._thread = threading.RLock()
        self._held: list[str] = []
        self._file: int | None = None

    @contextmanager
    def held(self, name: str) -> Iterator[None]:
        """Hold the lock of a kernel during the block, unless another process keeps it for long."""
        with self._thread:
            if not self._held:
                self._file = self._open()
            byte = crc32(name.encode())
            if self._file is not None and name not in self._held:
                self._wait_for(self._file, byte)
            self._held.append(name)
            try:
                yield
            finally:
                self._held.pop()
                self._release(byte, asked_again=name in self._held)

    def _release(self, byte: int, *, asked_again: bool) -> None:
        """Free a kernel unless an outer block holds it, and close the file after the last."""
        if self._file is None or asked_again:
            return
        if self._held:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, byte)
        else:
            os.close(self._file)

    def _wait_for(self, file: int, byte: int) -> None:
        patient_until = time.monotonic() + self._patience_s
        while not _is_locked(file, byte) and time.monotonic() < patient_until:
            time.sleep(POLL_S)

    def _open(self) -> int | None:
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            return os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        return None


def _is_locked(file: int, byte: int) -> bool:
    """Lock a byte of a file if no other process holds it; return whether this one does now."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
    except OSError as error:  # by another errno, a network file system has no locks
        return error.errno not in {errno.EAGAIN, errno.EACCES}
    return True
