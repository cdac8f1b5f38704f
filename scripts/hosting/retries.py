"""When to try again what a fault of this machine stopped; pure.

At the next look, then after two more, four, eight: the fault may pass in a moment, and what lasts
must not take the time of the others.
"""

from __future__ import annotations

from typing import Final

LONGEST: Final = 256
"""Looks between two attempts, at most."""


class RetryLooks:
    """What failed, by name, and after how many looks it is tried again."""

    def __init__(self) -> None:
        self._waits: dict[str, int] = {}
        self._left: dict[str, int] = {}

    def note(self, name: str, *, failed: bool) -> None:
        """Note how an attempt ended."""
        if failed:
            wait = min(LONGEST, 2 * self._waits.get(name, 0) or 1)
            self._waits[name] = self._left[name] = wait
        else:
            self._waits.pop(name, None)
            self._left.pop(name, None)

    def is_due(self, name: str) -> bool:
        """Count a look; return whether to try again now."""
        if name not in self._left:
            return False
        self._left[name] -= 1
        return self._left[name] <= 0
