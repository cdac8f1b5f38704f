"""The queue of a table: one step after the other, each complete before the next begins.

A step that changes something is complete when the journal has it; one that begins a game may have
to wait until the server can keep the game fair, and a turn until its bot's pace allows it.
Meanwhile the table acts on nothing: what happens is queued in the order of its arrival. So no
snapshot ever shows half a step.
"""

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from ..health.fairness import HELD_UP_S, LOOK_AGAIN_S
from ..model.journal import Entry
from .context import Context

Action = Callable[[], None]
P = ParamSpec("P")
Q = TypeVar("Q", bound="HasQueue")


class SerialQueue:
    """The steps of one table."""

    def __init__(self, context: Context, is_held_up: Callable[[], bool] = lambda: False) -> None:
        """Begin with nothing queued; no game begins while ``is_held_up()``, either."""
        self.is_closed = False
        self._context = context
        self._is_held_up = is_held_up
        self._queued: deque[Action] = deque()
        self._is_busy = False

    def put(self, action: Action) -> None:
        """Run an action once no step is half done, after all that came before it."""
        self._queued.append(action)
        self._run_queued()

    @property
    def is_idle(self) -> bool:
        """Whether an action would run immediately."""
        return not (self._is_busy or self._queued or self.is_closed)

    def commit(self, entries: Sequence[Entry], then: Action, refused: Action) -> None:
        """Run ``then`` once the entries are durable, or ``refused``; queue the rest."""
        self._is_busy = True
        journal = self._context.journal
        journal.commit(entries, partial(self._committed, then), partial(self._committed, refused))

    def when_fair(self, begin: Action, wait_s: float = 0.0, held_up_s: float = 0.0) -> None:
        """Run ``begin`` after a wait, and once no loop is late; queue the rest."""
        self._is_busy = False
        if self.is_closed:
            return
        if not wait_s:
            is_held_up = held_up_s < HELD_UP_S and self._is_held_up()
            if is_held_up or not self._context.fairness.may_begin():
                wait_s, held_up_s = LOOK_AGAIN_S, held_up_s + LOOK_AGAIN_S * is_held_up
        if wait_s:
            self.pause(wait_s, partial(self.when_fair, begin, held_up_s=held_up_s))
        else:
            begin()

    def pause(self, wait_s: float, then: Action) -> None:
        """Run ``then`` after a time, in seconds; queue the rest."""
        self._is_busy = True
        self._context.call_at(self._context.now() + wait_s, partial(self._committed, then))

    def wait_for(self, event: Callable[[Action], None], then: Action) -> None:
        """Run ``then`` once what ``event`` is given has been called; queue the rest."""
        self._is_busy = True
        event(partial(self._committed, then))

    def close(self) -> None:
        """Run nothing more, not even what is queued."""
        self.is_closed = True

    def _committed(self, then: Action) -> None:
        self._is_busy = False
        if not self.is_closed:
            then()
            self._run_queued()

    def _run_queued(self) -> None:
        while self._queued and not self._is_busy and not self.is_closed:
            self._queued.popleft()()


class HasQueue(Protocol):
    """An object whose steps are queued."""

    queue: SerialQueue


def queued(step: Callable[Concatenate[Q, P], None]) -> Callable[Concatenate[Q, P], None]:
    """Return a method that runs once no step is half done, after all that came before it."""

    @wraps(step)
    def put(owner: Q, /, *args: P.args, **options: P.kwargs) -> None:
        if owner.queue.is_idle:
            step(owner, *args, **options)
        else:
            owner.queue.put(partial(step, owner, *args, **options))

    return put
