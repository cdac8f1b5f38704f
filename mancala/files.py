"""Files that outlive a kill: locked, written whole, or made of lines that are only appended.

A lock is the kernel's: it ends with the process, or when the file is closed. Windows has none, so
every process has it there.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import BinaryIO, Final

if sys.platform != "win32":
    import fcntl

READABLE: Final = 0o644


def lock(file: int, *, waits: bool = False, shared: bool = False) -> bool:
    """Lock an open file against other processes; return False where one has it."""
    if sys.platform != "win32":
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        try:
            fcntl.flock(file, kind | (0 if waits else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
    return True


def open_locked(path: Path, busy: Exception | None = None, mode: int = 0o666) -> FileIO:
    """Open a file, made if it is missing, for reading and writing, and lock it.

    Raises:
        busy: where another process has it; None waits for it.
        OSError: when it cannot be opened or locked.
    """
    with ExitStack() as opened:
        file = opened.enter_context(FileIO(os.open(path, os.O_RDWR | os.O_CREAT, mode), "r+"))
        if not lock(file.fileno(), waits=busy is None) and busy is not None:
            raise busy
        opened.pop_all()
    return file


def write_all(file: int, content: bytes) -> None:
    """Write all bytes to a file descriptor; a short write is continued."""
    left = memoryview(content)
    while left:
        left = left[os.write(file, left) :]


def write_whole(
    path: Path, content: bytes | Callable[[BinaryIO], object], mode: int = 0o666
) -> None:
    """Write a file, or have it written, so that it is there whole or as it was, also after a kill.

    Raises:
        OSError: when it cannot be written.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with _replacing(path) as part, os.fdopen(os.open(part, flags, mode), "wb") as file:
        if callable(content):
            content(file)
        else:
            file.write(content)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Yield where to write what gets the path after the block; nothing is left if that raises.

    An OSError of the system names the path, also one of a write, which has no name.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        yield part
        part.replace(path)
    except BaseException as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(part)):
            error.filename = str(path)
        raise
    with suppress(OSError):  # Windows and some file systems refuse it
        directory = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)


class LineFile:
    """A file of lines, open for appending by one process at a time.

    Lines are on disk before they count. A write is whole or is taken back: when the disk is full,
    the file ends with the last whole line. A process that is killed while writing leaves at most a
    partial line. ``read`` gets the whole lines before that is removed; ``cut`` is its bytes.

    Raises:
        busy: when another process has it open.
        OSError: when it cannot be read or written; with its path.
    """

    def __init__(self, path: Path, busy: Exception, read: Callable[[bytes], object]) -> None:
        self._path = path
        self._file = open_locked(path, busy, READABLE)
        try:
            content = self._file.readall()
            self._end = content.rfind(b"\n") + 1
            self.cut = len(content) - self._end
            read(content[: self._end])
            self._cut_off()
        except BaseException:
            self._file.close()
            raise

    def append(self, lines: bytes) -> None:
        """Append lines; they are on disk when this returns, and none is in it where it raises."""
        try:
            write_all(self._file.fileno(), lines)
            os.fsync(self._file.fileno())
        except OSError as error:
            with suppress(OSError):
                self._cut_off()
            error.filename = os.fspath(self._path)
            raise
        self._end += len(lines)

    def replace(self, lines: bytes) -> None:
        """Write lines in the place of all others, or leave the file as it was and raise OSError."""
        with ExitStack() as opened:
            with _replacing(self._path) as part:
                file = opened.enter_context(open_locked(part, mode=READABLE))
                file.truncate()
                write_all(file.fileno(), lines)
                os.fsync(file.fileno())
            opened.pop_all()
        self._file.close()
        self._file, self._end = file, len(lines)

    def close(self) -> None:
        """Close the file, and let others open it."""
        self._file.close()

    def _cut_off(self) -> None:
        self._file.truncate(self._end)
        self._file.seek(self._end)
