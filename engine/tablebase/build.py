"""Building endgame tables in memory, in order of the seeds in play.

The pairs of row sums of one number of seeds depend on fewer seeds only, so threads fill them side
by side, the largest first. A thread looks up after each slice of a pair; so a build can be
interrupted within a fraction of a second.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Event, Lock
from typing import Final, NamedTuple, Protocol

import numpy as np

from .. import kernels
from ..kernels.build_kernel import TILE, tile
from ..kernels.layout import Octets
from ..kernels.state import (
    ExactTables,
    Variant,
    huge,
    memo,
    pairs_of_sums,
    positions,
    ranks,
    table_bytes,
)
from .baselines import FITTED, Weights, fit, no_weights, parts, rows

SLICE: Final = 1 << 21
"""Positions that a thread fills before it looks up."""
LOOK_S: Final = 0.1
"""Seconds between reports of progress."""

Progress = Callable[[int, int], None]
"""Called with positions done and positions in all, on the building thread."""


class Keeper(Protocol):
    """What keeps the finished pairs of a build, so that another build need not repeat them."""

    weights: Weights | None
    """Those of the baselines, once they are fitted."""

    def restore(self, pair: int, codes: Octets) -> bool:
        """Fill in the codes of a pair, by its number; return whether they are known."""

    def keep(self, pair: int, codes: Octets) -> None:
        """Keep the codes of a pair."""


class RowSumPair(NamedTuple):
    """A pair of row sums: its number, the sums, and its places in the tables."""

    number: int
    sums: tuple[int, int]
    first: int
    size: int

    @property
    def total(self) -> int:
        """Return the seeds in play."""
        return sum(self.sums)

    @property
    def span(self) -> slice:
        """Return the bytes of its codes."""
        return slice(self.first // 2, (self.first + self.size + 1) // 2)


def pairs(pits: int, seeds: int) -> list[RowSumPair]:
    return [RowSumPair(number, *pair) for number, pair in enumerate(pairs_of_sums(pits, seeds))]


def build(
    variant: Variant,
    seeds: int,
    *,
    threads: int = 1,
    progress: Progress | None = None,
    keeper: Keeper | None = None,
) -> ExactTables:
    """Compute the tables in memory, for rules without majority and at most seven pits a row.

    The progress is called a few times a second; what it raises ends the build. The keeper keeps
    finished pairs and knows those of an earlier build.
    """
    job = _Build(variant, _empty(variant.pits, seeds), keeper)
    whole = positions(variant.pits, seeds)
    waiting = pairs(variant.pits, seeds)
    with ThreadPoolExecutor(threads) as pool:
        try:
            for total in range(2, seeds + 1):
                if total == FITTED + 1:
                    job.set_floors()
                ready = [pair for pair in waiting if pair.total == total]
                running = {pool.submit(job.fill, pair) for pair in reversed(ready)}
                _follow(job, running, whole, progress)
        except BaseException:
            job.stop.set()
            raise
    return job.tables


def _empty(pits: int, seeds: int) -> ExactTables:
    size = table_bytes(pits, seeds)
    values = np.frombuffer(huge(size), dtype=np.uint8)[:size]
    return ExactTables(values, ranks(pits, seeds), *parts(no_weights(pits), pits, seeds), seeds)


def _follow(job: _Build, running: set[Future[None]], whole: int, progress: Progress | None) -> None:
    """Wait for the pairs of one number of seeds, and report progress meanwhile."""
    reported = job.done
    while running:
        done, running = wait(running, timeout=LOOK_S, return_when=FIRST_COMPLETED)
        for future in done:
            future.result()
        if progress is not None and job.done > reported:
            reported = job.done
            progress(reported, whole)


class _Build:
    """A build under way: the threads of a pool fill its pairs until ``stop`` is set."""

    def __init__(self, variant: Variant, tables: ExactTables, keeper: Keeper | None) -> None:
        self.tables = tables
        self.done = 0
        self.stop = Event()
        self._variant = variant
        self._memo = memo(variant.pits, tables.seeds)
        self._keeper = keeper
        self._lock = Lock()

    def set_floors(self) -> None:
        """Fit the baselines to the positions that are done, or take those of the earlier build."""
        weights = None if self._keeper is None else self._keeper.weights
        if weights is None:
            weights = fit(self._variant, self.tables)
        if self._keeper is not None:
            self._keeper.weights = weights
        mover, waiter = parts(weights, self._variant.pits, self.tables.seeds)
        self.tables = self.tables._replace(mover_part=mover, waiter_part=waiter)

    def fill(self, pair: RowSumPair) -> None:
        codes = self.tables.values[pair.span]
        if self._keeper is not None and self._keeper.restore(pair.number, codes):
            self._count(pair.size)
            return
        rows0, rows1 = (rows(self._variant.pits, seeds) for seeds in pair.sums)
        step = max(1, SLICE // (rows1.size * TILE)) * TILE
        room = tile(self._memo)
        for begin in range(0, rows0.size, step):
            if self.stop.is_set():
                return
            end = min(begin + step, rows0.size)
            kernels.fill_pair(self._variant, self.tables, rows0, rows1, (begin, end), room)
            self._count(pair.size * end // rows0.size - pair.size * begin // rows0.size)
        if self._keeper is not None:
            self._keeper.keep(pair.number, codes)

    def _count(self, positions: int) -> None:
        with self._lock:
            self.done += positions
