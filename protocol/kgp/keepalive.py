"""Keepalive for a Kalah Game Protocol client: pings, their round trip, and their timeout.

Some clients have a single thread and answer no ping while they think, so a client that thinks
looks like one that hangs. Therefore a client is pinged only while it has no open question, and
right after a question was withdrawn, which is when some clients hang for good.
"""

from math import inf

from ..round_trips import RoundTrips


class Keepalive:
    """The pings of one client, and the last times from a ping to its pong."""

    def __init__(self, ping_s: float, pong_s: float) -> None:
        """Set up without a ping under way; a waiting client is pinged every ``ping_s``."""
        self.round_trips = RoundTrips()
        self._ping_s = ping_s
        self._pong_s = pong_s
        self._pending: int | None = None
        self._sent = 0.0
        self._next = inf

    @property
    def is_pending(self) -> bool:
        return self._pending is not None

    @property
    def due(self) -> float:
        """The instant of the next ping, or at which the present one times out."""
        return self._next if self._pending is None else self._sent + self._pong_s

    def postpone(self, now: float) -> None:
        """Postpone the next ping by a whole interval."""
        self._next = now + self._ping_s

    def sent(self, number: int, now: float) -> None:
        self._pending, self._sent = number, now

    def on_pong(self, ref: int | None, now: float) -> None:
        """Record a pong; ignore one that answers no ping."""
        if self._pending is not None and ref == self._pending:
            self.round_trips.add(now - self._sent)
            self.on_activity(now)

    def on_activity(self, now: float) -> None:
        """Record that the client has sent something else, which counts as a pong."""
        self._pending = None
        self.postpone(now)

    def has_timed_out(self, now: float) -> bool:
        """Return whether a ping has waited too long for its answer."""
        return self._pending is not None and now >= self._sent + self._pong_s
