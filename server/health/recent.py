"""A log that also remembers what an organiser wants to read in the morning."""

from collections import Counter, deque
from collections.abc import Callable
from typing import Final

from ..model.schemas.morning import FaultView
from .log import Log, PassingLog

REMEMBERED: Final = 100
REFUSED_LOGIN: Final = "login refused"
TOLD_ELSEWHERE: Final = frozenset({"operator", "quarantine"})
"""Warnings that the organiser reads in lists of their own."""


class RecentLog(PassingLog):
    """Passes all events on, and remembers warnings and refused logins since the start."""

    def __init__(self, log: Log, utc: Callable[[], str]) -> None:
        super().__init__(log)
        self._utc = utc
        self.faults: deque[FaultView] = deque(maxlen=REMEMBERED)
        self.warnings = 0
        self.refused: Counter[tuple[str, str]] = Counter()

    def info(self, event: str, **facts: object) -> None:
        """Pass an event on; count a refused login."""
        if event == REFUSED_LOGIN:
            key = str(facts.get("code")), str(facts.get("name"))
            if key in self.refused or len(self.refused) < REMEMBERED:
                self.refused[key] += 1
            else:
                self.refused[key[0], "others"] += 1
        super().info(event, **facts)

    def warning(self, event: str, **facts: object) -> None:
        if event not in TOLD_ELSEWHERE:
            self.warnings += 1
            told = ", ".join(f"{name} {value}" for name, value in facts.items())
            self.faults.append(FaultView(at=self._utc(), event=event, facts=told))
        super().warning(event, **facts)
