"""Run full garbage collection only while no game runs.

Reference counting frees nearly everything immediately. Reference cycles are found only by visiting
all live objects, while every thread waits: 130 ms with a thousand connections (measured), at a
moment that the interpreter chooses, in the middle of some hundred moves. So objects that exist
before the first connection are frozen, collection of the young generations stays as it is, and the
full collection waits until no game runs. On a server that always has games it runs anyway, rarely.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from ..model.timers import Timer

EVERY_S: Final = 15.0
OVERDUE: Final = 1000
"""Middle-generation collections that force a full one: minutes at thousands of plies/s."""
NEVER: Final = 2**31 - 1
OLDEST: Final = 2


@contextmanager
def gc_between_games(
    is_calm: Callable[[], bool], call_later: Callable[[float, Callable[[], None]], Timer]
) -> Iterator[None]:
    """Freeze existing objects, and schedule full collections while the block runs.

    ``is_calm`` returns whether no game runs, ``call_later`` calls back after N seconds.
    """
    thresholds = young, middling, _old = gc.get_threshold()
    timer: Timer

    def collect_if_due() -> None:
        nonlocal timer
        if is_calm() or gc.get_count()[OLDEST] >= OVERDUE:
            gc.collect()
        timer = call_later(EVERY_S, collect_if_due)

    gc.collect()
    gc.freeze()
    gc.set_threshold(young, middling, NEVER)
    timer = call_later(EVERY_S, collect_if_due)
    try:
        yield
    finally:
        timer.cancel()
        gc.set_threshold(*thresholds)
        gc.unfreeze()
