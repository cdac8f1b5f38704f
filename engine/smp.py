"""Helpers of a think: threads that think about the same board, for what they leave in the table.

Lazy SMP: nobody divides the work. Each helper deepens and proves by itself, on stacks of its own;
the table that all share hands its results to the others. Where they deepen, helpers look some
plies farther than the first thread and begin with other moves; where they prove, the marks of
`engine.kernels` keep them out of one another's way. How that falls out depends on the machine's
moods, so a think with helpers does not repeat itself to the node; its values hold like those of
one thread.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, Final

from engine.reports import Limit

if TYPE_CHECKING:
    from engine.session import Thought


ALONE_NODES: Final = 16_384
"""Nodes before which a think is by itself: in less than some 20 ms a helper costs more than it
brings, since two cores that share a memory are slower than one each."""


class Crew:
    """Threads at work between `start` and `end`.

    Args:
        thoughts: what each of them thinks; their lines are stopped from outside, or by `end`.
    """

    def __init__(self, thoughts: Iterable[Thought]) -> None:
        self._thoughts = tuple(thoughts)
        self._threads: list[Thread] = []

    def start(self, limit: Limit) -> None:
        """Let everybody think, if they don't; of the limit, only the depth is theirs to keep."""
        if self._threads:
            return
        theirs = Limit(depth=limit.depth)
        for thought in self._thoughts:
            thread = Thread(target=_exhaust, args=(thought, theirs), name="crew", daemon=True)
            self._threads.append(thread)
            thread.start()

    def end(self) -> None:
        """Stop everybody and wait for it: microseconds."""
        for thought in self._thoughts:
            thought.stop()
        for thread in self._threads:
            thread.join()


def _exhaust(thought: Thought, limit: Limit) -> None:
    with suppress(RecursionError):  # where a game outgrows the stack, the first thread says so
        for _ in thought.steps(limit):
            if thought.is_stopped:
                return
