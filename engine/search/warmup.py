"""Compiling the kernels ahead of their first use, with progress.

The first process of a user compiles once, which takes some 10 s of CPU; later ones, of any
checkout or environment of the same version, load the machine code in half a second. So that a user
sees what the wait is for, the kernels of a search are compiled one after another and a callback
reports each. On two cores or more a second process compiles those that
share few helpers with the search itself, and what it has left in the cache is only loaded here.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

import numpy as np

from mancala.parent_death import ending_with_us
from mancala.protocol.rules import KALAH

from .. import kernel_cache, kernels
from ..evaluation.weights import Weights
from ..kernels import compiler, state
from ..kernels.build_kernel import tile
from ..kernels.root import root

Job: TypeAlias = tuple[Callable[..., Any], tuple[object, ...]]
"""A kernel, and arguments of the types to compile it for."""
Progress = Callable[[int, int, str], None]
"""Called with kernels done, kernels in all, and the name of the next one ("" at the end)."""


OTHERS: Final = "from mancala.engine.search import warmup; warmup.compile_others()"
"""What the second process runs."""


def compile_ahead(progress: Progress | None = None) -> None:
    first, others = _jobs()
    jobs = first + others
    with _second_process():
        for done, (function, arguments) in enumerate(jobs):
            if progress is not None:
                progress(done, len(jobs), function.__name__)
            compiler.compile_for(function, arguments)
    if progress is not None:
        progress(len(jobs), len(jobs), "")
    kernel_cache.mark_compiled()


def compile_others() -> None:
    """Compile the kernels around a search into the cache, the longest first."""
    for function, arguments in reversed(_jobs()[1]):
        compiler.compile_for(function, arguments)


@contextmanager
def _second_process() -> Iterator[None]:
    """Have another process compile a part during the block, where it can be of use."""
    if kernel_cache.is_compiled() or os.cpu_count() == 1 or kernel_cache.cache_folder() is None:
        yield
        return
    asked = ending_with_us(sys.executable, "-P", "-c", OTHERS)
    quiet = subprocess.DEVNULL
    helper = subprocess.Popen(asked, stdin=quiet, stdout=quiet, stderr=quiet)  # noqa: S603  # our own code
    try:
        yield
    finally:
        helper.terminate()  # everything is compiled, or nothing is wanted any more
        helper.wait()


def _jobs() -> tuple[list[Job], list[Job]]:
    """List the kernels of a search, and those around it, with arguments of their types.

    The first share most of their helpers, so that one process compiles them. Of the others, endgame
    tables and questions about a position, the longest is the last.
    """
    words, numbers = np.zeros(4, dtype=np.uint64), np.zeros(2, dtype=np.int64)
    search = state.new_search(KALAH, Weights().compiled(KALAH))
    first: list[Job] = [
        (kernels.search_root, (search, root(), 0)),
        (kernels.prove, (search, 0)),
        (kernels.begin, (search, words, 0, (0, 0, 0))),
    ]
    others: list[Job] = [
        (kernels.open_root, (search.variant, root(), words, (0, 0))),
        (kernels.follow, (search, words, numbers, numbers)),
        (kernels.lookup, (search, words, 0, 0)),
        (kernels.tables_at, (search.variant, search.tables, words, numbers)),
        (kernels.fill_pair, (search.variant, search.tables, words, words, (0, 0), tile(words))),
    ]
    return first, others
