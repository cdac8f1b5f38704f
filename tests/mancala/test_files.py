"""Files that outlive a kill; the tests of journals have what they do to lines."""

import errno
import fcntl
import os
import re
import stat
from pathlib import Path
from unittest.mock import Mock

import pytest

from mancala.files import LineFile, lock, open_locked, write_whole


def test_a_failed_write_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    """A file is written whole or not at all; that a disk is full is said with its path."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError):
        write_whole(path, lambda file: file.write(b"new") // 0)
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with pytest.raises(OSError, match=f"No space left on device: '{path}'"):
        write_whole(path, Mock(side_effect=full))
    for other in (OSError("half was written"), FileNotFoundError(errno.ENOENT, "No", "/other")):
        said = str(other)
        with pytest.raises(OSError, match=f"^{re.escape(said)}$"):
            write_whole(path, Mock(side_effect=other))
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_lock_is_had_once_and_read_locks_are_shared(tmp_path: Path) -> None:
    """A second one is refused until the first file is closed; reading ones get on together."""
    path = tmp_path / "file"
    with open_locked(path), pytest.raises(BlockingIOError, match="ours"):
        open_locked(path, BlockingIOError("ours"))
    with path.open() as one, path.open() as two:
        assert lock(one.fileno(), shared=True)
        assert lock(two.fileno(), shared=True)
        assert not lock(two.fileno())


def test_a_file_that_cannot_be_locked_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file system without locks left one more open file each time."""
    asked = _without_locks(monkeypatch)
    with pytest.raises(OSError, match="No locks available"):
        open_locked(tmp_path / "file")
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(asked[0])


def test_lines_are_replaced_where_a_folder_cannot_be_synchronised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They were appended to the old file from then on, which had no name any more."""
    path, sync = tmp_path / "lines", os.fsync

    def refuse(file: int) -> None:
        if stat.S_ISDIR(os.fstat(file).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        sync(file)

    monkeypatch.setattr(os, "fsync", refuse)
    lines = LineFile(path, BlockingIOError("ours"), bool)
    lines.append(b"one\ntwo\n")
    lines.replace(b"three\n")
    lines.append(b"four\n")
    assert path.read_bytes() == b"three\nfour\n"
    with pytest.raises(BlockingIOError, match="ours"):
        LineFile(path, BlockingIOError("ours"), bool)
    lines.close()


def test_lines_that_cannot_be_replaced_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new file had the name, and lines went to the old one."""
    path = tmp_path / "lines"
    lines = LineFile(path, BlockingIOError("ours"), bool)
    lines.append(b"one\n")
    _without_locks(monkeypatch)
    with pytest.raises(OSError, match="No locks available"):
        lines.replace(b"two\n")
    lines.append(b"three\n")
    lines.close()
    assert path.read_bytes() == b"one\nthree\n"
    assert list(tmp_path.iterdir()) == [path]


def _without_locks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let locks be refused; return the files that they are asked for."""
    asked: list[int] = []

    def refuse(file: int, _kind: int) -> None:
        asked.append(file)
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    return asked
