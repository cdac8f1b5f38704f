"""A program as its user runs it: in one process after the other, some of which are killed."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Protocol

from tests.simulate.full_stack.host import SimulatedHost
from tests.simulate.full_stack.network import SharedLink
from tests.simulate.ledger import Transcript
from tests.simulate.trace import Trace


class Venue(Protocol):
    """What a program needs of the world that it runs in."""

    trace: Trace
    ledger: Transcript
    folder: Path
    grace_s: float
    is_calm: bool

    def later(self, delay_s: float, call: Callable[[], object]) -> None: ...

    def line_of(self, name: str) -> SharedLink | None:
        """Return the connection on which a bot was welcomed last."""

    def note(self, error: BaseException) -> None: ...


class SimulatedProgram(ABC):
    """One program over all its processes.

    Attributes:
        away_s: how long it stays away after a process that has ended by itself: least and most.
    """

    away_s: ClassVar[tuple[float, float]]

    def __init__(self, venue: Venue, name: str, address: str) -> None:
        self.name = name
        self.is_done = False
        self._venue = venue
        self._trace = venue.trace
        self._address = address
        self._host: SimulatedHost | None = None
        self._stop: asyncio.Event | None = None

    @property
    @abstractmethod
    def delay_s(self) -> float:
        """Mean time of its packets on their way."""

    @abstractmethod
    async def main(self, stop: asyncio.Event) -> None:
        """Run until the end, or until asked to stop. What it raises is a fault."""

    def start(self) -> None:
        """Start a process, unless one runs or the program has left for good."""
        if self._host is None and not self.is_done:
            self._host = SimulatedHost(self.name, self._address, delay_s=self.delay_s)
            self._stop = asyncio.Event()
            self._host.start(self._live(self._host, self._stop), self.name)

    def start_later(self) -> None:
        self._venue.later(self._trace.rng.uniform(*self.away_s), self.start)

    def ask_to_stop(self) -> None:
        if self._stop is not None:
            self._stop.set()

    def kill(self) -> None:
        if self._host is not None:
            self._host.kill()
            self._host = self._stop = None

    @abstractmethod
    def calm_down(self) -> None:
        """Stop injecting faults and log out."""

    async def _live(self, host: SimulatedHost, stop: asyncio.Event) -> None:
        try:
            await self.main(stop)
        except Exception as error:  # noqa: BLE001  # the world's to report
            if not host.is_dead:
                self._venue.note(error)
        if not host.is_dead:
            self._host = self._stop = None
            self.is_done = self.is_done or self._venue.is_calm
            if not self.is_done:
                self.start_later()
