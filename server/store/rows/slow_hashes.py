"""Slow hashes of tokens that bots chose, computed beside the journal, at a bounded price.

A hash takes some milliseconds, and a stranger may ask for as many as it likes by naming a name that
is claimed. So they are computed one at a time, on a thread beside that of the journal, which rests
after each for ``REST`` times as long: they take at most a quarter of a core. The answers are
remembered, so that a transaction that checks a token again computes nothing.
"""

import asyncio
import hashlib
from collections import deque
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

REST: Final = 3
MOST_WAITING: Final = 64
"""Further ones are refused; these take about a second."""
REMEMBERED: Final = 1024


@lru_cache(maxsize=REMEMBERED)
def slow_hash(token: str, salt: str) -> str:
    """Return a token's scrypt with a salt, both in hexadecimal; repeated calls cost nothing."""
    key = hashlib.scrypt(token.encode(), salt=bytes.fromhex(salt), n=1024, r=8, p=1, dklen=32)
    return key.hex()


class _Wanted(NamedTuple):
    token: str
    salt: str
    then: Callable[[], None]


class SlowHashes:
    """Computes hashes one after the other."""

    def __init__(self) -> None:
        """Begin with none wanted."""
        self._wanted: deque[_Wanted] = deque()
        self._is_busy = False

    def compute(
        self, token: str, salt: str, then: Callable[[], None], refused: Callable[[], None]
    ) -> None:
        """Call ``then`` on the event loop once :func:`slow_hash` is known."""
        if len(self._wanted) >= MOST_WAITING:
            refused()
            return
        self._wanted.append(_Wanted(token, salt, then))
        if not self._is_busy:
            self._next()

    def close(self) -> None:
        """Forget those that wait; their ``then`` is not called."""
        self._wanted.clear()

    def _next(self) -> None:
        self._is_busy = bool(self._wanted)
        if self._is_busy:
            wanted = self._wanted.popleft()
            loop = asyncio.get_running_loop()
            began = loop.time()
            computing = loop.run_in_executor(None, slow_hash, wanted.token, wanted.salt)
            computing.add_done_callback(lambda _done: self._computed(wanted.then, began))

    def _computed(self, then: Callable[[], None], began: float) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(REST * (loop.time() - began), self._next)
        then()
