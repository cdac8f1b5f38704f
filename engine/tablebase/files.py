"""Files of endgame tables: found, mapped, checked, and made where they are missing.

A file is opened by mapping: all processes of a machine share one copy in memory, and opening takes
milliseconds whatever the size. So only the header, the size and a checksum of `SAMPLES` pages are
compared then; `make` compares the checksum of all, and builds a damaged file again. A finished file
never changes. As positions are ordered by their sum of seeds, a file for many seeds begins with
that for fewer, and serves for them too. With ``majority`` the stores matter, and there are no
tables. Commands and players have them built in memory where no file can be kept; only who builds a
file (`make`) is refused then.
"""

import mmap
import os
import tempfile
import time
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Final

import numpy as np

from mancala.protocol.rules import Board, Rules
from mancala.protocol.text import quantity

from .. import kernels
from ..kernels.layout import Octets, pack
from ..kernels.state import RANK_STRIDE, ExactTables, ranks, rows_below, table_bytes
from ..kernels.state import variant as variant_of
from .baselines import no_weights, parts
from .build import Progress, build, pairs
from .header import LAYOUTS, VALUES_AT, TableHeader, layout_of
from .limits import (
    NoTablesError,
    check,
    check_memory,
    check_room,
    default_seeds,
    may_have,
    memory_available,
)
from .partial import PartialFile

SAMPLES: Final = 64
SAMPLE_BYTES: Final = 4096
SIZES: Final = range(RANK_STRIDE, 1, -1)
"""Seeds that tables may reach, the most first."""
STALE_S: Final = 7 * 24 * 3600.0
"""Age after which a partial file is considered abandoned."""


def path_of(rules: Rules, seeds: int, directory: Path) -> Path:
    version = layout_of(seeds).version
    return directory / f"endgame-v{version}-{rules.pits}-{seeds}-{_suffix(rules)}.bin"


def load(rules: Rules, seeds: int, directory: Path, *, whole: bool = False) -> ExactTables | None:
    """Return the file of exactly ``seeds``, None without a sound one; ``whole`` checks it all."""
    try:
        with path_of(rules, seeds, directory).open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    except (OSError, ValueError):
        return None
    header = TableHeader.decode(mapped[:VALUES_AT])
    if header is None or not header.complete or not header.describes(TableHeader.new(rules, seeds)):
        return None
    if len(mapped) != VALUES_AT + table_bytes(rules.pits, seeds):
        return None
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a kernel without huge pages
            mapped.madvise(mmap.MADV_HUGEPAGE)
    # A private mapping is shared until it is written, which no search does; but its type is that of
    # tables in memory, and kernels are compiled for one type.
    codes: Octets = np.frombuffer(mapped, dtype=np.uint8, offset=VALUES_AT)
    if not _is_believed(header, codes, whole=whole):
        return None
    weights = no_weights(rules.pits) if header.weights is None else header.weights
    mover, waiter = parts(weights, rules.pits, seeds)
    return ExactTables(codes, ranks(rules.pits, seeds), mover, waiter, seeds)


def find(rules: Rules, directory: Path, *, seeds: int | None = None) -> ExactTables | None:
    """Return tables from the files of these rules; None where no file serves.

    A file for more seeds than asked for serves by its beginning. Without a number of seeds it is
    the largest file that fits into the memory that is free.
    """
    sizes = _sizes(rules, directory)
    if seeds is not None:
        sizes = [size for size in reversed(sizes) if size >= seeds]
    elif (free := memory_available()) is not None:
        sizes = [size for size in sizes if table_bytes(rules.pits, size) <= free]
    for size in sizes:
        tables = load(rules, size, directory)
        if tables is not None:
            return tables if seeds is None else _beginning(tables, rules, seeds)
    return None


def preload(tables: ExactTables) -> None:
    """Read a mapped file into memory, so that no search waits for the disk.

    A search that meets a page that is not in memory stands still for a tenth of a millisecond, deaf
    to its stop, and meets thousands. From the disk this takes a second or so per gigabyte.
    """
    int(tables.values[::SAMPLE_BYTES].sum())


def is_cut(tables: ExactTables) -> bool:
    """Return whether the file of mapped tables was cut short; reading its lost end is a SIGBUS."""
    owner: object = tables.values
    while owner is not None and not isinstance(owner, mmap.mmap):
        owner = owner.obj if isinstance(owner, memoryview) else getattr(owner, "base", None)
    with suppress(OSError):  # tables in memory have no file
        return owner is not None and owner.size() < len(owner)
    return False


def largest(rules: Rules, directory: Path) -> int:
    """Return the seeds that the largest file reaches, which is not opened; 0 without a file."""
    return max(_sizes(rules, directory), default=0)


def refusal(rules: Rules, directory: Path) -> str | None:
    """Return why the usual tables are not built or kept, in a sentence; None where they can be."""
    usual = default_seeds(rules.pits)
    if not may_have(rules) or largest(rules, directory) >= usual:
        return None
    try:
        check_memory(rules, usual)
    except NoTablesError as error:
        return f"small endgame tables serve: {error}"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        check_room(rules, usual, directory, written=_written(rules, usual, directory))
        with tempfile.TemporaryFile(dir=directory) as file:
            file.write(bytes(SAMPLE_BYTES))
    except (OSError, NoTablesError) as error:
        reason = f"{directory}: {error.strerror}" if isinstance(error, OSError) else error
        return f"endgame tables are not kept, so that each process builds its own: {reason}"
    return None


