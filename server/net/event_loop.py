"""The event loop that a server's processes run on: uvloop's, where the extra ``fast`` is there.

uvloop's ``time()`` is that of its last poll. After a stall in one callback, the next would take an
answer for earlier than it was; so here it is the clock's.
"""

import asyncio
from collections.abc import Callable, Coroutine
from importlib.util import find_spec
from time import monotonic  # noqa: TID251  # the loop is the way to the clock
from typing import Any, TypeVar

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on a loop of its own; return its result."""
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(main)


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return what makes the loop; None for asyncio's own."""
    if find_spec("uvloop") is None:
        return None
    import uvloop  # noqa: PLC0415  # an extra, which may be missing

    class PreciseLoop(uvloop.Loop):
        """uvloop with the time of the clock, not that of its last poll."""

        time = staticmethod(monotonic)

    return PreciseLoop
