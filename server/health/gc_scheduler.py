"""When the interpreter may stand still to look for garbage that refers to itself.

Reference counts free nearly everything at once. What refers to itself in a circle is found only by
going through all objects alive, with every thread standing still: with a thousand connections a
tenth of a second (measured: 130 ms), at a moment that the interpreter chooses, in the middle of
some hundred moves. So what was there before the first connection is exempt, the quick looks at
young objects stay as they are, and the long look waits until no game is under way. Where some
game always is, it is taken all the same, rarely.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

from server.model.timers import Timer

EVERY_S: Final = 15.0
OVERDUE: Final = 1000
"""So many middling looks without a long one are enough: some minutes at thousands of plies/s."""
NEVER: Final = 2**31 - 1
OLDEST: Final = 2


class GcScheduler:
    """Looks for garbage at times that suit the games. Use it with ``with``."""

    def __init__(
        self,
        is_calm: Callable[[], bool],
        call_later: Callable[[float, Callable[[], None]], Timer],
    ) -> None:
        """Prepare it.

        Args:
            is_calm: tells whether a pause would harm nobody.
            call_later: calls back after so many seconds.
        """
        self._is_calm = is_calm
        self._call_later = call_later
        self._thresholds = gc.get_threshold()
        self._timer: Timer | None = None

    def __enter__(self) -> Self:
        """Exempt all there is, and take over the long look."""
        young, middling, _old = self._thresholds
        gc.collect()
        gc.freeze()
        gc.set_threshold(young, middling, NEVER)
        self._wait()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give everything back to the interpreter."""
        if self._timer is not None:
            self._timer.cancel()
        gc.set_threshold(*self._thresholds)
        gc.unfreeze()

    def look(self) -> None:
        """Take the long look, if it suits or must be; to be called now and then."""
        if self._is_calm() or gc.get_count()[OLDEST] >= OVERDUE:
            gc.collect()

    def _wait(self) -> None:
        self._timer = self._call_later(EVERY_S, self._again)

    def _again(self) -> None:
        self.look()
        self._wait()
