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
    """A world, as those in it see it."""

    @property
    def plan(self) -> FaultPlan:
        """What happens in it."""

    @property
    def trace(self) -> Trace:
        """Its log and its random generator."""

    @property
    def ledger(self) -> Transcript:
        """What was said."""

    @property
    def broker(self) -> SimulatedBroker:
        """The broker."""

    @property
    def disk(self) -> Disk:
        """Where the store is."""

    @property
    def config(self) -> Config:
        """The server's settings."""

    @property
    def path(self) -> Path:
        """The store."""

    @property
    def server_run(self) -> SimulatedServerEnd | None:
        """The running server; None between two runs."""

    @property
    def enters(self) -> Mapping[str, float]:
        """The bots that enter the event by themselves, and how long after a login, in seconds."""

    @property
    def is_calm(self) -> bool:
        """Whether nothing goes wrong any more."""

    @property
    def grace_s(self) -> float:
        """How long a seat is kept."""

    def later(self, delay_s: float, call: Callable[[], object]) -> None:
        """Call back after a time."""

    def hold_up(self, delay_s: float, length_s: float) -> None:
        """Hold the server's loop up for a while, after a time."""

    def revoke(self, name: str) -> None:
        """Revoke the token of a name, as its organiser does beside the server."""

    def reserve(self, name: str) -> None:
        """Issue a token for a name, and return it."""

    def lose_store(self) -> None:
        """Stop the server, whose store takes nothing more."""

    def new_id(self) -> str:
        """Return an id that no other has."""

    def step(self) -> None:
        """Take note of a step of the server."""
