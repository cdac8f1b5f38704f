"""A program as its user runs it: in one process after the other, some of which are killed.

One is a spectator of the ladder, which at times asks for much and reads nothing.
"""

import asyncio
import random
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Final, Protocol

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from mancala.protocol import codec
from mancala.protocol.messages import VERSION, Hello, List, Listable, Message, Watch
from tests.simulate.faults import LADDER
from tests.simulate.full_stack.host import SimulatedHost
from tests.simulate.full_stack.network import SharedLink
from tests.simulate.full_stack.server_run import ADDRESS, PORT
from tests.simulate.ledger import Transcript
from tests.simulate.plan import FaultPlan
from tests.simulate.trace import RareEvent, Trace


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


PLACE: Final = "192.0.2.77"
PRESENT: Final = 0.5
"""The share of worlds that have one."""
DELAY_S: Final = 0.02
DEAF: Final = 0.02
"""Probability that it stops reading, for each message that it reads."""
QUESTIONS: Final = (100, 300, 900)
DEAF_S: Final = (1.0, 20.0)


class SimulatedSpectator(SimulatedProgram):
    """One spectator over all its processes."""

    away_s = 0.1, 3.0
    delay_s = DELAY_S

    def calm_down(self) -> None:
        self.kill()
        self.is_done = True

    async def main(self, stop: asyncio.Event) -> None:  # noqa: ARG002  # it never leaves by itself
        """Watch until the connection is lost."""
        try:
            async with connect(f"ws://{ADDRESS}:{PORT}", ping_interval=None) as connection:
                await self._watch(connection)
        except (OSError, WebSocketException) as error:
            self._trace.tell(self.name, f"it lost its connection: {error!r}")

    async def _watch(self, connection: ClientConnection) -> None:
        await _say(connection, Hello(VERSION, self.name))
        await connection.recv()
        await _say(connection, Watch(ladder=LADDER))
        while True:
            await connection.recv()
            if self._trace.happens(DEAF):
                self._trace.count(RareEvent.DEAF, self.name)
                for _ in range(self._trace.rng.choice(QUESTIONS)):
                    await _say(connection, List(self._trace.rng.choice(tuple(Listable))))
                await asyncio.sleep(self._trace.rng.uniform(*DEAF_S))


async def _say(connection: ClientConnection, message: Message) -> None:
    await connection.send(codec.encode(message).decode())


def draw_spectators(venue: Venue, plan: FaultPlan) -> list[SimulatedSpectator]:
    rng = random.Random(f"spectator {plan.seed}")
    return [SimulatedSpectator(venue, "spectator", PLACE)] if rng.random() < PRESENT else []
