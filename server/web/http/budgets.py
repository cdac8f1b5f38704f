"""What each address may make the web do: a request beyond the budget waits, then is refused.

A client sends its next request when it has the answer to the last. So letting a request wait for a
second or two slows a flood down at no cost, while a person behind the same router notices little.
Only what would wait longer is refused, with 429 and the time after which it is worth trying again.

All addresses together are paced (:mod:`mancala.server.web.http.fair_pace`): requests are taken up
in turns, and no faster than leaves the process idle half of the time. A process that never runs for
long gets a processor as soon as it asks for one, also on a machine that its games keep busy; so
health is answered in time.

Pictures take a hundred times as long as a page. They are drawn one at a time, in a thread, behind a
bound of their own (:mod:`mancala.server.web.http.dear_work`).

Prices are those of :mod:`mancala.server.net.limits.costs`. Every request pays for itself, and for a
query of the store when it makes one. Health and metrics have a budget of their own: a crowd of
viewers at one address must not make a server seem dead to a monitor at the same address.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from math import ceil
from typing import Any, Final

from starlette.types import Scope

from ...net.limits.costs import HTTP_ANALYSIS, AddressBudgets, TokenBucket, layers_of, network_of
from ...net.limits.gate import Gate
from .dear_work import Asker, DearWork
from .fair_pace import FairPace
from .responses import Body, BusyError, TooManyRequestsError

LONGEST_WAIT_S: Final = 2.0
PACE_PER_S: Final = 10_000.0
"""Units a second of all addresses: half a core."""
AHEAD_S: Final = 0.02
"""How far requests may be ahead of that pace."""
OPERATIONS: Final = frozenset({"/healthz", "/readyz", "/metrics"})
OPERATIONS_PER_S: Final = 2000.0
"""A hundred questions for health a second, at a tenth of a core."""

DRAWING: Final = "drawing"
"""Pictures together have the turns of one network."""
PART: Final = 300
"""Units of a picture that take a turn; pages of others wait for one such at most."""
MOST_DRAWN: Final = 16
"""Pictures that are drawn or wait: seven seconds of the pace, or 19 if all are of the longest games
on the largest boards; who waits too long for that is refused (:mod:`.middleware`)."""
DRAWING_LEASE_S: Final = 6.0
TOO_MANY_PICTURES: Final = "too many pictures are being drawn; try again in a moment"

MOST_ANALYSES: Final = 4
"""Positions of one address that are analysed or wait for it; half of those that may wait."""


class HttpBudgets:
    def __init__(
        self,
        gate: Gate,
        *,
        now: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Begin with full budgets; those for the page and the API are the gate's."""
        self._gate = gate
        self._now = now
        self._sleep = sleep
        self._pace = FairPace(per_s=PACE_PER_S, ahead_s=AHEAD_S, now=now, sleep=sleep)
        self._analyses: Counter[str] = Counter()
        self._drawing: DearWork[Body] = DearWork(
            most=MOST_DRAWN, lease_s=DRAWING_LEASE_S, refusal=TOO_MANY_PICTURES
        )
        self._operations = AddressBudgets(lambda: (OPERATIONS_PER_S, OPERATIONS_PER_S))

    async def pay(self, scope: Scope, price: float) -> None:
        """Pay for a piece of work; wait first if the address has overdrawn its budget."""
        await self._afford(scope, price)
        if scope["path"] not in OPERATIONS and price != HTTP_ANALYSIS:  # another process does that
            await self._pace.take_turn(network_of(address_of(scope)), price)

    async def share(
        self, scope: Scope, price: float, key: str, make: Callable[[], Coroutine[Any, Any, Body]]
    ) -> Body:
        """Return what is drawn under a key, once for all who ask meanwhile; the first one pays."""
        asker = asker_of(scope)

        async def paced() -> Body:
            for paid in range(0, ceil(price), PART):
                await self._pace.take_turn(DRAWING, min(PART, price - paid))
            return await make()

        if self._drawing.expect_room(key, asker):
            await self._afford(scope, price)
        return await self._drawing.get(key, asker, paced)

    async def _afford(self, scope: Scope, price: float) -> None:
        now = self._now()
        budget = self._budget_of(scope, now)
        wait_s = budget.wait_s(now)
        if wait_s > LONGEST_WAIT_S:
            await self._sleep(LONGEST_WAIT_S)
            raise TooManyRequestsError(ceil(wait_s - LONGEST_WAIT_S))
        budget.take(price, now)
        if wait_s > 0:
            await self._sleep(wait_s)

    @contextmanager
    def place(self, scope: Scope, price: float) -> Iterator[None]:
        """Hold one of the address's places for an analysis, or raise; other work needs none."""
        if price < HTTP_ANALYSIS:
            yield
            return
        network = network_of(address_of(scope))
        if self._analyses[network] >= MOST_ANALYSES:
            detail = f"{MOST_ANALYSES} positions are being analysed for your address; try again"
            raise BusyError(f"{detail} in a moment")
        self._analyses[network] += 1
        try:
            yield
        finally:
            self._analyses[network] -= 1
            if not self._analyses[network]:
                del self._analyses[network]

    def _budget_of(self, scope: Scope, now: float) -> TokenBucket:
        address = address_of(scope)
        if scope["path"] in OPERATIONS:
            return self._operations.of(address, now)
        return self._gate.address_budget(address, now)


def asker_of(scope: Scope) -> Asker:
    return layers_of(address_of(scope))


def address_of(scope: Scope) -> str:
    """Return the address that a request comes from; empty where there is none."""
    return str((scope.get("client") or ("", 0))[0])
