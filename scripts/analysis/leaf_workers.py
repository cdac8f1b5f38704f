"""Proving the leaves of a certificate on the workers of a cluster.

Each thread of a worker has a prover of its own, with endgame tables of its machine, which it keeps
for the leaves that follow.
"""

from __future__ import annotations

import threading
from concurrent.futures import FIRST_COMPLETED, Executor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mancala.engine.campaign.checking import Attempt, Attempts, Leaves
    from mancala.engine.campaign.positions import Claim
    from mancala.engine.campaign.prover import Prover
    from mancala.protocol.rules import Rules

    from .proofs import Searching

PAUSE_S: Final = 0.1


@dataclass(frozen=True, slots=True)
class ClusterProver:
    """Makes attempts on an executor, as many at a time as it has workers; calls are pickled."""

    searching: Searching
    executor: Executor

    def __call__(self, leaves: Leaves, most_nodes: int) -> Attempts:
        """Make an attempt for each leaf; those that have not begun when it is closed never do."""
        from mancala.engine.campaign.checking import most_seeds

        in_play = most_seeds(leaves)
        attempts = {
            self.executor.submit(_attempt, self.searching, in_play, claim, most_nodes): line
            for line, claim in leaves.items()
        }
        waiting = set(attempts)
        try:
            while waiting:
                done, waiting = wait(waiting, timeout=PAUSE_S, return_when=FIRST_COMPLETED)
                for future in done:
                    yield attempts[future], future.result()
                yield None
        finally:
            for future in waiting:
                future.cancel()


class _KeptProvers(threading.local):
    """The provers of a thread of a worker."""

    def __init__(self) -> None:
        self._provers: dict[tuple[Searching, Rules], Prover] = {}

    def prover(self, searching: Searching, rules: Rules, in_play: int) -> Prover:
        """Return the prover of these rules, made when it is first needed."""
        if (searching, rules) not in self._provers:
            self._provers[searching, rules] = searching.prover(rules, in_play)
        return self._provers[searching, rules]


_kept = _KeptProvers()


def _attempt(searching: Searching, in_play: int, claim: Claim, most_nodes: int) -> Attempt:
    """Make one attempt; what a worker does."""
    from mancala.engine.campaign.checking import attempted

    attempt = attempted(claim, _kept.prover(searching, claim.board.rules, in_play), most_nodes)
    while True:
        try:
            next(attempt)
        except StopIteration as end:
            found: Attempt = end.value
            return found
