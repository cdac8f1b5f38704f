"""Endgame tables: the exact value-to-go of every position with few seeds, four bits each.

From the bottom up: `baselines` guesses values, so that four bits suffice; `build` computes tables
in memory; `limits` says which tables there can be, `header` describes a file, `partial` is the file
of a build under way, and `files` finds, opens and makes files. The meaning of the codes is in
:mod:`mancala.engine.kernels.tablebase`.
"""

from mancala.engine.kernels.locator import default_cache
from mancala.engine.tablebase.build import Progress, build
from mancala.engine.tablebase.files import (
    SIZES,
    find,
    largest,
    load,
    make,
    obtain,
    path_of,
    preload,
    value_of,
)
from mancala.engine.tablebase.limits import (
    NoTablesError,
    better_seeds,
    check,
    check_room,
    default_seeds,
    memory_needed,
)
from mancala.engine.tablebase.partial import BuildBusyError

__all__ = [
    "SIZES",
    "BuildBusyError",
    "NoTablesError",
    "Progress",
    "better_seeds",
    "build",
    "check",
    "check_room",
    "default_cache",
    "default_seeds",
    "find",
    "largest",
    "load",
    "make",
    "memory_needed",
    "obtain",
    "path_of",
    "preload",
    "value_of",
]
