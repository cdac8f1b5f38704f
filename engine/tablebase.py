"""Endgame tables: the exact value-to-go of every position with few seeds, one byte each.

Only positions whose rows both hold seeds are in a table; their number by row sums and combinatorial
rank leaves no gaps (``index_of`` in the kernels). Tables grow by the sum of seeds: a sowing either
gains something, and leads to a smaller sum, or stays within the two blocks of its row sums, which
one kernel fills in an order that has every child first. Blocks of one sum are filled in parallel.

A file is a header and the bytes. It is written beside its place and renamed into it, so an
interrupted build leaves no file, and a file that is mapped never changes. It is opened by mapping:
all processes of a machine share one copy in memory, and opening takes milliseconds whatever the
size. So only the header, the size and a checksum of `SAMPLES` pages are compared then; `make`
compares the checksum of all, and builds a damaged file again. As positions are ordered by their sum
of seeds, a file for many seeds begins with that for fewer, and serves for them too. With
``majority`` the stores matter, and there are no tables.
"""

from __future__ import annotations

import mmap
import os
import struct
import tempfile
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from engine import kernels
from engine.kernels.layout import Bytes, Words, pack
from engine.kernels.state import (
    RANK_STRIDE,
    Tables,
    Variant,
    huge,
    is_wide,
    positions,
    ranks,
)
from engine.kernels.state import variant as variant_of
from protocol.rules import Capture

if TYPE_CHECKING:
    from protocol.rules import Board, Rules

MAGIC: Final = b"KALAHEND"
VERSION: Final = 1
HEADER: Final = struct.Struct("<8sBBBBBxxxQI")
"""Magic, version, pits, seeds, captures alone, relap, positions, CRC-32 of the values."""
SAMPLED: Final = struct.Struct("<I")
"""After the header: CRC-32 of the sample; 0 in files of older versions, which have none."""
SAMPLES: Final = 64
SAMPLE_BYTES: Final = 4096
VALUES_AT: Final = 64
"""Where the values begin in a file."""
MOST_POSITIONS: Final = 31_000_000
MOST_SEEDS: Final = 24
SIZES: Final = range(RANK_STRIDE - 1, 1, -1)
"""Seeds that tables may reach, the most first."""
STALE_S: Final = 3600.0
"""Age after which a partial file is considered abandoned."""

Progress = Callable[[int, int], None]
"""Called with positions done and positions in all, on the building thread."""


class NoTablesError(ValueError):
    """Rules for which there can be no tables."""


@cache
def rows(pits: int, seeds: int) -> Words:
    """List all rows of exactly ``seeds`` seeds, packed, in rank order (u64[C(seeds+m-1, m-1)])."""
    if pits == 1:
        return np.array([seeds], dtype=np.uint64)
    shift = np.uint64(8 * (pits - 1))
    parts = [
        rows(pits - 1, seeds - last) | (np.uint64(last) << shift) for last in range(seeds, -1, -1)
    ]
    return np.concatenate(parts)


