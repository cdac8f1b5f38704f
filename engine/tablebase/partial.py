"""The file of a build under way: pairs are written as they are filled, and found again.

It has the layout of a finished file (`mancala.engine.tablebase.header`). A build holds a lock on
it, so a second process waits; a build that is killed leaves the file, and the next one goes on from
the pairs whose checksums agree. At its end it is renamed.
"""

import errno
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self

from mancala.files import open_locked
from mancala.protocol.rules import Rules

from ..kernels.layout import Octets
from ..kernels.state import table_bytes
from .baselines import Weights
from .build import pairs
from .header import VALUES_AT, TableHeader
from .limits import disk_free


class BuildBusyError(Exception):
    """Another process builds the same tables."""


class PartialFile:
    """Keeps the pairs of a build in a file; the context holds its lock, after waiting if it may.

    Where the disk is full or read-only, nothing more is kept, and the build goes on in memory;
    ``failure`` says why.
    """

    def __init__(self, rules: Rules, seeds: int, path: Path, *, waiting: bool = True) -> None:
        self.path = path
        self._waiting = waiting
        self.failure: OSError | None = None
        self._size = VALUES_AT + table_bytes(rules.pits, seeds)
        self._pairs = pairs(rules.pits, seeds)
        self._header = TableHeader.new(rules, seeds)
        self._file: FileIO | None = None
        self._lock = Lock()

    def __enter__(self) -> Self:
        """Open and lock the file; BuildBusyError if another has it, and this is not to wait."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._locked()
            known = TableHeader.decode(self._file.read(VALUES_AT))
            if known is not None and known.describes(self._header) and not known.complete:
                self._header = known
            else:
                self._file.truncate(0)
            self._file.truncate(self._size)
            self._expect_room(self._file)
        except OSError as error:
            self._give_up(error)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file; what is not finished stays for the next build."""
        if self._file is not None:
            self._file.close()

    @property
    def weights(self) -> Weights | None:
        return self._header.weights

    @weights.setter
    def weights(self, weights: Weights | None) -> None:
        self._header.weights = weights

    def restore(self, pair: int, codes: Octets) -> bool:
        """Read a pair that an earlier build wrote; return whether its checksum agrees."""
        checksum = self._header.checksums[pair]
        if checksum is None or self.failure is not None or self._file is None:
            return False
        with self._lock:
            self._file.seek(VALUES_AT + self._pairs[pair].span.start)
            read = self._file.readinto(codes.data)
        return read == codes.nbytes and zlib.crc32(codes.data) == checksum

    def keep(self, pair: int, codes: Octets) -> None:
        """Write a pair, then the header with its checksum."""
        checksum = zlib.crc32(codes.data)
        with self._lock, self._giving_up():
            self._write(codes.data, VALUES_AT + self._pairs[pair].span.start)
            self._header.checksums[pair] = checksum
            self._write(memoryview(self._header.encode()), 0)

    def finish(self, sample: int, path: Path) -> None:
        """Mark the file as complete, flush it, and rename it."""
        with self._giving_up():
            self._header.complete, self._header.sample = True, sample
            self._write(memoryview(self._header.encode()), 0)
            if self._file is not None:
                os.fsync(self._file.fileno())
                self.path.replace(path)

    def discard(self) -> None:
        with suppress(OSError):
            self.path.unlink()

    def _locked(self) -> FileIO:
        """Return the open file once its lock is ours, and it is still the one of its name."""
        busy = BuildBusyError(f"another process builds {self.path.name}")
        while True:
            file = open_locked(self.path, None if self._waiting else busy, 0o600)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file.fileno()), self.path.stat()):
                    return file
            file.close()

    def _expect_room(self, file: FileIO) -> None:
        """Raise OSError where the disk will be full before the file is, which is sparse so far."""
        missing = self._size - os.fstat(file.fileno()).st_blocks * 512
        free = disk_free(self.path.parent)
        if free is not None and missing > free:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _write(self, content: memoryview, at: int) -> None:
        """Write all of it; one call of the system writes at most 2 GB."""
        if self._file is None or self.failure is not None:
            return
        self._file.seek(at)
        while content.nbytes:
            content = content[self._file.write(content) :]

    @contextmanager
    def _giving_up(self) -> Iterator[None]:
        """Run the block; when the disk refuses, keep nothing more."""
        try:
            yield
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        self.failure = error
        self.discard()
