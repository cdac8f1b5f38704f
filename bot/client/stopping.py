"""The stop of a client: an event that the caller or a signal sets."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

STOP_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


async def pause(wait_s: float, stop: asyncio.Event) -> None:
    """Wait, at most until `stop` is set.

    Args:
        wait_s: seconds; waited in full if `stop` is set already.
        stop: ends the wait.
    """
    if stop.is_set():
        await asyncio.sleep(wait_s)
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(wait_s):
            await stop.wait()


@contextmanager
def stopping(stop: asyncio.Event | None) -> Iterator[asyncio.Event]:
    """Yield the given event, or one that the first SIGTERM or SIGINT sets."""
    if stop is not None:
        yield stop
        return
    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    def on_signal() -> None:
        stop.set()
        restore()

    def restore() -> None:
        while handled:
            loop.remove_signal_handler(handled.pop())

    handled = [number for number in STOP_SIGNALS if _handle(loop, number, on_signal)]
    try:
        yield stop
    finally:
        restore()


def _handle(loop: asyncio.AbstractEventLoop, number: int, handler: Callable[[], None]) -> bool:
    """Install a signal handler; return False where that is impossible (not Unix, or a thread)."""
    try:
        loop.add_signal_handler(number, handler)
    except (NotImplementedError, RuntimeError, ValueError):
        return False
    return True
