"""Temporary folders."""

import sys
import tempfile
from pathlib import Path

import pytest

from mancala.scripts.console.processes.temporary import LOCK, temporary_folder


def test_a_killed_owners_folder_is_removed_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder whose lock is free is swept; one in use, and one of another purpose, stay."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left, other = tmp_path / "mancala-house-left", tmp_path / "mancala-demo-left"
    for folder in (left, other):
        folder.mkdir()
        (folder / LOCK).touch()
    with temporary_folder("house") as first, temporary_folder("house") as second:
        assert first.exists()
        assert second.exists()
        assert not left.exists()
        assert other.exists()
    assert not first.exists()


def test_without_locks_no_folder_is_taken_for_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Windows every process has a lock, so a second one removed the folder of the first."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "win32")
    with temporary_folder("house") as first, temporary_folder("house"):
        assert first.exists()
