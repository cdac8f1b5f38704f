"""The publisher of some worlds: a process at the far end of a pipe, as a server has it."""

from functools import partial
from typing import Protocol

from mancala.protocol import codec
from mancala.server.health.child_process import ChildProgram, Parent, SupervisedProcess
from mancala.server.health.link import LinkLostError, LocalLink
from mancala.server.health.log import Log
from mancala.server.publish.child import PublisherChild
from mancala.server.publish.process import publish_for
from mancala.server.publish.publishing import TOLD, Outbox, PublisherHandover
from tests.simulate.broker import SimulatedBroker
from tests.simulate.child_process import ChildSetup, PipeEnd, SimulatedChild, link_over, pipe
from tests.simulate.plan import PUBLISHER
from tests.simulate.setup import Setup
from tests.simulate.trace import PlainLog


class PublisherSetup(ChildSetup, Protocol):
    """What a publisher needs of the world that it runs in."""

    @property
    def broker(self) -> SimulatedBroker: ...
    def utc(self) -> str: ...


async def publish(world: PublisherSetup, end: PipeEnd) -> None:
    handover = codec.from_json(await end.reader.readline(), PublisherHandover)
    log = PlainLog(world.trace)
    try:
        await publish_for(
            handover,
            Parent(link_over(end, log, "game server", TOLD), log),
            utc=world.utc,
            uniform=world.trace.rng.uniform,
            client=world.broker.client,
        )
    except* LinkLostError:
        pass


class PublisherOfWorld(PublisherChild):
    """A server's end of such a process; faults befall the process until the world is calm."""

    def __init__(self, world: Setup, outbox: Outbox) -> None:
        rng = world.trace.rng
        super().__init__(
            *(world.config, "mqtt://simulated", outbox, PlainLog(world.trace), rng.uniform),
            start=self._start,
        )
        self._world = world
        self._process: SimulatedChild | None = None

    async def _start(self, program: ChildProgram, log: Log) -> tuple[SupervisedProcess, LocalLink]:
        here, there = pipe(self._world, program)
        self._process = SimulatedChild(self._world, there, partial(publish, self._world, there))
        self._process.befall(PUBLISHER)
        return self._process, link_over(here, log, program.name, program.hears)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
