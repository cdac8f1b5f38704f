"""The writer's thread as coroutines see it: opened, asked, and ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from server.store.writer import Transaction, Work, Writer

T = TypeVar("T")


async def open_thread(thread: Writer) -> None:
    """Start a thread and wait until it is connected; what hinders it is raised."""
    opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def settle(error: Exception | None) -> None:
        if error is None:
            opened.set_result(None)
        else:
            opened.set_exception(error)

    thread.start(settle)
    await opened


def ask(thread: Writer, act: Callable[[Transaction], T]) -> asyncio.Future[T]:
    """Have something done in the thread, within one transaction; whoever awaits it may give up."""
    answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()

    def done(value: T) -> None:
        if not answer.done():
            answer.set_result(value)

    def failed(error: Exception) -> None:
        if not answer.done():
            answer.set_exception(error)

    thread.submit(Work(act, done, failed))
    return answer


async def end_thread(thread: Writer) -> None:
    """Have everything done that was handed in, and end the thread."""
    await asyncio.to_thread(thread.stop)
    await asyncio.sleep(0)  # what was done last is told now
