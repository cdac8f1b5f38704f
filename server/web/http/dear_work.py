"""Dear work: a piece at a time, in turns of those who ask; equal requests share one.

What waits is bounded. Beyond the bound a newcomer displaces a piece of work of one that was served
since, or is refused. An asker is a network within larger ones (:func:`~mancala.server.net.limits.\
costs.layers_of`), each of which has its turn: so a stranger who holds thousands of networks in a
large one waits behind each visitor from elsewhere.
"""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final, Generic, TypeVar

from ...model.leases import Leases
from .responses import BusyError

ENDING: Final = "this process of the page is ending; try again in a moment"

T = TypeVar("T")
Asker = tuple[str, ...]


class DearWork(Generic[T]):
    """Pieces of work of one kind."""

    def __init__(self, *, most: int, lease_s: float, refusal: str) -> None:
        """Begin idle; who was served is known for ten times ``lease_s``."""
        self._most = most
        self._refusal = refusal
        self._leases = Leases(places=1, lease_s=lease_s)
        self._turns: dict[str, asyncio.Future[None]] = {}
        self._pending: dict[str, asyncio.Task[T]] = {}

    @property
    def is_idle(self) -> bool:
        return not self._leases.lent

    def expect_room(self, key: str, asker: Asker) -> bool:
        """Return whether a piece of work is new, for which there is room."""
        is_new = key not in self._pending
        if is_new and len(self._pending) >= self._most and not self._leases.displaced_by(asker):
            raise BusyError(self._refusal)
        return is_new

    async def get(self, key: str, asker: Asker, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return what is made under a key, once for all who ask meanwhile."""
        is_displacing = self.expect_room(key, asker) and len(self._pending) >= self._most
        if is_displacing and (last := self._leases.displaced_by(asker)) is not None:
            self._refuse(last)
        self._leases.ask(key, asker, self._now())
        if key not in self._pending:
            turn = self._turns[key] = asyncio.get_running_loop().create_future()
            task = asyncio.create_task(self._make(turn, make), name=f"dear work {key}")
            self._pending[key] = task
            task.add_done_callback(partial(self._forget, key))
            self._grant()
        piece = self._pending[key]
        await asyncio.wait([piece])  # it goes on when this request ends
        if piece.cancelled():
            raise BusyError(self._refusal)
        return piece.result()

    async def close(self) -> None:
        """Refuse all that is waited for, and all that is asked for from now on."""
        self._most, self._refusal = 0, ENDING
        await asyncio.gather(*map(self._refuse, list(self._pending)), return_exceptions=True)

    @staticmethod
    async def _make(turn: asyncio.Future[None], make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        await turn
        return await make()

    def _refuse(self, key: str) -> asyncio.Task[T]:
        piece = self._pending[key]
        self._drop(key)
        piece.cancel()
        return piece

    def _grant(self) -> None:
        for key in self._leases.grant(self._now()):
            self._turns[key].set_result(None)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _forget(self, key: str, task: asyncio.Task[T]) -> None:
        if self._pending.get(key) is task:
            self._drop(key)
            self._grant()
        if not task.cancelled():
            task.exception()  # those who wait have it, of whom there may be none

    def _drop(self, key: str) -> None:
        del self._pending[key], self._turns[key]
        self._leases.end(key)
