"""An event loop whose clock jumps: where a real loop would wait, the time is later instead."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from contextvars import Context
from typing import Any, Final, TypeVar, cast

T = TypeVar("T")
L = TypeVar("L", bound=asyncio.AbstractEventLoop)

BEGIN_S: Final = 1000.0


MOST_TURNS: Final = 50_000
"""Turns of a loop in one instant; a server at work needs some dozens."""


class StuckTimeError(Exception):
    """Time stands still, or nothing is due at any time."""


class _Jump(selectors.SelectSelector):
    """A selector that lets virtual time pass instead of waiting."""

    def __init__(self) -> None:
        super().__init__()
        self.now = BEGIN_S
        self._turns = 0

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise StuckTimeError("no callback is due, at no time")
        self._turns = self._turns + 1 if timeout <= 0 else 0
        if self._turns > MOST_TURNS:
            self._turns = 0
            raise StuckTimeError(f"there is no end to what is due at {self.now:.3f} s")
        self.now += max(0.0, timeout)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop in virtual time; work for other threads is done in this one."""

    def __init__(self) -> None:
        self._jump = _Jump()
        super().__init__(self._jump)

    def time(self) -> float:
        return self._jump.now

    def pass_by(self, seconds: float) -> None:
        """Let time pass in which nothing happens, as if all machines slept; timers fall due."""
        self._jump.now += seconds

    def call_soon_threadsafe(
        self, callback: Callable[..., object], *args: object, context: Context | None = None
    ) -> asyncio.Handle:
        """Schedule a callback; there is only one thread."""
        return self.call_soon(callback, *args, context=context)

    def run_in_executor(
        self, executor: object, func: Callable[..., T], *args: object
    ) -> asyncio.Future[T]:
        del executor
        future: asyncio.Future[T] = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:  # noqa: BLE001  # the caller's to handle
            future.set_exception(error)
        return future


def run(main: Callable[[L], Coroutine[Any, Any, T]], make: Callable[[], L]) -> T:
    with asyncio.Runner(loop_factory=make) as runner:
        return runner.run(main(cast("L", runner.get_loop())))
