"""Endgame tables: the exact value-to-go of every position with few seeds, four bits each.

From the bottom up: `floors` guesses values, so that four bits suffice; `build` computes tables in
memory; `header` describes a file, `partial` is the file of a build under way, and `files` finds,
opens and makes files. What the codes mean, :mod:`engine.kernels.tablebase` says.
"""

from engine.tablebase.build import Progress, build
from engine.tablebase.files import (
    SIZES,
    NoTablesError,
    check,
    check_room,
    default_cache,
    default_seeds,
    find,
    load,
    make,
    memory_needed,
    obtain,
    path_of,
    value_of,
)

__all__ = [
    "SIZES",
    "NoTablesError",
    "Progress",
    "build",
    "check",
    "check_room",
    "default_cache",
    "default_seeds",
    "find",
    "load",
    "make",
    "memory_needed",
    "obtain",
    "path_of",
    "value_of",
]
