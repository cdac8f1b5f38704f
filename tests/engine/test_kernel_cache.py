"""Compiled kernels are shared by all that would compile the same, and by no other user."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mancala.engine import kernel_cache
from tests.engine.full_disk import full_disk
from tests.sources import copy_sources

COUNT = """
from mancala.engine import kernel_cache
from mancala.engine.perft import perft
from mancala.protocol.rules import Board
print(perft(Board.start(), 1), kernel_cache.cache_folder(), kernel_cache.refusal())
"""


def printed_by(folder: Path, user: Path) -> list[str]:
    """Return perft 1 of the start, the cache and the refusal, printed by the copy in a folder."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
    outcome = subprocess.run(
        [sys.executable, "-c", COUNT],
        cwd=folder,
        env=environment | {"PYTHONPATH": str(folder), "XDG_CACHE_HOME": str(user)},
        capture_output=True,
        text=True,
        check=True,
    )
    return outcome.stdout.strip().split(" ", 2)


def test_a_second_checkout_compiles_nothing_and_an_edit_of_a_helper_is_noticed(
    tmp_path: Path,
) -> None:
    """Checkouts of the same sources share a folder; an edit in any file leads to another."""
    user = tmp_path / "user"
    user.mkdir()
    copies = [tmp_path / name for name in ("first", "second")]
    for copy in copies:
        copy.mkdir()
    first, second = (copy_sources(copy, without=("data",)) for copy in copies)
    leaves, cache, refused = printed_by(first, user)
    assert (leaves, refused) == ("6", "None")
    assert Path(cache).parent == user / "mancala-arena"
    assert Path(cache).stat().st_mode & 0o777 == 0o700
    kept = {path: path.stat().st_mtime_ns for path in Path(cache).glob("*.nb?")}
    assert any(path.name.startswith("sowing.perft-") for path in kept)
    assert printed_by(second, user) == [leaves, cache, refused]
    assert {path: path.stat().st_mtime_ns for path in Path(cache).glob("*.nb?")} == kept
    helper = second / "engine" / "kernels" / "layout.py"
    text = helper.read_text()
    counted = ">> HIGH_BIT) * ONES) >> TOP_LANE"
    assert text.count(counted) == 1
    helper.write_text(text.replace(counted, f"{counted} << U1"))
    edited = printed_by(second, user)
    assert edited[0] == "12"
    assert edited[1] != cache
    assert all(path.exists() for path in kept)


def test_a_folder_that_others_could_write_is_refused_and_nothing_of_it_is_loaded(
    tmp_path: Path,
) -> None:
    """The process compiles for itself, and one sentence names the folder."""
    folder = kernel_cache.prepared(tmp_path / "mancala-arena")
    folder.chmod(0o777)
    copy = copy_sources(tmp_path, without=("data",))
    leaves, cache, refused = printed_by(copy, tmp_path)
    assert (leaves, cache) == ("6", "None")
    assert (
        refused == "compiled kernels are not kept, so that each process compiles its own: "
        f"{folder} is not a folder that only you can write to"
    )
    assert list(folder.iterdir()) == []


def test_a_full_disk_has_no_folder_unless_all_kernels_are_there(tmp_path: Path) -> None:
    """A folder that is complete serves all the same, and nothing is written to it."""
    with full_disk(), pytest.raises(OSError, match="too large"):
        kernel_cache.prepared(tmp_path)
    (kernel_cache.prepared(tmp_path) / kernel_cache.MARK).touch()
    with full_disk():
        assert kernel_cache.prepared(tmp_path).parent == tmp_path


def test_a_link_to_a_folder_is_refused(tmp_path: Path) -> None:
    """A link could be led to other files later."""
    folder = kernel_cache.prepared(tmp_path)
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(kernel_cache.UnsafeFolderError, match="not a folder"):
        kernel_cache.prepared(tmp_path)


def test_a_folder_that_others_could_exchange_is_refused(tmp_path: Path) -> None:
    """The directory above counts as well, unless only owners can rename what is in it."""
    tmp_path.chmod(0o777)
    with pytest.raises(kernel_cache.UnsafeFolderError, match="other users can write"):
        kernel_cache.prepared(tmp_path)
    tmp_path.chmod(0o1777)
    assert kernel_cache.prepared(tmp_path).parent == tmp_path


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
@pytest.mark.parametrize("above", [False, True])
def test_a_folder_of_another_user_is_refused(tmp_path: Path, *, above: bool) -> None:
    """Also where it has the right name and mode."""
    folder = kernel_cache.prepared(tmp_path)
    os.chown(tmp_path if above else folder, 65533, 65533)
    with pytest.raises(kernel_cache.UnsafeFolderError):
        kernel_cache.prepared(tmp_path)


def test_folders_that_no_process_used_for_a_month_are_removed(tmp_path: Path) -> None:
    """Others of the last month stay, for other checkouts use them."""
    old, recent = (tmp_path / f"{kernel_cache.NAME}{name}" for name in ("old", "recent"))
    long_ago = time.time() - kernel_cache.STALE_S - 60
    for folder in (old, recent):
        folder.mkdir()
    os.utime(old, (long_ago, long_ago))
    mine = kernel_cache.prepared(tmp_path)
    os.utime(mine, (long_ago, long_ago))
    kernel_cache.sweep(tmp_path, mine)
    assert sorted(tmp_path.iterdir()) == sorted([mine, recent])
    assert mine.stat().st_mtime > long_ago
