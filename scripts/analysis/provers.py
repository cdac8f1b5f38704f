"""What proves leaves, of a certificate or of a campaign: this process, or the workers of a cluster.

There each thread of a worker has a prover of its own, with endgame tables of its machine, which it
keeps for the leaves that follow.
"""

from __future__ import annotations

import sys
import threading
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ..console.compiling import tables_progress

if TYPE_CHECKING:
    from pathlib import Path

    from mancala.engine.campaign.prover import NextWork, Prover, Provers, Results, Work
    from mancala.protocol.rules import Rules
    from mancala.server.contest.workers.cluster import Team

K = TypeVar("K")
T = TypeVar("T")
PAUSE_S: Final = 0.1
BUCKET_BYTES: Final = 64


@dataclass(frozen=True, slots=True)
class Searching:
    """What a command searches with: threads a subproof, MB of the transposition table, and tables.

    Without a size the table is as large as the seeds in play need; without tables, the largest are
    used.
    """

    threads: int
    memory_mb: int | None
    tables: int | None

    def prover(self, rules: Rules, in_play: int) -> Prover:
        from mancala.engine.campaign.prover import Prover
        from mancala.engine.search.engine import tables_for
        from mancala.engine.solving import table_bits

        with tables_progress(rules) as progress:
            endgames = tables_for(rules, seeds=self.tables, progress=progress)
        bits = table_bits(in_play)
        if self.memory_mb is not None:
            bits = (self.memory_mb * (1 << 20) // BUCKET_BYTES).bit_length() - 1
        return Prover(rules, tables=endgames, table_bits=bits, threads=self.threads)

    def reach(self, rules: Rules) -> int:
        """Return the seeds that the tables are to reach, or would by default; none is built."""
        from mancala.engine import tablebase

        if self.tables is not None:
            return self.tables
        return max(self.usual_reach(rules), tablebase.largest(rules, tablebase.default_cache()))

    @staticmethod
    def usual_reach(rules: Rules) -> int:
        """Return the seeds that the tables of a fresh install reach."""
        from mancala.engine import tablebase

        return tablebase.default_seeds(rules.pits) * tablebase.may_have(rules)

    def provers(
        self, rules: Rules, in_play: int, team: Team | None, most: int = sys.maxsize
    ) -> Provers:
        """Return a prover of this process, or those of a team with ``most`` works under way."""
        if team is None:
            return self.prover(rules, in_play)
        return ClusterProvers(self, rules, in_play, team.executor, most)


@dataclass(frozen=True, slots=True)
class ClusterProvers:
    """Provers on an executor, of which at most ``most`` works are under way; calls are pickled."""

    searching: Searching
    rules: Rules
    in_play: int
    executor: Executor
    most: int

    @property
    def table_seeds(self) -> int:
        """What the endgame tables reach that are asked for, or that this machine would take."""
        return self.searching.reach(self.rules)

    def save_table(self, path: Path) -> None:
        """Save nothing: each worker has a table of its own."""

    def load_table(self, path: Path) -> int:  # noqa: ARG002  # as others
        """Load nothing."""
        return 0

    def results(self, next_work: NextWork[K, T]) -> Results[K, T]:
        """Do work on all workers, as `Provers.results`."""
        running: dict[Future[T], K] = {}
        try:
            while True:
                while len(running) < self.most and (following := next_work()) is not None:
                    key, work = following
                    running[self._submitted(work)] = key
                if not running:
                    return
                for future in wait(running, PAUSE_S, FIRST_COMPLETED).done:
                    yield running.pop(future), future.result()
                yield None
        finally:
            for future in running:
                future.cancel()

    def _submitted(self, work: Work[T]) -> Future[T]:
        return self.executor.submit(_done, self.searching, self.rules, self.in_play, work)


class _KeptProvers(threading.local):
    def __init__(self) -> None:
        self._provers: dict[tuple[Searching, Rules], Prover] = {}

    def prover(self, searching: Searching, rules: Rules, in_play: int) -> Prover:
        """Return the prover of these rules, made when it is first needed."""
        if (searching, rules) not in self._provers:
            self._provers[searching, rules] = searching.prover(rules, in_play)
        return self._provers[searching, rules]


_kept = _KeptProvers()


def _done(searching: Searching, rules: Rules, in_play: int, work: Work[Any]) -> Any:  # noqa: ANN401  # its result
    from mancala.engine.campaign.prover import each

    results = _kept.prover(searching, rules, in_play).results(each([(None, work)]))
    return next(found[1] for found in results if found is not None)
