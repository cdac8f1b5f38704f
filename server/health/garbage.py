"""When garbage is collected that refers to itself: between games."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from ..model.timers import Timer

GC_EVERY_S: Final = 15.0
GC_OVERDUE: Final = 1000
"""Middle-generation collections that force a full one: minutes at thousands of plies/s."""
GC_YOUNG: Final = 700
"""New objects before the youngest are visited: Python's default, since the command line, which ends
soon, has ten thousand."""
GC_MIDDLING: Final = 10
GC_NEVER: Final = 2**31 - 1
GC_OLDEST: Final = 2


@contextmanager
def gc_between_games(
    is_calm: Callable[[], bool], call_later: Callable[[float, Callable[[], None]], Timer]
) -> Iterator[None]:
    """Freeze existing objects, and schedule full collections while the block runs.

    Reference counting frees nearly everything immediately. Reference cycles are found only by
    visiting all live objects, while every thread waits: 130 ms with a thousand connections
    (measured), at a moment that the interpreter chooses, in the middle of some hundred moves. So
    objects that exist before the first connection are frozen, the young generations are collected
    as Python does by default, and the full collection waits until no game runs. On a server that
    always has games it runs anyway, rarely.

    ``is_calm`` returns whether no game runs, ``call_later`` calls back after N seconds.
    """
    thresholds = gc.get_threshold()
    timer: Timer

    def collect_if_due() -> None:
        nonlocal timer
        if is_calm() or gc.get_count()[GC_OLDEST] >= GC_OVERDUE:
            gc.collect()
        timer = call_later(GC_EVERY_S, collect_if_due)

    gc.collect()
    gc.freeze()
    gc.set_threshold(GC_YOUNG, GC_MIDDLING, GC_NEVER)
    timer = call_later(GC_EVERY_S, collect_if_due)
    try:
        yield
    finally:
        timer.cancel()
        gc.set_threshold(*thresholds)
        gc.unfreeze()
