"""A child process that is kept running: started again when it ends, and when it hangs.

The child has one end of a socket pair as its standard input, over which it gets its settings first
and then talks with this process (:mod:`mancala.server.health.link`). Sockets that listen come with
the settings, so a process may be started before they are open. It must end when the pair closes. On
Linux it dies with this process, also while it starts (:mod:`mancala.parent_death`).

It gives a pulse on its standard output, a byte a second. One whose event loop hangs, or that was
stopped, gives none. The seconds without a beat are counted in steps, each of which gives this
process's loop a chance to read. So a parent that was held up itself does not take its own pause for
the child's.
"""

import asyncio
import os  # noqa: TID251  # a child's way to its parent
import signal
import socket  # noqa: TID251  # the pair that the child is handed one end of
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from msgspec import Struct

from mancala.parent_death import ending_with_us
from mancala.protocol import codec

from .backoff import backoff
from .link import LocalLink
from .log import Log, StructuredLog

H = TypeVar("H", bound="Handover")

REPLACE_S: Final = 3.0
"""Time for a child that is superseded to complete its work, and to end."""
STOP_S: Final = 0.4
"""The same when this process ends."""
LONG_LIFE_S: Final = 60.0
"""A child that ran for this long is replaced immediately when it ends."""
BEAT_S: Final = 1.0
FIRST_BEAT_S: Final = 60.0
"""A busy machine takes seconds to start a process of low priority; where one did not come so far in
this time, the next one has twice as long."""
LONGEST_FIRST_S: Final = 600.0
"""No child has longer to start."""
SILENT_S: Final = 15.0
"""A child without a pulse for this long hangs."""
MOST_INHERITED: Final = 64
"""Sockets that a child can get: one for each address of a host."""


def _ignore() -> None:
    """Note no beat."""


# The child's end


class Handover(Struct, frozen=True, kw_only=True):
    """What a child gets from its parent before all else; each kind of child adds its own."""

    log_level: str


class Parent(NamedTuple):
    """What a child has of its parent: the link to it, the log that they share, and descriptors."""

    link: LocalLink
    log: Log
    inherited: tuple[int, ...] = ()


@asynccontextmanager
async def parent_of(
    kind: type[H], hears: Mapping[str, Any], longest_line: int
) -> AsyncIterator[tuple[H, Parent]]:
    """Give a pulse during the block; yield what the parent has handed over, and the way to it.

    It waits for that first, and ends the process if the parent has nothing for it to do. SIGHUP, by
    which the parent reloads, may come to all of its group; a child is deaf to it.

    Args:
        kind: what it hands over.
        hears: what it tells and asks; see :class:`LocalLink`.
        longest_line: the longest line that it sends, in bytes.
    """
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    pair = socket.socket(fileno=sys.stdin.fileno())
    begun, inherited, *_ = socket.recv_fds(pair, 1, MOST_INHERITED)
    if not begun:
        sys.exit()
    reader, writer = await asyncio.open_connection(sock=pair, limit=longest_line)  # noqa: TID251  # over that pair
    handover = codec.from_json(begun + await reader.readline(), kind)
    log = StructuredLog(sys.stderr, handover.log_level)
    beating = asyncio.create_task(_beat(), name="pulse")
    try:
        link = LocalLink(reader, writer, log, "game server", hears)
        yield handover, Parent(link, log, tuple(inherited))
    finally:
        beating.cancel()
        writer.close()


async def _beat() -> None:
    with suppress(BrokenPipeError):  # the parent is gone
        while True:
            os.write(sys.stdout.fileno(), b".")
            await asyncio.sleep(BEAT_S)


# The parent's end


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildProgram:
    """What a child runs.

    Attributes:
        hears: what it tells and asks; see :class:`LocalLink`.
        inherits: sockets of this process, of which it gets descriptors of its own.
    """

    name: str
    module: str
    handover: Callable[[], Handover]
    converse: Callable[[LocalLink], Awaitable[None]]
    hears: Mapping[str, Any]
    inherits: Sequence[socket.socket] = ()
    longest_line: int = 64 * 1024


class SupervisedProcess(Protocol):
    """A child that was started, as :mod:`asyncio.subprocess` has it."""

    @property
    def stdout(self) -> asyncio.StreamReader | None:
        """Its standard output, which has the pulse."""

    def terminate(self) -> None:
        """Ask it to end."""

    def kill(self) -> None:
        """End it."""

    async def wait(self) -> int:
        """Return its exit code once it has ended."""


Start = Callable[[ChildProgram, Log], Awaitable[tuple[SupervisedProcess, LocalLink]]]
"""Starts a child; returns it, and the link to it."""


async def start_process(program: ChildProgram, log: Log) -> tuple[SupervisedProcess, LocalLink]:
    """Start a child of this process."""
    return await _hand_over(program, log, *await _idle(program.module))