def default_cache() -> Path:
    """Return the directory for what can be computed again: ``$XDG_CACHE_HOME/mancala-arena``."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "mancala-arena"


def default_seeds(pits: int) -> int:
    """Return the seeds that tables of 31 million positions reach: 16 for six pits."""
    return max(
        seeds for seeds in range(2, MOST_SEEDS + 1) if positions(pits, seeds) <= MOST_POSITIONS
    )


def check(rules: Rules, seeds: int) -> None:
    """Check that there can be such tables.

    Raises:
        NoTablesError: when there cannot.
    """
    if rules.majority or is_wide(rules):
        raise NoTablesError("tables need rules without majority and at most seven pits a row")
    if not 2 <= seeds < RANK_STRIDE:
        raise NoTablesError(f"tables reach 2 to {RANK_STRIDE - 1} seeds, not {seeds}")


def build(
    variant: Variant, seeds: int, *, threads: int = 1, progress: Progress | None = None
) -> Tables:
    """Compute the tables in memory."""
    count = positions(variant.pits, seeds)
    memory = np.frombuffer(huge(count), dtype=np.int8)[:count]
    tables = Tables(memory, ranks(variant.pits, seeds), seeds)
    with ThreadPoolExecutor(threads) as pool:
        for total in range(2, seeds + 1):
            for _ in pool.map(partial(_fill, variant, tables, total), range(1, total // 2 + 1)):
                pass
            if progress is not None:
                progress(positions(variant.pits, total), count)
    return tables


def _fill(variant: Variant, tables: Tables, total: int, own: int) -> None:
    first = tables.ranks.reshape(-1, RANK_STRIDE)
    other = total - own
    firsts = (int(first[8 + own, other]), int(first[8 + other, own]))
    mine, theirs = rows(variant.pits, own), rows(variant.pits, other)
    kernels.fill_block(variant, tables, mine, theirs, firsts)


def path_of(rules: Rules, seeds: int, directory: Path) -> Path:
    """Name the file of these rules."""
    relap = "-relap" if rules.relap else ""
    name = f"endgame-v{VERSION}-{rules.pits}-{seeds}-{rules.capture.value}{relap}.bin"
    return directory / name


def save(tables: Tables, rules: Rules, directory: Path) -> Path:
    """Write a file, whole or not at all."""
    directory.mkdir(parents=True, exist_ok=True)
    _sweep(directory)
    path = path_of(rules, tables.seeds, directory)
    header = _header(rules, tables.seeds, zlib.crc32(tables.values.data))
    header = (header + SAMPLED.pack(_sample(tables.values))).ljust(VALUES_AT, b"\0")
    with tempfile.NamedTemporaryFile(dir=directory, suffix=".part", delete=False) as part:
        try:
            part.write(header)
            part.write(tables.values.data)
            part.flush()
            os.fsync(part.fileno())
        except BaseException:
            Path(part.name).unlink(missing_ok=True)
            raise
    Path(part.name).replace(path)
    return path


def load(rules: Rules, seeds: int, directory: Path, *, whole: bool = False) -> Tables | None:
    """Map the file that reaches exactly ``seeds``; return None without one that can be believed.

    Args:
        rules: the rules it must be for.
        seeds: the seeds it must reach.
        directory: where :func:`save` put it.
        whole: compare the checksum of all values, not only of the sample.
    """
    try:
        with path_of(rules, seeds, directory).open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    except (OSError, ValueError):
        return None
    if len(mapped) != VALUES_AT + positions(rules.pits, seeds):
        return None
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a kernel without huge pages
            mapped.madvise(mmap.MADV_HUGEPAGE)
    # A private mapping is shared until it is written, which no search does; but its type is that of
    # tables in memory, and kernels are compiled for one type.
    values: Bytes = np.frombuffer(mapped, dtype=np.int8, offset=VALUES_AT)
    if not _is_believed(mapped, values, rules, seeds, whole=whole):
        return None
    return Tables(values, ranks(rules.pits, seeds), seeds)


def find(rules: Rules, directory: Path, *, seeds: int | None = None) -> Tables | None:
    """Return tables from the files of these rules; None where no file serves.

    Args:
        rules: any.
        directory: where the files are.
        seeds: the seeds to reach, by a file for them or the beginning of a larger one; None for
            the largest file.
    """
    sizes = [size for size in SIZES if path_of(rules, size, directory).exists()]
    if seeds is not None:
        sizes = [size for size in reversed(sizes) if size >= seeds]
    for size in sizes:
        tables = load(rules, size, directory)
        if tables is not None:
            return tables if seeds is None else _beginning(tables, rules, seeds)
    return None


def obtain(
    rules: Rules, seeds: int, directory: Path, *, progress: Progress | None = None
) -> Tables:
    """Return tables from a file, or build them on all cores and save them first.

    Raises:
        NoTablesError: when there can be none for these rules.
    """
    check(rules, seeds)
    found = find(rules, directory, seeds=seeds)
    return found or make(rules, seeds, directory, progress=progress)


def make(rules: Rules, seeds: int, directory: Path, *, progress: Progress | None = None) -> Tables:
    """Check the file of exactly these seeds whole, or build and save it.

    Raises:
        NoTablesError: when there can be none for these rules.
    """
    check(rules, seeds)
    found = load(rules, seeds, directory, whole=True)
    if found is not None:
        return found
    tables = build(variant_of(rules), seeds, threads=os.cpu_count() or 1, progress=progress)
    with suppress(OSError):  # a disk that is full or read-only costs the next start, not this one
        save(tables, rules, directory)
        return load(rules, seeds, directory) or tables
    return tables


def value_of(board: Board, tables: Tables) -> int:
    """Look up a board that is not over: store difference at the end, for the mover.

    Raises:
        NoTablesError: when it holds more seeds than the tables reach.
    """
    me = board.player
    seeds = board.in_play
    if seeds > tables.seeds:
        raise NoTablesError(f"{seeds} seeds on the board; these tables reach {tables.seeds}")
    mine, theirs = pack(board.pits[me]), pack(board.pits[1 - me])
    to_go = int(kernels.table_at(tables, mine, theirs))
    return board.stores[me] - board.stores[1 - me] + to_go


def _beginning(tables: Tables, rules: Rules, seeds: int) -> Tables:
    """Return the tables of fewer seeds, which larger ones begin with."""
    count = positions(rules.pits, seeds)
    return Tables(tables.values[:count], ranks(rules.pits, seeds), seeds)


def _is_believed(
    mapped: mmap.mmap, values: Bytes, rules: Rules, seeds: int, *, whole: bool
) -> bool:
    """Return whether a file's header and checksums agree with its values."""
    checksum: int = HEADER.unpack_from(mapped)[-1]
    sampled: int = SAMPLED.unpack_from(mapped, HEADER.size)[0]
    if mapped[: HEADER.size] != _header(rules, seeds, checksum):
        return False
    if whole or not sampled:
        return zlib.crc32(values.data) == checksum
    return _sample(values) == sampled


def _sample(values: Bytes) -> int:
    """Return the CRC-32 of pages spread over the values, the first and the last among them."""
    checksum = 0
    for first in np.linspace(0, max(values.size - SAMPLE_BYTES, 0), SAMPLES, dtype=np.int64):
        checksum = zlib.crc32(values[first : first + SAMPLE_BYTES].data, checksum)
    return checksum


def _header(rules: Rules, seeds: int, checksum: int) -> bytes:
    always = rules.capture is Capture.ALWAYS
    count = positions(rules.pits, seeds)
    return HEADER.pack(
        MAGIC, VERSION, rules.pits, seeds, int(always), int(rules.relap), count, checksum
    )


def _sweep(directory: Path) -> None:
    """Remove what builds that were killed while writing have left."""
    for part in directory.glob("*.part"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > STALE_S:
                part.unlink()
