"""When to try again what a fault of this machine stopped; pure.

At the next look, then after two more, four, eight: the fault may pass in a moment, and what lasts
must not take the time of the others.
"""

from typing import Final

LONGEST: Final = 256
"""Looks between two attempts, at most."""


class RetryLooks:
    """What failed, by name, and after how many looks it is tried again."""

    def __init__(self) -> None:
        self._looks: dict[str, tuple[int, int]] = {}  # between attempts, and those that are left

    def note(self, name: str, *, failed: bool) -> None:
        wait, _ = self._looks.pop(name, (0, 0))
        if failed:
            wait = min(LONGEST, 2 * wait or 1)
            self._looks[name] = wait, wait

    def is_due(self, name: str) -> bool:
        """Count a look; return whether to try again now."""
        if name not in self._looks:
            return False
        wait, left = self._looks[name]
        self._looks[name] = wait, left - 1
        return left <= 1
