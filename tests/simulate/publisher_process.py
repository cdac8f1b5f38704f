"""The publisher of some in-process worlds: a process at the far end of a pipe, as a server has it.

The process and the way to it are simulated, and nothing else: what supervises it, the link, what
either end says on it, and the publisher itself are the product's. What is written arrives late and
in pieces. At times the process is killed or hangs, and has to be replaced.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from mancala.protocol import codec
from mancala.server.health.child_process import BEAT_S, ChildProgram, Parent, SupervisedProcess
from mancala.server.health.link import LinkLostError, LocalLink
from mancala.server.health.log import Log
from mancala.server.publish.child import PublisherChild
from mancala.server.publish.process import LONGEST_LINE, publish_for
from mancala.server.publish.publishing import TOLD, Outbox, PublisherHandover
from tests.simulate.plan import PUBLISHER
from tests.simulate.setup import Setup
from tests.simulate.trace import PlainLog, RareEvent, Trace
from tests.simulate.wire import Direction

PIPE_S: Final = 0.001
"""Mean time of a piece on its way."""
SPLIT: Final = 0.05
"""Probability that what is written at one time arrives at two."""
START_S: Final = 0.2
"""Mean time until a process listens."""
TROUBLE_S: Final = (5.0, 40.0)
"""Time between two faults of the process: the least and the most."""
HANGS: Final = 0.5
"""The share of them in which it hangs."""
KILLED: Final = -9


class PipeEnd:
    """One end of a pipe, as a link writes to it; its reader has what arrives.

    Attributes:
        is_deaf: whether what arrives is left unread.
    """

    peer: PipeEnd

    def __init__(self, trace: Trace) -> None:
        self.reader = asyncio.StreamReader(limit=LONGEST_LINE)
        self.transport = self
        self.is_deaf = False
        self._trace = trace
        self._away = Direction(trace, asyncio.get_running_loop().call_later, PIPE_S)
        self._is_closing = False

    def write(self, data: bytes) -> None:
        """Let data arrive later, perhaps in two pieces."""
        if self._is_closing:
            return
        cut = self._trace.rng.randrange(len(data)) if self._trace.happens(SPLIT) else 0
        for piece in filter(None, (data[:cut], data[cut:])):
            self._away.send(partial(self.peer.take, piece))

    def take(self, data: bytes) -> None:
        """Take what arrives."""
        if not (self.is_deaf or self._is_closing):
            self.reader.feed_data(data)

    async def drain(self) -> None:
        """Return: the kernel takes all."""

    def get_write_buffer_size(self) -> int:
        """Return 0: the kernel takes all."""
        return 0

    def is_closing(self) -> bool:
        """Return whether it is closed."""
        return self._is_closing

    def close(self) -> None:
        """Read and write nothing more; the other end learns it later."""
        if not self._is_closing:
            self._is_closing = True
            self.reader.feed_eof()
            self._away.send(self.peer.end)

    def end(self) -> None:
        """Learn that the other end is closed."""
        if not self._is_closing:
            self.reader.feed_eof()


def pipe(trace: Trace) -> tuple[PipeEnd, PipeEnd]:
    """Return the two ends of a pipe."""
    here, there = PipeEnd(trace), PipeEnd(trace)
    here.peer, there.peer = there, here
    return here, there


def _link(end: PipeEnd, log: Log, peer: str, hears: Mapping[str, Any]) -> LocalLink:
    writer: Any = end  # it has the methods that are used
    return LocalLink(end.reader, writer, log, peer, hears)


class PublisherProcess:
    """A process that publishes, and gives a pulse."""

    def __init__(self, world: Setup, end: PipeEnd) -> None:
        self.stdout = asyncio.StreamReader()
        self._world = world
        self._end = end
        self._log = PlainLog(world.trace)
        self._code: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._tasks = [asyncio.create_task(each) for each in (self._publish(), self._beat())]
        self._tasks[0].add_done_callback(self._note_end)

    async def _publish(self) -> None:
        rng = self._world.trace.rng
        await asyncio.sleep(rng.expovariate(1 / START_S))
        handover = codec.from_json(await self._end.reader.readline(), PublisherHandover)
        link = _link(self._end, self._log, "game server", TOLD)
        try:
            await publish_for(
                handover,
                Parent(link, self._log),
                utc=self._world.utc,
                uniform=rng.uniform,
                client=self._world.broker.client,
            )
        except* LinkLostError:
            pass

    async def _beat(self) -> None:
        while True:
            self.stdout.feed_data(b".")
            await asyncio.sleep(BEAT_S)

    def hang(self) -> None:
        """Do nothing more, and keep all that is open."""
        self._tasks[0].remove_done_callback(self._note_end)
        self._end.is_deaf = True
        for task in self._tasks:
            task.cancel()

    def terminate(self) -> None:
        """End as a process does that catches no signal."""
        self.kill()

    def kill(self) -> None:
        """End."""
        self._finish(KILLED)

    async def wait(self) -> int:
        """Return its exit code once it has ended."""
        return await asyncio.shield(self._code)

    @property
    def has_ended(self) -> bool:
        """Whether it has ended."""
        return self._code.done()

    def _note_end(self, publishing: asyncio.Task[None]) -> None:
        failed = not publishing.cancelled() and publishing.exception() is not None
        self._finish(int(failed))
        if failed and (error := publishing.exception()) is not None:
            raise error

    def _finish(self, code: int) -> None:
        if not self._code.done():
            self._code.set_result(code)
            self._end.close()
            self.stdout.feed_eof()
            for task in self._tasks:
                task.cancel()


class PublisherOfWorld(PublisherChild):
    """A server's end of such a process; faults befall the process until the world is calm."""

    def __init__(self, world: Setup, outbox: Outbox) -> None:
        rng = world.trace.rng
        super().__init__(
            *(world.config, "mqtt://simulated", outbox, PlainLog(world.trace), rng.uniform),
            start=self._start,
        )
        self._world = world
        self._process: PublisherProcess | None = None
        self._has_faults = PUBLISHER not in world.plan.without

    async def _start(self, program: ChildProgram, log: Log) -> tuple[SupervisedProcess, LocalLink]:
        here, there = pipe(self._world.trace)
        here.write(codec.to_json(program.handover()) + b"\n")
        self._process = PublisherProcess(self._world, there)
        if self._has_faults:
            delay_s = self._world.trace.rng.uniform(*TROUBLE_S)
            self._world.later(delay_s, partial(self._trouble, self._process))
        return self._process, _link(here, log, program.name, program.hears)

    def _trouble(self, process: PublisherProcess) -> None:
        """Kill a process, or let it hang."""
        if self._world.is_calm or process.has_ended:
            return
        if self._world.trace.happens(HANGS):
            self._world.trace.count(RareEvent.PUBLISHER_HUNG, "publisher")
            process.hang()
        else:
            self._world.trace.count(RareEvent.PUBLISHER_KILLED, "publisher")
            process.kill()

    def kill(self) -> None:
        """End the process with its server."""
        if self._process is not None:
            self._process.kill()
