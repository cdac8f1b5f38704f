"""What befalls a simulated store: it is locked by others, refuses a piece of work, or is full.

One kind in a world, and none once the world is calm. A lock is waited for, so no peer notices it. A
piece that is refused, as one that breaks a constraint, fails alone: the game ends there and does
not count, or the bot hears of it. A full disk breaks the store: the server announces nothing more
and stops, as the app does; the next one finds room.
"""

import random
import sqlite3
from collections.abc import Callable
from enum import Enum, auto
from typing import Any, Final

from mancala.server.model.journal import LadderJoined, MovePlayed, ReviewStored, SessionOpened
from mancala.server.store.database.writer import LOCKED_TRIES
from tests.simulate.promises import NOTICED_S, Promise, broken
from tests.simulate.trace import RareEvent, Trace


class DiskTrouble(Enum):
    """What befalls the store of a world."""

    NONE = auto()
    LOCKED = auto()
    REFUSING = auto()
    FULL = auto()


NO_ROOM: Final = "database or disk is full"
KINDS: Final = (DiskTrouble.NONE, *DiskTrouble)
"""Two worlds of five have a store without trouble."""
LOCKED: Final = 0.02
REFUSED: Final = 0.02
FULL: Final = 0.004
"""Probabilities for a group of work, for a piece of it, and for a group."""
REFUSABLE: Final = (MovePlayed, SessionOpened, LadderJoined, ReviewStored)
"""The first entries of pieces whose refusal the server tells someone."""


class Disk:
    """The disk of a world, over all restarts.

    Attributes:
        is_full: whether it takes nothing more; the next server finds room.
    """

    def __init__(
        self, seed: int, trace: Trace, is_calm: Callable[[], bool], *, is_sound: bool
    ) -> None:
        self._rng = random.Random(f"disk {seed}")
        self._kind = DiskTrouble.NONE if is_sound else self._rng.choice(KINDS)
        self._trace = trace
        self._is_calm = is_calm
        self._locked_for = 0
        self._full_since: float | None = None
        self._has_been_full = False

    @property
    def is_full(self) -> bool:
        return self._full_since is not None

    @property
    def is_refusing(self) -> bool:
        return self._kind is DiskTrouble.REFUSING

    def make_room(self) -> None:
        """Let the next server find room; what the former one logged of it was no fault."""
        self._full_since = None
        alarms = self._trace.alarms
        alarms[:] = [alarm for alarm in alarms if NO_ROOM not in alarm]

    def fault(self, *, is_written: bool) -> Exception | None:
        """Return the error of an attempt to do a group of work, or None.

        Args:
            is_written: whether the work may write; to read takes no room.
        """
        if self._locked_for:
            self._locked_for -= 1
        elif self._happens(DiskTrouble.LOCKED, LOCKED):
            self._trace.count(RareEvent.DISK_LOCKED)
            self._locked_for = self._rng.randint(1, LOCKED_TRIES)
        if self._locked_for:
            return _operational("database is locked", "SQLITE_BUSY")
        if not is_written:
            return None
        if not self._has_been_full and self._happens(DiskTrouble.FULL, FULL):
            self._trace.count(RareEvent.DISK_FULL)
            self._has_been_full, self._full_since = True, self._trace.now()
        return _operational(NO_ROOM, "SQLITE_FULL") if self.is_full else None

    def refuses(self, entries: Any) -> bool:  # noqa: ANN401  # what the work has, journal entries or not
        is_some = isinstance(entries, list | tuple) and bool(entries)
        if not is_some or not isinstance(entries[0], REFUSABLE):
            return False
        is_refused = self._happens(DiskTrouble.REFUSING, REFUSED)
        if is_refused:
            self._trace.count(RareEvent.WORK_REFUSED)
        return is_refused

    def check(self) -> None:
        """Check that no server goes on whose store takes nothing."""
        if self._full_since is not None and self._trace.now() - self._full_since > NOTICED_S:
            broken(Promise.STOPS, f"the disk is full since {self._full_since:g}")

    def _happens(self, kind: DiskTrouble, probability: float) -> bool:
        return self._kind is kind and not self._is_calm() and self._rng.random() < probability


def _operational(message: str, name: str) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError(message)
    error.sqlite_errorname = name
    return error
