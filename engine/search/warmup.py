"""Compiling the kernels ahead of their first use, with progress.

A fresh install compiles once, which takes about 20 s of CPU; later processes load the machine code
in half a second. So that a user sees what the wait is for, the kernels of a search are compiled one
after another and a callback reports each. On two cores or more a second process compiles them from
the end of the list. Both compile the helpers that the halves share, 3 s of CPU more in all, and the
wait is two thirds.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

import numpy as np

from mancala.engine import kernels
from mancala.engine.evaluation.weights import Weights
from mancala.engine.kernels import compiler, state
from mancala.engine.kernels.build_kernel import tile
from mancala.engine.kernels.root import root
from mancala.protocol.rules import KALAH

Progress = Callable[[int, int, str], None]
"""Called with kernels done, kernels in all, and the name of the next one ("" at the end)."""


FROM_THE_END: Final = "from mancala.engine.search import warmup; warmup.compile_from_the_end()"
"""What the second process runs."""


def is_compiled() -> bool:
    """Return whether this version's kernels are in the cache; True where nothing is compiled."""
    mark = compiler.cache_mark()
    return mark is None or mark.exists()


def compile_ahead(progress: Progress | None = None) -> None:
    """Compile the kernels of a search, or load them from the cache."""
    jobs, mark = _jobs(), compiler.cache_mark()
    with _second_process():
        for done, (function, arguments) in enumerate(jobs):
            if progress is not None:
                progress(done, len(jobs), function.__name__)
            compiler.compile_for(function, arguments)
    if progress is not None:
        progress(len(jobs), len(jobs), "")
    if mark is not None:
        with suppress(OSError):  # a cache that is read-only is reported as not compiled
            mark.touch()


def compile_from_the_end() -> None:
    """Compile the kernels of a search into the cache, the last first."""
    for function, arguments in reversed(_jobs()):
        compiler.compile_for(function, arguments)


@contextmanager
def _second_process() -> Iterator[None]:
    """Have another process compile from the end during the block, where it can be of use."""
    if is_compiled() or os.cpu_count() == 1:
        yield
        return
    asked = [sys.executable, "-P", "-c", FROM_THE_END]
    quiet = subprocess.DEVNULL
    helper = subprocess.Popen(asked, stdin=quiet, stdout=quiet, stderr=quiet)  # noqa: S603  # our own code
    try:
        yield
    finally:
        helper.terminate()  # everything is compiled, or nothing is wanted any more
        helper.wait()


def _jobs() -> list[tuple[Callable[..., Any], tuple[object, ...]]]:
    """List the kernels with arguments of the types that a search calls them with.

    Those that share most helpers stand beside each other, the longest at the ends.
    """
    words, numbers = np.zeros(4, dtype=np.uint64), np.zeros(2, dtype=np.int64)
    search = state.Search(
        variant=state.variant(KALAH),
        entries=state.entries(0),
        bits=0,
        tables=state.no_tables(KALAH.pits),
        weights=Weights().compiled(KALAH),
        busy=state.busy(),
        stack=state.stack(),
    )
    return [
        (kernels.estimate, (search, 0)),
        (kernels.search_root, (search, root(), 0)),
        (kernels.prove, (search, 0)),
        (kernels.begin, (search, words, 0, (0, 0, 0))),
        (kernels.follow, (search, words, numbers, numbers)),
        (kernels.lookup, (search, words, 0, 0)),
        (kernels.tables_at, (search.variant, search.tables, words, numbers)),
        (kernels.fill_pair, (search.variant, search.tables, words, words, (0, 0), tile())),
    ]
