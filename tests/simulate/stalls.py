"""A loop that is held up: what falls due meanwhile is done at the end, messages before timers.

A real loop reads its sockets before it runs timers, unless a timer was due when the callback began
that holds it up: that timer runs right after it, before what has arrived meanwhile is read.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from mancala.server.health.fairness import Fairness
from mancala.server.health.loop_lag import INTERVAL_S, LoopLag
from tests.simulate.trace import RareEvent, Trace

SAME_TURN_S: Final = 0.005
"""A timer due this soon after the begin of a stall belongs to the same turn of the loop."""
PULSE_S: Final = 1.0

Call = Callable[[], object]


@dataclass(slots=True)
class Stalls:
    """The stalls of one server's loop.

    Attributes:
        run: runs a callback of the server, unless that was killed.
        last: when the last stall ended, or when a game last had to wait for the loop.
    """

    trace: Trace
    run: Callable[[Call], None]
    lag: LoopLag = field(default_factory=LoopLag)
    last: float = 0.0
    _began: float = 0.0
    _until: float = 0.0
    _messages: list[Call] = field(default_factory=list)
    _timers: list[tuple[float, asyncio.TimerHandle, Call]] = field(default_factory=list)

    @property
    def is_stalled(self) -> bool:
        return self.trace.now() < self._until

    @property
    def span(self) -> tuple[float, float]:
        return self._began, self._until

    def begin(self, seconds: float) -> None:
        """Hold the loop up, if it is not held up already."""
        if self.is_stalled:
            return
        self.trace.count(RareEvent.STALL, "server")
        self._began = self.trace.now()
        self._until = self._began + seconds
        self.lag.expect(self._began + self.trace.rng.uniform(0.0, INTERVAL_S))
        asyncio.get_running_loop().call_at(self._until, self._end)

    def postponed(self) -> None:
        """Note that a game has to wait: the server still remembers a stall."""
        self.trace.count(RareEvent.POSTPONED, "server")
        self.last = self.trace.now()

    def on_time(self) -> None:
        if not self.is_stalled:
            for _ in range(round(PULSE_S / INTERVAL_S)):
                self.lag.note(0.0)

    def message(self, call: Call) -> None:
        if self.is_stalled:
            self._messages.append(call)
        else:
            self.run(call)

    def timer(self, handle: asyncio.TimerHandle, call: Call) -> None:
        if self.is_stalled:
            self._timers.append((self.trace.now(), handle, call))
        else:
            self.run(call)

    def _end(self) -> None:
        self.last = self._until = self.trace.now()
        messages, timers = self._messages, self._timers
        self._messages, self._timers = [], []
        turn = self._began + SAME_TURN_S
        self._run_timers([row for row in timers if row[0] <= turn])
        for message in messages:
            self.run(message)
        self._run_timers([row for row in timers if row[0] > turn])
        self.lag.woken(self.trace.now())

    def _run_timers(self, timers: list[tuple[float, asyncio.TimerHandle, Call]]) -> None:
        for _due, handle, call in timers:
            if not handle.cancelled():
                self.run(call)


@dataclass(slots=True)
class CountedFairness(Fairness):
    """Counts the games that have to wait until the loop is on time again."""

    stalls: Stalls | None = None

    def may_begin(self) -> bool:
        may_begin = Fairness.may_begin(self)
        if not may_begin and self.stalls is not None:
            self.stalls.postponed()
        return may_begin
