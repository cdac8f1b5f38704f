"""Endgame tables: the exact value-to-go of every position with few seeds, four bits each.

From the bottom up: `baselines` guesses values, so that four bits suffice; `build` computes tables
in memory; `limits` says which tables there can be, `header` describes a file, `partial` is the file
of a build under way, and `files` finds, opens and makes files. The meaning of the codes is in
:mod:`mancala.engine.kernels.tablebase`.
"""

from ..kernel_cache import default_cache
from .build import Progress, build
from .files import (
    SIZES,
    find,
    is_cut,
    largest,
    load,
    make,
    obtain,
    path_of,
    preload,
    refusal,
    value_of,
)
from .limits import (
    NoTablesError,
    better_seeds,
    check,
    check_room,
    default_seeds,
    may_have,
    memory_needed,
)
from .partial import BuildBusyError

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
    "is_cut",
    "largest",
    "load",
    "make",
    "may_have",
    "memory_needed",
    "obtain",
    "path_of",
    "preload",
    "refusal",
    "value_of",
]
