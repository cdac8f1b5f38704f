"""Which endgame tables there can be: by the rules, and by the memory and disk of the machine."""

import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from mancala.protocol.rules import Rules
from mancala.protocol.text import quantity

from ..kernels.state import RANK_STRIDE, is_wide, memo_bytes, positions, rows_below, table_bytes
from .header import VALUES_AT, require_known

MOST_POSITIONS: Final = 31_000_000
MOST_SEEDS: Final = 24
ROW_BYTES: Final = 64
"""Memory that a build takes for a row, at most."""
MEMORY_PARTS: Final = 8
DISK_PARTS: Final = 10
MOST_BYTES: Final = 750_000_000
GIGA: Final = 1_000_000_000


class NoTablesError(ValueError):
    """Tables that cannot be: the rules allow none, or they do not fit the machine."""


def default_seeds(pits: int) -> int:
    """Return the seeds that tables of 31 million positions reach: 16 for six pits."""
    return max(
        seeds for seeds in range(2, MOST_SEEDS + 1) if positions(pits, seeds) <= MOST_POSITIONS
    )


def may_have(rules: Rules) -> bool:
    return not (rules.is_family or rules.majority or is_wide(rules))


def check(rules: Rules, seeds: int) -> None:
    """Check that there can be such tables, or raise `NoTablesError` or `UnknownRuleError`."""
    if not may_have(rules):
        raise NoTablesError(
            "tables need rules of Kalah without majority, and at most seven pits a row"
        )
    require_known(rules)
    if not 2 <= seeds <= RANK_STRIDE:
        raise NoTablesError(f"tables reach 2 to {RANK_STRIDE} seeds, not {seeds}")


def better_seeds(rules: Rules, directory: Path) -> int:
    """Return the seeds of tables that are worth building beside other work: 24 for six pits.

    They take at most an eighth of the memory that is free now, a tenth of the disk, and 0.7 GB.
    Where there is no room for more, these are the usual tables. NoTablesError where the rules have
    none.
    """
    usual = default_seeds(rules.pits)
    check(rules, usual)
    room = min(
        (memory_available() or 0) // MEMORY_PARTS,
        (disk_free(directory) or 0) // DISK_PARTS,
        MOST_BYTES,
    )
    sizes = range(usual + 1, MOST_SEEDS + 1)
    return max((s for s in sizes if memory_needed(rules.pits, s) <= room), default=usual)


def memory_needed(pits: int, seeds: int) -> int:
    """Return the bytes of memory that a build takes: tables, escapes, and what it knows of rows."""
    remembered = memo_bytes(pits, seeds)
    return table_bytes(pits, seeds) + remembered + ROW_BYTES * rows_below(pits, seeds)


def memory_available() -> int | None:
    """Return the bytes of memory that can be had without swapping; None where it is unknown."""
    with suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if "MemAvailable" in line)
    return None


def check_room(rules: Rules, seeds: int, directory: Path, *, written: int = 0) -> None:
    """Check the room for a build, ``written`` bytes of it made already; or NoTablesError."""
    check_memory(rules, seeds)
    size, left = table_bytes(rules.pits, seeds) + VALUES_AT, disk_free(directory)
    if left is not None and size - written > left:
        raise NoTablesError(
            f"tables of {quantity(seeds, 'seed')} take {_giga(size)} of disk;"
            f" {directory} has {_giga(left)}"
        )


def check_memory(rules: Rules, seeds: int) -> None:
    """Check that the memory suffices for a build; NoTablesError when it does not."""
    needed, free = memory_needed(rules.pits, seeds), memory_available()
    if free is not None and needed > free:
        raise NoTablesError(
            f"tables of {quantity(seeds, 'seed')} take {_giga(needed)} of memory;"
            f" {_giga(free)} is free"
        )


def disk_free(directory: Path) -> int | None:
    """Return the bytes that a directory, which need not exist yet, has room for; None: unknown."""
    with suppress(OSError):
        there = next(folder for folder in (directory, *directory.parents) if folder.exists())
        return shutil.disk_usage(there).free
    return None


def _giga(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= GIGA else f"{size / 1e6:.1f} MB"
