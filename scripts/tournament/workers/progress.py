"""What a worker is doing, in memory that it shares with the process that started it.

The worker writes its game, whose answer it waits for, and every move. A thread of it counts a beat
every `BEAT_S`. So its owner knows a player that hangs from a process that is stopped, and still has
the moves of the game when it kills either.
"""

from __future__ import annotations

import threading
import time
from ctypes import Structure, c_double, c_int32, c_int64, c_uint8, c_uint32, c_uint64
from typing import Any, Final

from mancala.server.contest.headless.progress import Progress, Unfinished

BEAT_S: Final = 0.5
MOST_PLIES: Final = 8192
"""Moves of a game that are kept; further ones are left out."""
NO_GAME: Final = -1


class Slot(Structure):
    """The shared memory of one worker.

    Attributes:
        beats: grows while the process runs.
        steps: grows whenever a game gets further.
        game: number of the game being played; `NO_GAME` between games.
        seat: the player whose answer is awaited.
        limit_s: seconds that the answer may take.
        plies: moves so far.
        pits: the pits sown.
    """

    _fields_ = (
        ("beats", c_uint64),
        ("steps", c_uint64),
        ("game", c_int64),
        ("seat", c_int32),
        ("limit_s", c_double),
        ("plies", c_uint32),
        ("pits", c_uint8 * MOST_PLIES),
    )
    beats: int
    steps: int
    game: int
    seat: int
    limit_s: float
    plies: int
    pits: Any  # an array of bytes

    def unfinished(self) -> Unfinished | None:
        """Return the game being played; None between games."""
        if self.game == NO_GAME:
            return None
        return Unfinished(self.game, self.seat, tuple(self.pits[: self.plies]), self.limit_s)


class SharedProgress(Progress):
    """Writes a worker's progress into its slot."""

    def __init__(self, slot: Slot) -> None:
        self._slot = slot

    def begin(self, game: int, limit_s: float) -> None:
        """Begin a game, and do what it needs, at most for a time."""
        self._slot.plies = 0
        self._slot.seat = 0
        self._slot.limit_s = limit_s
        self._slot.game = game
        self._slot.steps += 1

    def ask(self, seat: int, limit_s: float) -> None:
        """Wait for a player's answer, at most for a time."""
        self._slot.seat = seat
        self._slot.limit_s = limit_s
        self._slot.steps += 1

    def moved(self, pit: int) -> None:
        """Add a move."""
        if self._slot.plies < MOST_PLIES:
            self._slot.pits[self._slot.plies] = pit
            self._slot.plies += 1

    def end(self) -> None:
        """End the game."""
        self._slot.game = NO_GAME
        self._slot.steps += 1


def keep_beating(slot: Slot) -> None:
    """Count beats in a thread, for as long as this process runs."""

    def beat() -> None:
        while True:
            slot.beats += 1
            time.sleep(BEAT_S)

    threading.Thread(target=beat, name="beat", daemon=True).start()