async def _idle(module: str) -> tuple[Process, socket.socket]:
    """Start a process that loads a module and waits for its settings."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = await asyncio.create_subprocess_exec(  # noqa: TID251  # a real server's child; a simulated one starts its own
            *ending_with_us(sys.executable, "-P", "-m", module), stdin=theirs.fileno(), stdout=PIPE
        )
    return process, ours


async def _hand_over(
    program: ChildProgram, log: Log, process: Process, ours: socket.socket
) -> tuple[SupervisedProcess, LocalLink]:
    descriptors = [each.fileno() for each in program.inherits]
    line = b""
    if -1 in descriptors:  # they were closed while it started: it ends without a word
        ours.shutdown(socket.SHUT_WR)
    else:
        line = codec.to_json(program.handover()) + b"\n"
        with suppress(BrokenPipeError):  # it has ended, as the link says
            socket.send_fds(ours, [line[:1]], descriptors)
    reader, writer = await asyncio.open_connection(sock=ours, limit=program.longest_line)  # noqa: TID251  # over that pair
    writer.write(line[1:])
    return process, LocalLink(reader, writer, log, program.name, program.hears)


class IdleChildren:
    """Children that are started before there is anything for them to do: most of a start's work."""

    def __init__(self) -> None:
        self._idle: dict[str, list[tuple[Process, socket.socket]]] = {}

    async def prepare(self, modules: Iterable[str]) -> None:
        """Start a process for each of the modules; one that fails is started when it is needed."""
        for module in modules:
            with suppress(OSError):
                self._idle.setdefault(module, []).append(await _idle(module))

    async def start(self, program: ChildProgram, log: Log) -> tuple[SupervisedProcess, LocalLink]:
        """Hand a program to a process that waits for it, or start one."""
        if waiting := self._idle.get(program.module):
            return await _hand_over(program, log, *waiting.pop())
        return await start_process(program, log)

    async def aclose(self) -> None:
        """End those that still wait."""
        for process, ours in chain.from_iterable(self._idle.values()):
            _kill(process)
            ours.close()
            await process.wait()


class Supervisor:
    """Keeps one child running."""

    def __init__(
        self,
        program: ChildProgram,
        log: Log,
        uniform: Callable[[float, float], float],
        *,
        silent_s: float = SILENT_S,
        on_ready: Callable[[], None] = _ignore,
        start: Start = start_process,
    ) -> None:
        """Prepare the first process; ``on_ready`` is called once each one gives a pulse."""
        self._program = program
        self._start = start
        self._log = log
        self._delays = partial(backoff, uniform, first_s=0.05, longest_s=5.0)
        self._silent_s = silent_s
        self._first_s = FIRST_BEAT_S
        self._on_ready = on_ready
        self._process: SupervisedProcess | None = None
        self._link: LocalLink | None = None
        self._patience_s = STOP_S
        self.is_ready = False
        self._is_stopping = False

    async def run(self) -> None:
        """Run one process after another until stopped or cancelled."""
        loop = asyncio.get_running_loop()
        delays = self._delays()
        while not self._is_stopping:
            began = loop.time()
            code = await self._run_one()
            if self._is_stopping:
                return
            if loop.time() - began > LONG_LIFE_S:
                delays = self._delays()
            self._log.warning(f"{self._program.name} ended", code=code)
            await asyncio.sleep(next(delays))

    def supersede(self) -> None:
        """End the process by SIGTERM, since another one has taken over; it may finish its work."""
        self.retire()
        self._patience_s = REPLACE_S
        if self._process is not None and self._link is not None:
            with suppress(ProcessLookupError):
                self._process.terminate()
            asyncio.get_running_loop().call_later(REPLACE_S, self._link.close)

    def stop(self) -> None:
        """End the process, without another one after it."""
        self.retire()
        if self._link is not None:
            self._link.close()

    def retire(self) -> None:
        """Start no process after the one that runs."""
        self._is_stopping = True

    async def _run_one(self) -> int:
        process, link = await self._start(self._program, self._log)
        self._process, self._link = process, link
        if self._is_stopping:
            link.close()
        try:
            async with asyncio.TaskGroup() as tasks:
                watching = tasks.create_task(self._kill_if_silent(process), name="pulse")
                await self._program.converse(link)
                watching.cancel()
        finally:
            self._link = None
            self.is_ready = False
            link.close()
            code = await asyncio.shield(_ended(process, self._patience_s))
        return code

    async def _kill_if_silent(self, process: SupervisedProcess) -> None:
        if process.stdout is not None and await silence(
            process.stdout,
            first_s=self._first_s,
            silent_s=self._silent_s,
            on_beat=self._note_beat,
        ):
            if self.is_ready:
                self._log.warning(f"{self._program.name} hangs", silent_s=self._silent_s)
            else:
                self._log.warning(f"{self._program.name} did not start", within_s=self._first_s)
                self._first_s = min(2 * self._first_s, LONGEST_FIRST_S)
            _kill(process)

    def _note_beat(self) -> None:
        if not self.is_ready:
            self.is_ready, self._first_s = True, FIRST_BEAT_S
            self._on_ready()


async def silence(
    beats: asyncio.StreamReader,
    *,
    first_s: float,
    silent_s: float,
    on_beat: Callable[[], None] = _ignore,
) -> bool:
    """Wait until a child gives no pulse any more; return whether it hangs, or has ended.

    Args:
        beats: its standard output.
        first_s: how long its first beat may take; it has to start.
        silent_s: how long any further one may take.
        on_beat: called after each, or after some that came together.
    """
    missed, allowed_s = 0, first_s
    while missed * BEAT_S < allowed_s:
        try:
            async with asyncio.timeout(BEAT_S):
                if not await beats.read(1024):
                    return False
        except TimeoutError:
            missed += 1
        else:
            missed, allowed_s = 0, silent_s
            on_beat()
    return True


async def _ended(process: SupervisedProcess, patience_s: float) -> int:
    """Wait until a process has ended, for a moment; then kill it. Return its exit code."""
    try:
        async with asyncio.timeout(patience_s):
            return await process.wait()
    except TimeoutError:
        _kill(process)
        return await process.wait()


def _kill(process: SupervisedProcess) -> None:
    with suppress(ProcessLookupError):
        process.kill()
