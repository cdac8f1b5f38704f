"""The file that keeps an event that is over: one JSON document (``docs/storage.md``).

It holds what decided the event and what came of it, with the record of each game. Another server
that imports it shows the same table. A name that ends in ``.gz`` is compressed.

    python -m mancala.server.store.carrying.event_file FILE

checks a file. A server has that done by a process of its own: replaying each game takes long.
"""

import gzip
import os  # noqa: TID251  # the priority of the process that checks
import stat
import sys
import zlib
from pathlib import Path  # noqa: TID251  # the file that the caller names
from typing import Final

from mancala.protocol import codec
from mancala.protocol.record import RecordError, verify
from mancala.protocol.rules import InvalidPositionError

from ...model.contests import EventArchive
from ..rows.contests import ARCHIVE_VERSION
from .archive_file import ArchiveFileError

GZIP: Final = b"\x1f\x8b"
"""How a compressed file begins."""
MOST_BYTES: Final = 32 * 1024 * 1024
"""Of a file, unpacked: those of 20,000 games take less, and a small one may unpack to anything."""
NICENESS: Final = 10


def write_event(path: Path, archive: EventArchive) -> int:
    document = codec.to_json(archive)
    return path.write_bytes(gzip.compress(document, mtime=0) if path.suffix == ".gz" else document)


def check_event(path: str) -> None:
    for record in event_in(path, document_of(path)).records:
        try:
            verify(record)
        except (RecordError, InvalidPositionError) as error:
            raise ArchiveFileError(f"{path}: game {record.game}: {error}") from None


def event_in(path: str, document: bytes) -> EventArchive:
    """Return the event in what a file holds, whose games are not checked."""
    try:
        archive = codec.from_json(document, EventArchive)
    except codec.DecodeError as error:
        raise ArchiveFileError(f"{path} is not an archive of an event: {error}") from None
    if archive.event_archive > ARCHIVE_VERSION:
        raise ArchiveFileError(f"{path} has version {archive.event_archive}, not {ARCHIVE_VERSION}")
    return archive


def is_archive(document: bytes) -> bool:
    """Return whether a file holds an archive, or else text of another format."""
    return document.lstrip().startswith(b"{")


def document_of(path: str) -> bytes:
    """Return what a file holds, unpacked and within bounds; a pipe may never end."""
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):
            raise ArchiveFileError(f"{path} is no regular file")
        with Path(path).open("rb") as file:
            is_packed = file.read(len(GZIP)) == GZIP
        with gzip.open(path) if is_packed else Path(path).open("rb") as plain:
            document = plain.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ArchiveFileError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if len(document) > MOST_BYTES:
        raise ArchiveFileError(f"{path} holds more than {MOST_BYTES >> 20} MB, unpacked")
    return document


def main() -> None:
    """Check the file that is named; say what is wrong with it."""
    os.nice(NICENESS)
    try:
        check_event(sys.argv[1])
    except ArchiveFileError as error:
        sys.stdout.write(str(error))
        sys.exit(1)


if __name__ == "__main__":
    main()
