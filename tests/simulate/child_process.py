"""Child processes of simulated servers: each at the far end of a pipe, as a server has it.

The process and the way to it are simulated, and nothing else: what supervises it, the link, what
either end says on it, and the work of the process are the product's. What is written arrives late
and in pieces. At times a process is killed or hangs, and has to be replaced.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any, Final, Protocol

from mancala.protocol import codec
from mancala.server.health.child_process import BEAT_S, ChildProgram
from mancala.server.health.link import LocalLink
from mancala.server.health.log import Log
from mancala.server.publish.process import LONGEST_LINE
from tests.simulate.plan import FRONTS, PAGE, PUBLISHER, FaultPlan
from tests.simulate.trace import RareEvent, Trace
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
TROUBLES: Final = {
    FRONTS: (RareEvent.FRONT_KILLED, RareEvent.FRONT_HUNG),
    PUBLISHER: (RareEvent.PUBLISHER_KILLED, RareEvent.PUBLISHER_HUNG),
    PAGE: (RareEvent.WEB_KILLED, RareEvent.WEB_HUNG),
}
"""By the fault of a plan, what is counted where a process is killed, and where it hangs."""


def _ignore(_lines: bytes) -> None:
    """Note nothing."""


class ChildSetup(Protocol):
    """What a child process needs of the world that it runs in."""

    @property
    def trace(self) -> Trace: ...

    @property
    def plan(self) -> FaultPlan:
        """What may go wrong."""

    @property
    def is_calm(self) -> bool: ...
    def later(self, delay_s: float, call: Callable[[], object]) -> None: ...


class PipeEnd:
    """One end of a pipe, as a link writes to it; its reader has what arrives.

    Attributes:
        is_deaf: whether what arrives is left unread.
        on_write: called with what is written here.
        on_take: called with what arrives here, before it is read.
    """

    peer: PipeEnd

    def __init__(self, world: ChildSetup, longest_line: int) -> None:
        self.reader = asyncio.StreamReader(limit=longest_line)
        self.transport = self
        self.is_deaf = False
        self.on_write: Callable[[bytes], None] = _ignore
        self.on_take: Callable[[bytes], None] = _ignore
        self._trace = world.trace
        self._away = Direction(world.trace, world.later, PIPE_S)
        self._is_closing = False

    def write(self, data: bytes) -> None:
        """Let data arrive later, perhaps in two pieces."""
        if self._is_closing:
            return
        self.on_write(data)
        cut = self._trace.rng.randrange(len(data)) if self._trace.happens(SPLIT) else 0
        for piece in filter(None, (data[:cut], data[cut:])):
            self._away.send(partial(self.peer.take, piece))

    def take(self, data: bytes) -> None:
        if not (self.is_deaf or self._is_closing):
            self.on_take(data)
            self.reader.feed_data(data)

    async def drain(self) -> None:
        """Return: the kernel takes all."""

    def get_write_buffer_size(self) -> int:
        """Return 0: the kernel takes all."""
        return 0

    def is_closing(self) -> bool:
        return self._is_closing

    def close(self) -> None:
        """Read and write nothing more; the other end learns it later."""
        if not self._is_closing:
            self._is_closing = True
            self.reader.feed_eof()
            self._away.send(self.peer.end)

    abort = close

    def end(self) -> None:
        if not self._is_closing:
            self.reader.feed_eof()


def pipe_of(world: ChildSetup, here_reads: int, there_reads: int) -> tuple[PipeEnd, PipeEnd]:
    """Return the ends of a pipe, with the longest line that each reads, in bytes."""
    here, there = PipeEnd(world, here_reads), PipeEnd(world, there_reads)
    here.peer, there.peer = there, here
    return here, there


def pipe(world: ChildSetup, program: ChildProgram) -> tuple[PipeEnd, PipeEnd]:
    """Return the server's end of a pipe to a program, with its handover written, and the other."""
    here, there = pipe_of(world, program.longest_line, LONGEST_LINE)
    here.write(codec.to_json(program.handover()) + b"\n")
    return here, there


def link_over(end: PipeEnd, log: Log, peer: str, hears: Mapping[str, Any]) -> LocalLink:
    writer: Any = end  # it has the methods that are used
    return LocalLink(end.reader, writer, log, peer, hears)


class SimulatedChild:
    """A process that does some work, and gives a pulse."""

    def __init__(
        self, world: ChildSetup, end: PipeEnd, work: Callable[[], Coroutine[Any, Any, None]]
    ) -> None:
        self.stdout = asyncio.StreamReader()
        self._world = world
        self._end = end
        self._work = work
        self._code: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._tasks = [asyncio.create_task(each) for each in (self._run(), self._beat())]
        self._tasks[0].add_done_callback(self._note_end)

    async def _run(self) -> None:
        await asyncio.sleep(self._world.trace.rng.expovariate(1 / START_S))
        await self._work()

    async def _beat(self) -> None:
        while True:
            self.stdout.feed_data(b".")
            await asyncio.sleep(BEAT_S)

    def befall(self, fault: str) -> None:
        """Let it be killed or hang after a time, if the plan has that and the world isn't calm."""
        if fault not in self._world.plan.without:
            delay_s = self._world.trace.rng.uniform(*TROUBLE_S)
            self._world.later(delay_s, partial(self._trouble, *TROUBLES[fault]))

    def _trouble(self, killed: RareEvent, hung: RareEvent) -> None:
        trace = self._world.trace
        if self._world.is_calm or self._code.done():
            return
        if trace.happens(HANGS):
            trace.count(hung, "child")
            self.hang()
        else:
            trace.count(killed, "child")
            self.kill()

    def hang(self) -> None:
        self._tasks[0].remove_done_callback(self._note_end)
        self._end.is_deaf = True
        self._stop()

    def terminate(self) -> None:
        self.kill()

    def kill(self) -> None:
        self._finish(KILLED)

    async def wait(self) -> int:
        """Return its exit code once it has ended."""
        return await asyncio.shield(self._code)

    def _stop(self) -> None:
        for task in self._tasks:
            task.cancel()

    def _note_end(self, working: asyncio.Task[None]) -> None:
        failed = not working.cancelled() and working.exception() is not None
        self._finish(int(failed))
        if failed and (error := working.exception()) is not None:
            raise error

    def _finish(self, code: int) -> None:
        if not self._code.done():
            self._code.set_result(code)
            self._end.close()
            self.stdout.feed_eof()
            self._stop()
