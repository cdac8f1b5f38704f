"""Pauses of running processes, as a host that lends its cores elsewhere makes them."""

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

import psutil

SHARE: Final = 0.4
"""The share of the processes that pause together."""

BETWEEN: Final = 0.25
"""The time between two pauses, as a share of a pause."""


@contextmanager
def pausing(root: int, longest_s: float, seed: int) -> Iterator[None]:
    """Pause some of a process and its descendants, then let all go on, again and again.

    Args:
        root: id of the process.
        longest_s: how long a pause takes at most.
        seed: for the draws; which processes there are to draw from is up to the machine.
    """
    ended = threading.Event()
    rng = random.Random(seed)
    thread = threading.Thread(target=_pause, args=(psutil.Process(root), longest_s, rng, ended))
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _pause(
    root: psutil.Process, longest_s: float, rng: random.Random, ended: threading.Event
) -> None:
    while not ended.wait(BETWEEN * rng.uniform(0, longest_s)):
        paused = [each for each in _running(root) if rng.random() < SHARE and _suspended(each)]
        ended.wait(rng.uniform(0, longest_s))
        for process in paused:
            with suppress(psutil.NoSuchProcess):
                process.resume()


def _running(root: psutil.Process) -> list[psutil.Process]:
    """List a process and its descendants, without those that something else has stopped."""
    found = []
    with suppress(psutil.NoSuchProcess):
        for process in (root, *root.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                if process.status() != psutil.STATUS_STOPPED:
                    found.append(process)
    return found


def _suspended(process: psutil.Process) -> bool:
    """Stop a process; return False if it has ended."""
    try:
        process.suspend()
    except psutil.NoSuchProcess:
        return False
    return True
