"""Worker processes that end with the process that hired them, however that one ended.

A pool by itself leaves its workers behind when its process is killed: each waits for work on a
pipe that the others hold open. Here a thread of each worker watches the process that hired it.
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


def _nothing() -> None:
    """Have nothing to let go of."""


def hire(size: int, *, last_act: Callable[[], None] = _nothing) -> ProcessPoolExecutor:
    """Make a pool of workers; they leave Ctrl-C to whoever hired them.

    Args:
        size: how many.
        last_act: what a worker does before it ends early; a function of a module.
    """
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(size, mp_context=context, initializer=_begin, initargs=(last_act,))


def dismiss() -> None:
    """End every worker of this process, in the middle of its work too."""
    for process in multiprocessing.active_children():
        process.terminate()
        process.join()


@contextmanager
def hired(size: int) -> Iterator[ProcessPoolExecutor]:
    """Hire workers for as long as the block lasts."""
    pool = hire(size)
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        dismiss()


def _begin(last_act: Callable[[], None]) -> None:
    def end(*_: object) -> None:
        last_act()
        os._exit(0)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, end)
    threading.Thread(target=_outlive_nobody, name="employer", daemon=True).start()


def _outlive_nobody() -> None:
    """End the process as soon as the one that hired it has ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)
