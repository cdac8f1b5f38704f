"""Is a Kalah Game Protocol client alive? Pings, their round trip, and when to give it up.

A client that is only thinking can look like one that hangs, and some have a single thread and
answer nothing while they think. So a client is pinged while nothing is asked of it, and right
after a question was taken back from it, which is when some hang for ever.
"""

from __future__ import annotations

from math import inf


class Pulse:
    """One client's signs of life.

    Attributes:
        round_trip_s: from the last answered ping to its pong.
    """

    def __init__(self, ping_s: float, pong_s: float) -> None:
        """Expect nothing yet.

        Args:
            ping_s: how often a waiting client is pinged.
            pong_s: how long an answer may take.
        """
        self.round_trip_s = 0.0
        self._ping_s = ping_s
        self._pong_s = pong_s
        self._awaited: int | None = None
        self._sent = 0.0
        self._next = inf

    @property
    def is_awaited(self) -> bool:
        """Whether a ping is unanswered."""
        return self._awaited is not None

    @property
    def due(self) -> float:
        """When to look again."""
        return self._next if self._awaited is None else self._sent + self._pong_s

    def rest(self, now: float) -> None:
        """Put the next ping off."""
        self._next = now + self._ping_s

    def sent(self, number: int, now: float) -> None:
        """Note that a ping goes out."""
        self._awaited, self._sent = number, now

    def heard(self, ref: int | None, now: float) -> None:
        """Take a pong; one that answers nothing is ignored."""
        if self._awaited is not None and ref == self._awaited:
            self.round_trip_s = now - self._sent
            self.alive(now)

    def alive(self, now: float) -> None:
        """Note another sign of life, as good as a pong."""
        self._awaited = None
        self.rest(now)

    def is_gone(self, now: float) -> bool:
        """Tell whether a ping has waited too long for its answer."""
        return self._awaited is not None and now >= self._sent + self._pong_s
