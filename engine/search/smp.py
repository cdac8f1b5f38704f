"""Lazy SMP: helper threads that search the same board and share the transposition table.

No work is divided. Each helper deepens and proves by itself, on stacks of its own; the shared table
hands its results to the others. While deepening, helpers search a few plies deeper than the first
thread and start with other moves. While proving, the marks of the kernels (ABDADA) keep threads out
of the same subtree. The interleaving depends on the machine, so a search with helpers visits a
different number of nodes each time; its proven values are those of one thread.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from threading import Thread
from typing import Final

from .reports import Limit
from .session import SearchSession

ALONE_NODES: Final = 16_384
"""Nodes before helpers start: in searches of less than about 20 ms a helper costs more than it
brings, since two cores that share a memory are slower than one each."""


class HelperThreads:
    """Threads that search between `start` and `end`.

    Args:
        sessions: one session a thread.
    """

    def __init__(self, sessions: Iterable[SearchSession]) -> None:
        self._sessions = tuple(sessions)
        self._threads: list[Thread] = []

    def start(self, limit: Limit) -> None:
        """Start the threads unless they run; of the limit, only the depth applies to them."""
        if self._threads:
            return
        theirs = Limit(depth=limit.depth)
        for session in self._sessions:
            thread = Thread(target=_exhaust, args=(session, theirs), name="smp", daemon=True)
            self._threads.append(thread)
            thread.start()

    def end(self) -> None:
        """Stop all threads and join them, which takes microseconds."""
        for session in self._sessions:
            session.stop()
        for thread in self._threads:
            thread.join()


def _exhaust(session: SearchSession, limit: Limit) -> None:
    with suppress(RecursionError):  # the first thread reports a game that outgrows the stack
        for _ in session.steps(limit):
            if session.is_stopped:
                return