def obtain(
    rules: Rules, seeds: int, directory: Path, *, progress: Progress | None = None
) -> ExactTables:
    """Return tables from a file, or build them on all cores, and keep them where that is possible.

    NoTablesError when there can be none, or the memory does not suffice.
    """
    check(rules, seeds)
    found = find(rules, directory, seeds=seeds)
    return found or _made(rules, seeds, directory, progress=progress)


def make(
    rules: Rules,
    seeds: int,
    directory: Path,
    *,
    threads: int | None = None,
    waiting: bool = True,
    progress: Progress | None = None,
) -> ExactTables:
    """Check the file of exactly these seeds whole, or build it, from where a killed build was.

    All cores build unless ``threads`` says how many. The progress is called with positions done and
    in all; what it raises ends the build.

    Raises:
        NoTablesError: when there can be none, or memory or disk do not suffice.
        BuildBusyError: when another process builds them, and this one is not to wait.
    """
    check(rules, seeds)
    found = load(rules, seeds, directory, whole=True)
    if found is not None:
        return found
    check_room(rules, seeds, directory, written=_written(rules, seeds, directory))
    return _made(rules, seeds, directory, threads=threads, waiting=waiting, progress=progress)


def _made(
    rules: Rules,
    seeds: int,
    directory: Path,
    *,
    threads: int | None = None,
    waiting: bool = True,
    progress: Progress | None,
) -> ExactTables:
    """Build tables, and keep them unless the disk refuses."""
    check_memory(rules, seeds)
    path = path_of(rules, seeds, directory)
    with PartialFile(rules, seeds, _part_of(path), waiting=waiting) as keeper:
        found = load(rules, seeds, directory, whole=True)
        if found is not None:  # by another process, while this one waited
            keeper.discard()
            return found
        cores = threads or os.cpu_count() or 1
        tables = build(variant_of(rules), seeds, threads=cores, progress=progress, keeper=keeper)
        keeper.finish(sample(tables.values), path)
    if keeper.failure is None:
        _sweep(rules, directory)
    return load(rules, seeds, directory) or tables


def value_of(board: Board, tables: ExactTables) -> int:
    """Return an unfinished board's store difference at the end, for the mover; or NoTablesError."""
    me = board.player
    seeds = board.in_play
    if seeds > tables.seeds:
        raise NoTablesError(
            f"{quantity(seeds, 'seed')} on the board; these tables reach {tables.seeds}"
        )
    mine, theirs = pack(board.pits[me]), pack(board.pits[1 - me])
    to_go = int(kernels.table_at(variant_of(board.rules), tables, mine, theirs))
    return board.stores[me] - board.stores[1 - me] + to_go


def _sizes(rules: Rules, directory: Path) -> list[int]:
    with suppress(OSError):
        there = set(directory.iterdir())
        return [size for size in SIZES if path_of(rules, size, directory) in there]
    return []


def _beginning(tables: ExactTables, rules: Rules, seeds: int) -> ExactTables:
    """Return the tables of fewer seeds, which larger ones begin with."""
    size, rows = table_bytes(rules.pits, seeds), rows_below(rules.pits, seeds)
    return ExactTables(
        tables.values[:size],
        ranks(rules.pits, seeds),
        tables.mover_part[:rows],
        tables.waiter_part[:rows],
        seeds,
    )


def _is_believed(header: TableHeader, codes: Octets, *, whole: bool) -> bool:
    """Return whether the checksums of a file agree with its codes."""
    if not whole:
        return sample(codes) == header.sample
    return all(
        zlib.crc32(codes[pair.span].data) == checksum
        for pair, checksum in zip(pairs(header.pits, header.seeds), header.checksums, strict=True)
    )


def sample(codes: Octets) -> int:
    """Return the CRC-32 of pages spread over the codes, the first and the last among them."""
    checksum = 0
    for first in np.linspace(0, max(codes.size - SAMPLE_BYTES, 0), SAMPLES, dtype=np.int64):
        checksum = zlib.crc32(codes[first : first + SAMPLE_BYTES].data, checksum)
    return checksum


def _written(rules: Rules, seeds: int, directory: Path) -> int:
    """Return the bytes of disk that a partial file takes already."""
    with suppress(OSError):
        return _part_of(path_of(rules, seeds, directory)).stat().st_blocks * 512
    return 0


def _suffix(rules: Rules) -> str:
    """Return the rules as files name them: the key without pits and what is not in force."""
    _pits, *parts = rules.key.split()
    return "-".join(part.removesuffix("=True") for part in parts if not part.endswith("=False"))


def _part_of(path: Path) -> Path:
    return path.with_suffix(".part")


def _sweep(rules: Rules, directory: Path) -> None:
    """Remove files of older versions for these rules, and abandoned builds of any."""
    oldest, *_ = LAYOUTS
    ended = f"endgame-v[0-{oldest.version - 1}]-{rules.pits}-*-{_suffix(rules)}.bin"
    for old in directory.glob(ended):
        with suppress(OSError):
            old.unlink()
    for part in directory.glob("*.part"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > STALE_S:
                part.unlink()
