"""A simulated process: the callbacks that run in it, and a death after which none does.

Which process a callback belongs to stands in its context, which asyncio hands on to every task,
timer and callback that it makes. So all that a process started ends with it, at any callback.
"""

import asyncio
import logging
import warnings
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from contextvars import Context, ContextVar, copy_context
from typing import Any, Final
from weakref import WeakSet


class NumberedTask(asyncio.Task[Any]):
    """A task whose hash is its number."""

    def __init__(
        self,
        work: Generator[Any, None, Any] | Coroutine[Any, Any, Any],
        *,
        loop: asyncio.AbstractEventLoop,
        number: int,
        name: object,
        context: Context,
    ) -> None:
        self._number = number
        super().__init__(work, loop=loop, name=str(name or f"task {number}"), context=context)

    def __hash__(self) -> int:
        return self._number

    def __eq__(self, other: object) -> bool:
        return self is other

    def forget(self) -> None:
        """Let the loop not wait for the task's end, nor warn that it never came."""
        asyncio._unregister_task(self)
        self._log_destroy_pending = False


class NumberedFuture(asyncio.Future[Any]):
    """A future whose hash is its number."""

    def __init__(self, *, loop: asyncio.AbstractEventLoop, number: int) -> None:
        self._number = number
        super().__init__(loop=loop)

    def __hash__(self) -> int:
        return self._number

    def __eq__(self, other: object) -> bool:
        return self is other


MOST_AWAITS: Final = 100
"""How often a coroutine that is closed may wait in its ``finally`` blocks."""


class KilledError(BaseException):
    """The process of the code that meets this is dead."""


class SimulatedHost:
    """A process on a machine of its own."""

    def __init__(
        self,
        name: str,
        address: str,
        *,
        delay_s: float = 0.0,
        stepped: Callable[[], None] = lambda: None,
    ) -> None:
        """Create a process; ``stepped`` is called before each callback, and may kill it."""
        self.name = name
        self.address = address
        self.delay_s = delay_s
        self.is_dead = False
        self.tasks: WeakSet[NumberedTask] = WeakSet()
        self.endpoints: dict[Vanishing, None] = {}
        self._stepped = stepped
        self._context = copy_context()
        self._context.run(_host.set, self)

    @property
    def context(self) -> Context:
        return self._context.copy()

    def start(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        loop = asyncio.get_running_loop()
        return loop.create_task(work, name=name, context=self.context)

    def step(self, callback: Callable[..., object], *args: object) -> None:
        """Run a callback, unless the process is dead or dies before it."""
        if not self.is_dead:
            self._stepped()
        if not self.is_dead:
            callback(*args)

    def hang(self) -> None:
        self.is_dead = True

    def kill(self) -> None:
        """End the process: nothing of it runs any more, and its connections are gone."""
        self.is_dead = True
        for endpoint in tuple(self.endpoints):
            endpoint.vanish()
        with _silence():
            for task in sorted(self.tasks, key=hash):
                if not task.done():
                    self.context.run(_unwind, task)


class Vanishing:
    """Something that does not outlive its process."""

    def vanish(self) -> None:
        """End without a word to the process."""


def host_of(context: Context) -> SimulatedHost | None:
    """Return the process of a context; None outside of all."""
    return context.get(_host)


def current_host() -> SimulatedHost | None:
    """Return the process of the callback that runs; None outside of all."""
    return _host.get(None)


_host: ContextVar[SimulatedHost] = ContextVar("host")


@contextmanager
def _silence() -> Iterator[None]:
    """Silence the warnings of code that ends in its middle."""
    level = logging.root.manager.disable
    logging.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # coroutines that nothing awaits now
            yield
    finally:
        logging.disable(level)


def _unwind(task: NumberedTask) -> None:
    """Let go of what a task's coroutine holds; its process is dead, so nothing comes of it.

    Each wait of a ``finally`` block is ended, too. Closing the coroutine would not do: where such a
    block waits, that raises an error in the middle of it, for others to handle.
    """
    task.forget()
    coroutine = task.get_coro()
    for _ in range(MOST_AWAITS):
        try:
            coroutine.throw(KilledError())
        except BaseException:  # noqa: BLE001  # of a world that is gone
            return
