"""Worker processes that end with the process that started them, however that one ended.

The workers of a plain pool stay behind when its owner is killed: each waits for work on a pipe
that the others hold open. Here a thread of each worker watches the owner.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import wait
from typing import Any, Final, cast

PATIENCE_S: Final = 2.0
"""Seconds that a worker has to end by itself."""
POOL_THREAD: Final = "_ExecutorManagerThread"
"""The thread of a pool. While it notices that the workers have ended, nothing may wake it: not the
pool's `shutdown`, and not the end of the interpreter (CPython fails with a closed pipe). A worker
that ended in the middle of a result leaves it waiting for the rest: this process holds the pipe
open for writing, too, so that only closing that end wakes it."""


def _do_nothing() -> None:
    """Do nothing before a worker ends."""


def make_pool(size: int, *, before_exit: Callable[[], None] = _do_nothing) -> ProcessPoolExecutor:
    """Return a pool of worker processes; they ignore Ctrl-C, which is the owner's to handle.

    Args:
        size: the number of workers.
        before_exit: called by a worker that is terminated; a function at module level.
    """
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(
        size, mp_context=context, initializer=_begin, initargs=(before_exit,)
    )


def end_workers() -> None:
    """End every worker of this process, whether it is working or not; kill one that hangs."""
    workers = multiprocessing.active_children()
    for process in workers:
        process.terminate()
    for process in workers:
        process.join(PATIENCE_S)
        process.kill()
        process.join()
    for thread in threading.enumerate():
        if type(thread).__name__ == POOL_THREAD:
            manager = cast("Any", thread)
            manager.result_queue._writer.close()  # noqa: SLF001  # there is no public way
            thread.join(PATIENCE_S)


@contextmanager
def pool(size: int) -> Iterator[ProcessPoolExecutor]:
    """Yield a pool of workers, which end with the block."""
    workers = make_pool(size)
    try:
        yield workers
    finally:
        workers.shutdown(wait=False, cancel_futures=True)
        end_workers()


def _begin(before_exit: Callable[[], None]) -> None:
    def end(*_: object) -> None:
        before_exit()
        os._exit(0)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, end)
    threading.Thread(target=_end_with_owner, name="owner", daemon=True).start()


def _end_with_owner() -> None:
    """End this process as soon as the one that started it has ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)
