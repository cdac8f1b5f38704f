"""An async interface to a writer thread: start, run and stop."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from .writer import Transaction, Work, Writer

T = TypeVar("T")


async def start_thread(thread: Writer) -> None:
    """Start a thread and wait until it is connected; raise its error if it can't be."""
    opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def settle(error: Exception | None) -> None:
        if error is None:
            opened.set_result(None)
        else:
            opened.set_exception(error)

    thread.start(settle)
    await opened


def run_in_thread(thread: Writer, act: Callable[[Transaction], T]) -> asyncio.Future[T]:
    """Run ``act`` in the thread, within one transaction; the future may be cancelled."""
    answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()

    def done(value: T) -> None:
        if not answer.done():
            answer.set_result(value)

    def failed(error: Exception) -> None:
        if not answer.done():
            answer.set_exception(error)

    thread.submit(Work(act, done, failed))
    return answer


async def stop_thread(thread: Writer) -> int:
    """Stop a thread once its work is done; return how much of it was left undone, if any."""
    left = await asyncio.to_thread(thread.stop)
    await asyncio.sleep(0)  # lets the last callbacks run
    return left
