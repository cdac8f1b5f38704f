"""What a campaign has proven, on disk: one line for each subproof, with a checksum.

A line is a checksum as eight hexadecimal digits, a blank, and JSON. The checksum is the CRC-32 of
the campaign's own and of the JSON, so a line of another campaign counts as damaged. A line is on
disk before it counts. A process that is killed while writing leaves at most a partial line, which
is cut off when the journal is opened again. Each line stands for itself; so a line that is damaged
costs its subproof, and the others hold.
"""

import zlib
from pathlib import Path
from typing import Final

import msgspec

from mancala.files import LineFile
from mancala.protocol import codec

NAME: Final = "journal.jsonl"


class Proven(msgspec.Struct, frozen=True, tag="proven"):
    """A subproof that is finished, with the positions whose sowings were generated and the time.

    The board has its mover first, and no stores where they do not matter; it is worth ``low`` to
    ``high`` to its mover, in seeds from its stores on.
    """

    board: str
    low: int
    high: int
    nodes: int
    seconds: float


class Split(msgspec.Struct, frozen=True, tag="split"):
    """A question that became several: one on each move.

    It asks whether the board is worth at least ``threshold``. The estimates are what the positions
    after its moves seem worth to their movers, by pit; nodes and seconds went into them, and, where
    it was ``tried``, into a proof that was given up.
    """

    board: str
    threshold: int
    estimates: dict[int, float]
    nodes: int
    seconds: float
    tried: bool


Entry = Proven | Split


class DirectoryBusyError(ValueError):
    """Another process proves in this directory."""


class CampaignJournal:
    """The journal of a directory, open for appending by one process at a time.

    ``campaign`` is the checksum of its definition. ``entries`` is what it held when it was opened,
    ``cut`` the bytes of a partial line at its end, which were removed, ``damaged`` the numbers of
    lines whose checksum or form is wrong; they are ignored.

    Raises:
        DirectoryBusyError: when another process has it open.
        OSError: when it cannot be read or written.
    """

    def __init__(self, directory: Path, campaign: int) -> None:
        self._campaign = campaign
        busy = DirectoryBusyError(f"another process proves in {directory}")
        self._file = LineFile(directory / NAME, busy, self._read)
        self.cut = self._file.cut

    def _read(self, content: bytes) -> None:
        self.entries, self.damaged = read(content, self._campaign)

    def add(self, entry: Entry) -> None:
        """Append an entry; it is on disk when this returns."""
        self._file.append(line(entry, self._campaign))

    def close(self) -> None:
        self._file.close()


def line(entry: Entry, campaign: int) -> bytes:
    text = codec.to_line(entry)
    return b"%08x %s\n" % (zlib.crc32(text, campaign), text)


def read(content: bytes, campaign: int) -> tuple[list[Entry], list[int]]:
    """Return the entries of whole lines, and the numbers of the lines that are damaged."""
    entries: list[Entry] = []
    damaged: list[int] = []
    for number, each in enumerate(content.splitlines(), start=1):
        entry = _entry(each, campaign)
        if entry is None:
            damaged.append(number)
        else:
            entries.append(entry)
    return entries, damaged


def _entry(each: bytes, campaign: int) -> Entry | None:
    checksum, _, text = each.partition(b" ")
    if checksum != b"%08x" % zlib.crc32(text, campaign):
        return None
    try:
        return codec.from_json(text, Entry)  # type: ignore[arg-type]  # a union is no class
    except ValueError:
        return None
