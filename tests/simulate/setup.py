"""What bots and servers need of the world that they live in."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from mancala.server.config.settings import Config
from tests.simulate.broker import SimulatedBroker
from tests.simulate.disk import Disk
from tests.simulate.ledger import Transcript
from tests.simulate.plan import FaultPlan
from tests.simulate.seats import Seats
from tests.simulate.trace import Trace
from tests.simulate.wire import SimulatedServerEnd


class Setup(Seats, Protocol):
    """A world, as those in it see it; it is calm once nothing goes wrong any more."""

    @property
    def plan(self) -> FaultPlan: ...
    @property
    def trace(self) -> Trace: ...
    @property
    def ledger(self) -> Transcript: ...
    @property
    def broker(self) -> SimulatedBroker: ...
    @property
    def disk(self) -> Disk: ...
    @property
    def config(self) -> Config: ...
    @property
    def path(self) -> Path: ...

    @property
    def server_run(self) -> SimulatedServerEnd | None:
        """The running server; None between two runs."""

    @property
    def enters(self) -> Mapping[str, float]:
        """The bots that enter the event by themselves, and how long after a login, in seconds."""

    @property
    def is_calm(self) -> bool: ...
    @property
    def grace_s(self) -> float: ...
    def later(self, delay_s: float, call: Callable[[], object]) -> None: ...

    def hold_up(self, delay_s: float, length_s: float) -> None:
        """Hold the server's loop up for a while, after a time."""

    def revoke(self, name: str) -> None:
        """Revoke the token of a name, as its organiser does beside the server."""

    def reserve(self, name: str) -> None:
        """Issue a token for a name, and return it."""

    def lose_store(self) -> None: ...
    def new_id(self) -> str: ...
    def step(self) -> None: ...
