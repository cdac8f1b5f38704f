"""Worker processes that end with the process that started them, however that one ended.

A plain child stays behind when its owner is killed. Here a thread of each worker watches the owner.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import wait


def do_nothing() -> None:
    """Clean up nothing before a worker ends."""


def begin(before_exit: Callable[[], None] = do_nothing) -> None:
    """Set this process up as a worker: it ignores Ctrl-C, which is the owner's to handle.

    Args:
        before_exit: called when the worker is terminated or its owner has ended.
    """

    def end(*_: object) -> None:
        before_exit()
        os._exit(0)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGTERM, end)
    threading.Thread(target=_end_with_owner, name="owner", daemon=True).start()


def _end_with_owner() -> None:
    """End this process as soon as the one that started it has ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)
