"""Files that outlive a kill; the tests of journals have what they do to lines."""

from pathlib import Path

import pytest

from mancala.files import lock, open_locked, write_whole


def test_a_failed_write_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    """A file is written whole or not at all."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError):
        write_whole(path, lambda file: file.write(b"new") // 0)
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
