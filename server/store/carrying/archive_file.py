"""The file that keeps the games of a ladder: gzip, and JSON lines inside (``docs/storage.md``).

A file is a row of parts, each a gzip member of its own, so every tool that reads gzip reads the
whole. The first line of a part says what it belongs to, the last one how far the store had been
read, and each line between is a match with the records of its games. A part without its last line
was interrupted; it is cut off when the file is continued.
"""

from __future__ import annotations

import gzip
import os  # noqa: TID251  # makes a part durable
import zlib
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path  # noqa: TID251  # the file that the caller names
from typing import IO, Final, NamedTuple

from msgspec import Struct

from mancala.protocol import codec
from mancala.protocol.record import GameRecord

VERSION: Final = 1
GZIP: Final = 31
"""zlib's window bits for a gzip member."""
CHUNK: Final = 1 << 16
BITS: Final = 256
LEVEL: Final = 6


class ArchiveFileError(Exception):
    """A file is no archive of a ladder, or not the one wanted."""


class Head(Struct, frozen=True):
    """The first line of a part."""

    archive: int
    server: str
    ladder: str


class ArchivedMatch(Struct, frozen=True, omit_defaults=True):
    """A match with its games in the order played; the first bot begins the first one.

    Pairs of games start from the ``openings``, as text, in turn; without any, from the usual one.
    """

    match: str
    names: tuple[str, str]
    entrants: tuple[str, str]
    openings: tuple[str, ...]
    rated: bool
    planned: int
    points: tuple[float, float]
    began_at: str
    ended_at: str
    games: tuple[GameRecord, ...]
    annulled: dict[str, str] = {}


class Tail(Struct, frozen=True):
    """The last line of a part.

    Attributes:
        through: the id of the last game that the store listed up to here; the next part goes on
            after it.
    """

    through: str
    at: str


class Contents(NamedTuple):
    """What a file holds.

    Attributes:
        head: whose games they are; None for an empty file.
        digest: of all games, whatever their order.
        tail: where the next part goes on; None to begin with the first game.
        size: how many bytes its whole parts take.
    """

    head: Head | None = None
    matches: int = 0
    games: int = 0
    digest: int = 0
    tail: Tail | None = None
    size: int = 0

    @property
    def digest_text(self) -> str:
        return f"{self.digest:0{BITS // 4}x}"

    def with_match(self, match: ArchivedMatch) -> Contents:
        hashes = (sha256(codec.to_json(game)).digest() for game in match.games)
        added = sum(int.from_bytes(each, "big") for each in hashes)
        return self._replace(
            matches=self.matches + 1,
            games=self.games + len(match.games),
            digest=(self.digest + added) % 2**BITS,
        )


class Part(NamedTuple):
    head: Head
    matches: list[ArchivedMatch]
    tail: Tail
    end: int


def read_parts(path: Path) -> Iterator[Part]:
    """Yield the whole parts of a file, in order; one that was interrupted ends it."""
    with path.open("rb") as file:
        for plain, end in _members(file, path):
            yield _part(plain, end, path)


def contents_of(path: Path) -> Contents:
    contents = Contents()
    for part in read_parts(path):
        for match in part.matches:
            contents = contents.with_match(match)
        contents = contents._replace(head=part.head, tail=part.tail, size=part.end)
    return contents


def append_part(
    path: Path, at: int, head: Head, matches: Iterable[ArchivedMatch], tail: Tail
) -> int:
    """Write a part behind the whole ones; return where it ends. It is on disk then."""
    lines = b"".join(codec.to_json(line) + b"\n" for line in (head, *matches, tail))
    with path.open("r+b" if path.exists() else "wb") as file:
        file.truncate(at)
        file.seek(at)
        file.write(gzip.compress(lines, LEVEL, mtime=0))
        file.flush()
        os.fsync(file.fileno())
        return file.tell()


def _members(file: IO[bytes], path: Path) -> Iterator[tuple[bytes, int]]:
    """Yield each whole gzip member, decompressed, with the place where it ends."""
    waiting, end = b"", 0
    while True:
        member, plain = zlib.decompressobj(GZIP), []
        while not member.eof:
            given = waiting or file.read(CHUNK)
            if not given:
                return
            try:
                plain.append(member.decompress(given))
            except zlib.error:
                raise ArchiveFileError(f"{path} is not an archive of a ladder") from None
            end += len(given) - len(member.unused_data)
            waiting = member.unused_data
        yield b"".join(plain), end


def _part(plain: bytes, end: int, path: Path) -> Part:
    lines = plain.splitlines()
    try:
        head = codec.from_json(lines[0], Head)
        if head.archive > VERSION:
            raise ArchiveFileError(f"{path} has version {head.archive}, not {VERSION}")
        tail = codec.from_json(lines[-1], Tail)
        matches = [codec.from_json(line, ArchivedMatch) for line in lines[1:-1]]
    except (IndexError, codec.DecodeError):
        raise ArchiveFileError(f"{path} is not an archive of a ladder") from None
    return Part(head, matches, tail, end)
