"""How many seconds to think about a move, from the clock and the round trip; arithmetic only.

The server counts from sending the turn to receiving the answer, and credits the round trip that
it measured, up to the lag quota. So the usable time is the deadline, plus the credit to expect
(the usual round trip), minus a pessimistic round trip (usual plus twice its spread), minus a
margin for late wake-ups by the scheduler. With a bank, a move gets an even share of what is left,
divided over the moves still expected, and most of the increment.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from mancala.protocol.clock import ClockState, TimeControl

MARGIN_S: Final = 0.015
MARGIN_SHARE: Final = 0.03
LONGEST_MARGIN_S: Final = 0.1
SEEDS_A_MOVE: Final = 2
FEWEST_MOVES: Final = 6
INCREMENT_SHARE: Final = 0.8


class RoundTrip(NamedTuple):
    """A running estimate of the round trip, smoothed as TCP does it (RFC 6298)."""

    usual_s: float = 0.0
    spread_s: float = 0.0

    @property
    def pessimistic_s(self) -> float:
        """A round trip that is rarely exceeded."""
        return self.usual_s + 2 * self.spread_s

    def after(self, sample_s: float) -> RoundTrip:
        """Return the estimate after one more measurement."""
        if self == RoundTrip():
            return RoundTrip(sample_s, sample_s / 4)
        spread_s = 0.75 * self.spread_s + 0.25 * abs(self.usual_s - sample_s)
        return RoundTrip(0.875 * self.usual_s + 0.125 * sample_s, spread_s)


def usable_s(deadline_s: float, quota_s: float, round_trip: RoundTrip) -> float:
    """Return how long the bot may think and still answer in time; never negative.

    ``deadline_s`` is as the server counts, which would still credit a lag of ``quota_s``.
    """
    lag_s = round_trip.pessimistic_s - min(round_trip.usual_s, quota_s)
    margin_s = min(MARGIN_S + MARGIN_SHARE * deadline_s, LONGEST_MARGIN_S, 0.6 * deadline_s)
    return max(0.0, deadline_s - lag_s - margin_s)


def moves_left(seeds: int) -> int:
    """Estimate how many moves one player still makes with this number of seeds in the pits."""
    return max(FEWEST_MOVES, seeds // SEEDS_A_MOVE)


def budget_s(
    usable: float, control: TimeControl, clock: ClockState, *, seat: int, seeds: int
) -> float:
    """Return how many seconds to think about this move.

    ``usable`` is after how many seconds an answer would be late; ``seeds`` are still in the pits.
    """
    if control.bank_ms is None or clock.banks_ms is None:
        return usable
    bank_s = clock.banks_ms[seat] / 1000
    share_s = bank_s / moves_left(seeds) + INCREMENT_SHARE * control.increment_ms / 1000
    return min(usable, share_s)
