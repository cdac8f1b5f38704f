"""What the server asks of the system that it runs on, in one object.

The server gets time of day, randomness, ports, the writer's thread and the broker from here, and
clock, timers, tasks, connections and the executor from the event loop that it runs on. Nothing
below asks the system by itself: ruff forbids it (``banned-api`` in ``pyproject.toml``), and the few
modules that are the way to the system say so where they import it. So a simulation runs the same
server in virtual time, by another object and another loop.
"""

import asyncio
import time  # noqa: TID251  # this module is the way to it
from base64 import urlsafe_b64encode
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random, SystemRandom  # noqa: TID251  # this module is the way to it
from typing import Final

from ..config.settings import LiveConfig
from ..health.child_process import Start, start_process
from ..health.fairness import Fairness
from ..health.log import Log
from ..match.context import Context
from ..match.orders import Orders
from ..model.events import EventFactory
from ..model.journal import Journal
from ..model.timers import Spawn
from ..model.timestamps import rfc3339
from ..net.accepting import OpenPorts
from ..net.arrivals.segments import NO_SEGMENTS, SegmentLog
from ..net.listening import (
    Listen,
    ListenOnce,
    guarded_ports,
    listening_socket,
    listening_sockets,
)
from ..publish.broker import private_broker_if_any
from ..publish.publishing import NewClient
from ..store.database.writer import Writer

ID_BITS: Final = 48
SECRET_BYTES: Final = 24


def utc() -> str:
    """Return the time of day, RFC 3339 in UTC."""
    return rfc3339(datetime.now(UTC))  # noqa: TID251  # this module is the way to it


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """What a server is handed of the system.

    Attributes:
        rng: makes ids and secrets, picks moves and spreads attempts; not guessable.
        writer: makes the store's writer, called as the class is.
        new_client: makes the client of the MQTT broker, called as aiomqtt's is; None for the usual.
        listen: opens the sockets that fronts inherit.
        listen_once: opens the socket that the web process inherits.
        used: returns the processor time that the event loop has used, in seconds.
        start: starts a child process.
    """

    utc: Callable[[], str] = utc
    rng: Random = field(default_factory=SystemRandom)
    open_ports: OpenPorts = guarded_ports
    segments: SegmentLog = NO_SEGMENTS
    writer: Callable[..., Writer] = Writer
    new_client: NewClient | None = None
    listen: Listen = listening_sockets
    listen_once: ListenOnce = listening_socket
    used: Callable[[], float] = time.thread_time
    start: Start = start_process
    private_broker: Callable[[Log, Spawn], AbstractAsyncContextManager[str | None]] = (
        private_broker_if_any
    )

    def new_id(self) -> str:
        """Return an id for a game, match or challenge: 48 random bits, in hexadecimal."""
        return f"{self.rng.getrandbits(ID_BITS):0{ID_BITS // 4}x}"

    def new_secret(self) -> str:
        """Return a secret that can't be guessed."""
        return urlsafe_b64encode(self.rng.randbytes(SECRET_BYTES)).decode()

    def context(self, live: LiveConfig, journal: Journal, log: Log, fairness: Fairness) -> Context:
        """Return what the rooms of a server on the running event loop are handed."""
        loop, config = asyncio.get_running_loop(), live.now
        return Context(
            config=live,
            orders=Orders(self.utc),
            journal=journal,
            events=EventFactory(config.name, config.topics),
            now=loop.time,
            call_at=loop.call_at,
            utc=self.utc,
            new_id=self.new_id,
            new_secret=self.new_secret,
            pick=self.rng.choice,
            log=log,
            fairness=fairness,
        )
