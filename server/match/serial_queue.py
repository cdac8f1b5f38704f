"""One step after the other: what happens at a table while a step is half done waits its turn.

A step that changes something is done when the journal has it; one that begins a game may have to
wait until the server can keep it fair. Meanwhile the table takes nothing up: whatever happens is
kept in the order of its arrival, and done as soon as the step is. So whoever looks at a table
never sees half a step.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

from server.health.fairness import LOOK_AGAIN_S
from server.match.context import Floor
from server.model.journal import Entry

Action = Callable[[], None]


class Steps:
    """The steps of one table.

    Attributes:
        is_closed: whether nothing more is done.
    """

    def __init__(self, floor: Floor) -> None:
        self.is_closed = False
        self._floor = floor
        self._waiting: deque[Action] = deque()
        self._is_settling = False

    def take(self, action: Action) -> None:
        """Do something as soon as no step is half done, and after all that came before it."""
        self._waiting.append(action)
        self._run_waiting()

    def commit(self, entries: Sequence[Entry], then: Action) -> None:
        """Make entries durable, and only then go on; what happens till then waits."""
        self._is_settling = True
        self._floor.journal.commit(entries, partial(self._settled, then))

    def when_fair(self, begin: Action) -> None:
        """Begin at once, or when the server has its breath back; what happens till then waits."""
        self._is_settling = False
        if self.is_closed:
            return
        if self._floor.fairness.may_begin():
            begin()
        else:
            self._is_settling = True
            look_again = partial(self._look_again, begin)
            self._floor.call_at(self._floor.now() + LOOK_AGAIN_S, look_again)

    def close(self) -> None:
        """Do nothing more, not even what waits."""
        self.is_closed = True

    def _settled(self, then: Action) -> None:
        self._is_settling = False
        if self.is_closed:
            return
        then()
        self._run_waiting()

    def _look_again(self, begin: Action) -> None:
        self.when_fair(begin)
        self._run_waiting()

    def _run_waiting(self) -> None:
        while self._waiting and not self._is_settling and not self.is_closed:
            self._waiting.popleft()()
