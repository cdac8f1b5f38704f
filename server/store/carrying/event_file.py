"""The file that keeps an event that is over: one JSON document (``docs/storage.md``).

It holds what decided the event and what came of it, with the record of each game. Another server
that imports it shows the same table. A name that ends in ``.gz`` is compressed.
"""

from __future__ import annotations

import gzip
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


def write_event(path: Path, archive: EventArchive) -> int:
    """Write an event to a file; return its size in bytes."""
    document = codec.to_json(archive)
    return path.write_bytes(gzip.compress(document, mtime=0) if path.suffix == ".gz" else document)


def read_event(path: str) -> EventArchive:
    """Return the event in a file, after replaying each of its games.

    Raises:
        ArchiveFileError: when it can't be read, is no archive of an event, or a game is wrong.
    """
    try:
        raw = Path(path).read_bytes()
        document = gzip.decompress(raw) if raw.startswith(GZIP) else raw
    except (OSError, EOFError) as error:
        raise ArchiveFileError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    return _checked(path, document)


def _checked(path: str, document: bytes) -> EventArchive:
    try:
        archive = codec.from_json(document, EventArchive)
    except codec.DecodeError as error:
        raise ArchiveFileError(f"{path} is not an archive of an event: {error}") from None
    if archive.event_archive > ARCHIVE_VERSION:
        raise ArchiveFileError(f"{path} has version {archive.event_archive}, not {ARCHIVE_VERSION}")
    for record in archive.records:
        try:
            verify(record)
        except (RecordError, InvalidPositionError) as error:
            raise ArchiveFileError(f"{path}: game {record.game}: {error}") from None
    return archive
