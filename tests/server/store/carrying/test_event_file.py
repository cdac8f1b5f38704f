"""Files of events: what is read of a file that a stranger has made."""

import gzip
import os
from pathlib import Path

import pytest

from mancala.server.store.carrying.archive_file import ArchiveFileError
from mancala.server.store.carrying.event_file import MOST_BYTES, document_of


def test_a_file_that_unpacks_to_much_is_refused(tmp_path: Path) -> None:
    """A small one took 1.2 GB of the server, and its games stood still."""
    path = tmp_path / "event.json.gz"
    path.write_bytes(gzip.compress(bytes(MOST_BYTES + 1)))
    with pytest.raises(ArchiveFileError, match="more than 32 MB, unpacked"):
        document_of(str(path))


def test_what_never_ends_is_not_read(tmp_path: Path) -> None:
    """A pipe blocked all orders, and the shutdown."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero")):
        with pytest.raises(ArchiveFileError, match="is no regular file"):
            document_of(str(path))


@pytest.mark.parametrize("cut", [20, -20])
def test_a_file_that_is_damaged_is_refused(tmp_path: Path, cut: int) -> None:
    """By name, whether its end is missing or its middle is wrong."""
    whole = gzip.compress(os.urandom(1000))
    path = tmp_path / "event.json.gz"
    path.write_bytes(whole[:cut] + b"\xff\xff" + whole[cut:] if cut > 0 else whole[:cut])
    with pytest.raises(ArchiveFileError, match=r"event\.json\.gz"):
        document_of(str(path))
