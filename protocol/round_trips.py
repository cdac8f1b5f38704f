"""The lag of a connection, from many round trips: what a player may be credited for it.

A peer can answer a ping late, but never early, so the smallest of many round trips is nearest to
the network's. A peer that answers every ping late is found out by its own operating system, which
acknowledges data by itself: no more is believed than the round trip of the acknowledgements, where
it is known, and a small allowance for the program at the other end.
"""

from typing import Final

KEPT: Final = 24
"""Round trips in the window: two minutes of pings, one each 5 s."""
ALLOWANCE_S: Final = 0.001
"""How much longer a program may take than its operating system; a hundredth of a short move."""


class RoundTrips:
    """The last round trips of a connection."""

    def __init__(self) -> None:
        self._last_s: list[float] = []

    def add(self, round_trip_s: float) -> None:
        """Record a round trip, in seconds; it takes the place of the oldest in a full window."""
        self._last_s.append(round_trip_s)
        del self._last_s[:-KEPT]

    def lag_s(self, acknowledged_s: float | None = None) -> float:
        """Return the lag in seconds; 0 before the first round trip.

        ``acknowledged_s`` is the round trip of acknowledgements; None where it isn't known.
        """
        smallest = min(self._last_s, default=0.0)
        return smallest if acknowledged_s is None else min(smallest, acknowledged_s + ALLOWANCE_S)
