"""The pace of all requests together, shared in turns by the networks that ask.

Work is taken up no faster than the pace. What has to wait is taken up in the order of start-time
fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996): each network's work begins where its former work
ends, and not before that of the work taken up last. So a network that asks for little waits for one
piece of work of each other one at most, however much they ask for.
"""

import asyncio
from collections.abc import Awaitable, Callable
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple


class _Waiting(NamedTuple):
    """A piece of work that waits for its turn: the least start is first, then the least number."""

    start: float
    number: int
    price: float
    turn: asyncio.Future[None]


class FairPace:
    """A pace that networks share."""

    def __init__(
        self,
        *,
        per_s: float,
        ahead_s: float,
        now: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        """Begin idle: ``per_s`` units of work a second, which may be ``ahead_s`` ahead."""
        self._per_s = per_s
        self._ahead_s = ahead_s
        self._now = now
        self._sleep = sleep
        self._taken_up_to = float("-inf")
        self._waiting: list[_Waiting] = []
        self._numbers = count()
        self._ends: dict[str, float] = {}
        self._begun = 0.0
        self._serving: asyncio.Task[None] | None = None

    async def take_turn(self, network: str, price: float) -> None:
        """Wait until a piece of work of a network may be done."""
        if self._serving is None and self._wait_s() <= 0:
            self._take_up(price)
            return
        start = max(self._begun, self._ends.get(network, 0.0))
        self._ends[network] = start + price
        turn = asyncio.get_running_loop().create_future()
        heappush(self._waiting, _Waiting(start, next(self._numbers), price, turn))
        if self._serving is None:
            self._serving = asyncio.create_task(self._serve(), name="pace")
        await turn

    async def _serve(self) -> None:
        """Take up what waits; end when nothing does."""
        while self._waiting:
            if (wait_s := self._wait_s()) > 0:
                await self._sleep(wait_s)
                continue
            work = heappop(self._waiting)
            if not work.turn.done():  # else its client is gone
                self._begun = work.start
                self._take_up(work.price)
                work.turn.set_result(None)
        self._ends.clear()
        self._begun = 0.0
        self._serving = None

    def _take_up(self, price: float) -> None:
        begin = max(self._taken_up_to, self._now() - self._ahead_s)
        self._taken_up_to = begin + price / self._per_s

    def _wait_s(self) -> float:
        return self._taken_up_to - self._now()
