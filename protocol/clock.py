"""Clocks as arithmetic: the present time is an argument, and nothing here waits.

Two limits may hold together: one for each move, and a bank for the game that gains an increment
after each move. A player is charged the time used minus the lag credit, which stands for the time
that the network took (``round_trips.py``), and is paid from a quota, which limits what a bot could
gain by a pretended lag. The method is that of lichess: a move's credit is ``min(lag, quota)``; the
quota starts at three gains, grows by one gain a move and holds at most seven. The gain is 150 ms
plus 4 ms for each second that a whole game may take a player (forty moves), at most 1 s.

Instants are seconds on the caller's clock; lengths of time are milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import floor, inf
from typing import Final, NamedTuple

EXPECTED_MOVES: Final = 40
MAX_GAIN_MS: Final = 1000.0
LONGEST_MS: Final = 7 * 24 * 3600 * 1000


class TimeoutPolicy(StrEnum):
    """What happens when the flag falls."""

    FORFEIT = "forfeit"
    """The game is lost."""
    PROVISIONAL = "provisional"
    """The last provisional move is played; without one the game is lost."""
    RANDOM = "random"
    """The last provisional move is played; without one the referee picks a legal pit."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The time limits of a game.

    Attributes:
        move_ms: the limit of each move; None for no such limit.
        bank_ms: the bank at the start of the game; None for no bank.
        increment_ms: the time that the bank gains after each move.
        timeout: what happens when the flag falls.

    Raises:
        ValueError: when neither limit is given, or one is out of range.
    """

    move_ms: int | None = 1000
    bank_ms: int | None = None
    increment_ms: int = 0
    timeout: TimeoutPolicy = TimeoutPolicy.FORFEIT

    def __post_init__(self) -> None:
        if self.move_ms is None and self.bank_ms is None:
            raise ValueError("a clock needs move_ms, bank_ms or both")
        for name in ("move_ms", "bank_ms"):
            length = getattr(self, name)
            if length is not None and not 1 <= length <= LONGEST_MS:
                raise ValueError(f"{name} must be 1..{LONGEST_MS}, not {length}")
        if not 0 <= self.increment_ms <= LONGEST_MS:
            raise ValueError(f"increment_ms must be 0..{LONGEST_MS}, not {self.increment_ms}")

    @classmethod
    def for_each_move(cls, seconds: float) -> TimeControl:
        """Return the limit of each move that comes closest to a time, which may be infinite."""
        longest_s = LONGEST_MS / 1000
        return cls(move_ms=max(1, round(1000 * min(seconds, longest_s))))

    @property
    def gain_ms(self) -> float:
        """The time that a player's lag quota gains with each move."""
        increments = EXPECTED_MOVES * self.increment_ms
        banked = inf if self.bank_ms is None else self.bank_ms + increments
        by_move = inf if self.move_ms is None else EXPECTED_MOVES * self.move_ms
        return min(MAX_GAIN_MS, 150 + 4 * (min(banked, by_move) / 1000))


@dataclass(frozen=True, slots=True)
class ClockState:
    """The clock as JSON carries it: one number a player, in whole milliseconds.

    Attributes:
        banks_ms: the time left in each bank; None without banks.
        quotas_ms: the lag that each player could still be credited.
    """

    banks_ms: tuple[int, int] | None
    quotas_ms: tuple[int, int]


class Ledger(NamedTuple):
    """The time from a question to its answer, and the part of it that is credited as lag."""

    elapsed_ms: float
    lag_ms: float


class Clock(NamedTuple):
    """Both players' time: what is left in each bank, and the lag that each could still be credited.

    ``since`` is the instant of the last question; it means nothing before the first one.
    """

    control: TimeControl
    banks_ms: tuple[float, float]
    quotas_ms: tuple[float, float]
    since: float

    @classmethod
    def set_up(cls, control: TimeControl) -> Clock:
        """Return the clock at the start of a game, with full banks and first quotas."""
        bank, quota = float(control.bank_ms or 0), 3 * control.gain_ms
        return cls(control, (bank, bank), (quota, quota), 0.0)

    @property
    def state(self) -> ClockState:
        banks = self.banks_ms if self.control.bank_ms is not None else None
        return ClockState(
            banks and (int(banks[0]), int(banks[1])),
            (int(self.quotas_ms[0]), int(self.quotas_ms[1])),
        )

    def ask(self, now: float) -> Clock:
        """Return the clock with a question put at ``now``."""
        return Clock(self.control, self.banks_ms, self.quotas_ms, now)

    def allowed_ms(self, player: int) -> float:
        """Return how long the player may think about the next move, without lag credit."""
        limit = inf if self.control.move_ms is None else float(self.control.move_ms)
        return limit if self.control.bank_ms is None else min(limit, self.banks_ms[player])

    def flag_at(self, player: int, lag_ms: float) -> float:
        """Return the instant at which the player's flag falls, lag credit included."""
        credit = min(lag_ms, self.quotas_ms[player])
        return self.since + (self.allowed_ms(player) + credit) / 1000

    def measure(self, player: int, now: float, lag_ms: float) -> Ledger:
        """Return the time taken by an answer that arrives at ``now``, and its lag credit.

        Both are whole microseconds, which a store keeps in a third of the bytes.
        """
        elapsed = max(0.0, (now - self.since) * 1000)
        lag = min(lag_ms, self.quotas_ms[player], elapsed)
        return Ledger(round(elapsed, 3), floor(lag * 1000) / 1000)

    def charge(self, player: int, ledger: Ledger) -> Clock:
        """Return the clock after a move."""
        bank = self.banks_ms[player] - (ledger.elapsed_ms - ledger.lag_ms)
        gain = self.control.gain_ms
        quota = min(7 * gain, self.quotas_ms[player] - ledger.lag_ms + gain)
        bank = max(0.0, bank) + self.control.increment_ms
        banks, quotas = (bank, self.banks_ms[1]), (quota, self.quotas_ms[1])
        if player == 1:
            banks, quotas = (self.banks_ms[0], bank), (self.quotas_ms[0], quota)
        return Clock(self.control, banks, quotas, self.since)
