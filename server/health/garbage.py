"""When garbage is collected that refers to itself: between games."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from ..model.timers import Timer

GC_EVERY_S: Final = 15.0
GC_OVERDUE: Final = 70
"""Middle-generation collections that force a full one: minutes at thousands of plies/s."""
GC_YOUNG: Final = 10_000
"""New objects before the youngest are visited: with 700, Python's default, it took a ply 8 µs."""
GC_MIDDLING: Final = 10
GC_NEVER: Final = 2**31 - 1
GC_WHOLE_SHARE: Final = 5000
"""Old objects for which one collection passes before one visits them, too: 20,000 bots have two
million, so that is every two hours; a small server, every five minutes."""
GC_OLDEST: Final = 2


@contextmanager
def gc_between_games(
    is_calm: Callable[[], bool], call_later: Callable[[float, Callable[[], None]], Timer]
) -> Iterator[None]:
    """Freeze existing objects, and schedule full collections while the block runs.

    Reference counting frees nearly everything immediately, lost connections too. Reference cycles
    are found only by visiting all live objects, while every thread waits: 15 µs a bot, and 30 in a
    front (measured), at a moment that the interpreter chooses, in the middle of some hundred moves.
    So objects that exist before the first connection are frozen, the young generations are
    collected as Python does, and the full collection waits until no game runs. On a
    server that always has games it runs anyway, rarely. What it has visited is frozen in turn:
    20,000 bots would hold up a front for 0.6 s every 15 s, which beside other work is long enough
    to end connections.

    ``is_calm`` returns whether no game runs, ``call_later`` calls back after N seconds.
    """
    thresholds = gc.get_threshold()
    timer: Timer
    collections = old = 0

    def collect_if_due() -> None:
        nonlocal timer, collections, old
        if is_calm() or gc.get_count()[GC_OLDEST] >= GC_OVERDUE:
            collections += 1
            if is_whole := collections * GC_WHOLE_SHARE > old:
                gc.unfreeze()
                collections = 0
            gc.collect()
            gc.freeze()
            if is_whole:
                old = gc.get_freeze_count()  # which visits all of them, too
        timer = call_later(GC_EVERY_S, collect_if_due)

    gc.collect()
    gc.freeze()
    old = gc.get_freeze_count()
    gc.set_threshold(GC_YOUNG, GC_MIDDLING, GC_NEVER)
    timer = call_later(GC_EVERY_S, collect_if_due)
    try:
        yield
    finally:
        timer.cancel()
        gc.set_threshold(*thresholds)
        gc.unfreeze()
