"""A worker process: it makes one call after the other, and says in shared memory how far it is.

It writes its game, whose answer it waits for, and every move; a thread of it counts a beat every
`BEAT_S`. So its owner (`mancala.server.contest.workers.pool`) knows a player that hangs from a
process that is stopped, and still has the moves of the game when it kills either. Another thread
ends the worker with its owner, however that one ended: a plain child stays behind.
"""

import multiprocessing
import os
import pickle
import signal
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from ctypes import Structure, c_double, c_int32, c_int64, c_uint8, c_uint32, c_uint64
from multiprocessing.connection import Connection, wait
from typing import Any, Final

from ..headless.game import NO_PROGRESS, Progress, Unfinished

BEAT_S: Final = 0.5
MOST_PLIES: Final = 8192
"""Moves of a game that are kept; further ones are left out."""
NO_GAME: Final = -1


class Slot(Structure):
    """The shared memory of one worker.

    Attributes:
        game: number of the game being played; `NO_GAME` between games.
        limit_s: seconds that the answer may take.
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
    pits: Any

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
        self._slot.plies = 0
        self.ask(0, limit_s)
        self._slot.game = game

    def ask(self, seat: int, limit_s: float) -> None:
        self._slot.seat = seat
        self._slot.limit_s = limit_s
        self._slot.steps += 1

    def moved(self, pit: int) -> None:
        if self._slot.plies < MOST_PLIES:
            self._slot.pits[self._slot.plies] = pit
            self._slot.plies += 1

    def end(self) -> None:
        self._slot.game = NO_GAME
        self._slot.steps += 1


_progress: Progress = NO_PROGRESS
_ending: list[Callable[[], None]] = []


def on_exit(call: Callable[[], None]) -> None:
    """Call a function when this worker is terminated or its owner has ended."""
    _ending.append(call)


def progress() -> Progress:
    """Return where this worker's progress is written; nowhere outside of a pool."""
    return _progress


def work(pipe: Connection, slot: Slot) -> None:
    """Make the calls that come through a pipe, until it is closed."""
    global _progress  # noqa: PLW0603  # set once, before the first call
    _begin()
    _in_thread("beat", _beat, slot)
    _progress = SharedProgress(slot)
    with suppress(EOFError, OSError):
        while True:
            call, arguments = pipe.recv()
            _reply(pipe, *_made(call, arguments))
    os._exit(0)


def _begin() -> None:
    """Leave Ctrl-C to the owner; clean up when terminated or when the owner ended."""

    def end(*_: object) -> None:
        for call in _ending:
            call()
        os._exit(0)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGTERM, end)
    _in_thread("owner", _end_with_owner)


def _in_thread(name: str, call: Callable[..., None], *arguments: object) -> None:
    threading.Thread(target=call, args=arguments, name=name, daemon=True).start()


def _end_with_owner() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)


def _beat(slot: Slot) -> None:
    while True:
        slot.beats += 1
        time.sleep(BEAT_S)


def _made(call: Callable[..., object], arguments: tuple[object, ...]) -> tuple[bool, object]:
    try:
        return True, call(*arguments)
    except Exception as error:  # noqa: BLE001  # it is raised by the owner
        error = _portable(error)
        error.add_note(f"in a worker:\n{traceback.format_exc()}")
        return False, error


def _portable(error: Exception) -> Exception:
    """Return an error as its owner can read it; by its text, if it is not made from its text."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301  # our own
    except Exception:  # noqa: BLE001  # whatever its class asks for
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _reply(pipe: Connection, is_result: bool, outcome: object) -> None:  # noqa: FBT001  # a pair
    try:
        pipe.send((is_result, outcome))
    except (AttributeError, TypeError, ValueError) as error:
        pipe.send((False, RuntimeError(f"{outcome!r} cannot be sent back: {error}")))
