"""A child process that is kept running: started again when it ends, and when it hangs.

The child inherits one end of a socket pair, over which it talks with this process, and reads its
settings from standard input. It gives a pulse on standard output. It must end when the pair closes,
so no child survives a ``kill -9`` of this process.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket  # noqa: TID251  # the pair that the child is handed one end of
import sys
from asyncio import StreamReader, StreamWriter
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from .backoff import backoff
from .log import Log
from .pulse import silence

REPLACE_S: Final = 3.0
"""Time for a child that is superseded to complete its work, and to end."""
STOP_S: Final = 0.4
"""The same when this process ends."""
LONG_LIFE_S: Final = 60.0
"""A child that ran for this long is replaced immediately when it ends."""
FIRST_BEAT_S: Final = 60.0
"""A busy machine takes seconds to start a process of low priority."""
SILENT_S: Final = 15.0
"""A child without a pulse for this long hangs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildProgram:
    """What a child runs.

    Attributes:
        name: its name in the log.
        module: the module that it runs.
        handover: returns what it reads from standard input; called with the file descriptor of its
            end of the pair.
        converse: talks with it over the other end, until it closes that.
        inherits: file descriptors that it inherits, besides its end of the pair.
        longest_line: the longest line that it sends, in bytes.
    """

    name: str
    module: str
    handover: Callable[[int], bytes]
    converse: Callable[[StreamReader, StreamWriter], Awaitable[None]]
    inherits: tuple[int, ...] = ()
    longest_line: int = 64 * 1024


def _ignore() -> None:
    """Note no pulse."""


class Supervisor:
    """Keeps one child running.

    Attributes:
        is_ready: whether a process has given a pulse.
    """

    def __init__(
        self,
        program: ChildProgram,
        log: Log,
        uniform: Callable[[float, float], float],
        *,
        silent_s: float = SILENT_S,
        on_ready: Callable[[], None] = _ignore,
    ) -> None:
        """Prepare the first process.

        Args:
            program: what it runs.
            log: receives when it ends unasked, or hangs.
            uniform: returns a random number between two others.
            silent_s: how long it may give no pulse.
            on_ready: called when the first process gives its first pulse.
        """
        self._program = program
        self._log = log
        self._delays = partial(backoff, uniform, first_s=0.05, longest_s=5.0)
        self._silent_s = silent_s
        self._on_ready = on_ready
        self._process: Process | None = None
        self._pair: StreamWriter | None = None
        self._is_superseded = False
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
        self._is_superseded = True
        if self._process is not None and self._pair is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.terminate()
            asyncio.get_running_loop().call_later(REPLACE_S, self._pair.close)

    def stop(self) -> None:
        """End the process, without another one after it."""
        self.retire()
        if self._pair is not None:
            self._pair.close()

    def retire(self) -> None:
        """Start no process after the one that runs."""
        self._is_stopping = True

    async def _run_one(self) -> int:
        """Run one process to its end; return its exit code."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = await self._start(theirs.fileno())
        reader, pair = await asyncio.open_connection(sock=ours, limit=self._program.longest_line)  # noqa: TID251  # over that pair
        self._process, self._pair = process, pair
        if self._is_stopping:
            pair.close()
        try:
            async with asyncio.TaskGroup() as tasks:
                watching = tasks.create_task(self._kill_if_silent(process), name="pulse")
                await self._program.converse(reader, pair)
                watching.cancel()
        finally:
            self._pair = None
            pair.close()
            patience_s = REPLACE_S if self._is_superseded else STOP_S
            code = await asyncio.shield(_ended(process, patience_s))
        return code

    async def _kill_if_silent(self, process: Process) -> None:
        if process.stdout is None:
            return
        if await silence(
            process.stdout,
            first_s=FIRST_BEAT_S,
            silent_s=self._silent_s,
            on_beat=self._note_beat,
        ):
            self._log.warning(f"{self._program.name} hangs", silent_s=self._silent_s)
            _kill(process)

    def _note_beat(self) -> None:
        if not self.is_ready:
            self.is_ready = True
            self._on_ready()

    async def _start(self, pair: int) -> Process:
        process = await asyncio.create_subprocess_exec(  # noqa: TID251  # a real server's child, which a simulated one doesn't have
            *(sys.executable, "-P", "-m", self._program.module),
            stdin=PIPE,
            stdout=PIPE,
            pass_fds=(*self._program.inherits, pair),
        )
        if process.stdin is not None:
            with contextlib.suppress(ConnectionError):
                process.stdin.write(self._program.handover(pair))
                await process.stdin.drain()
            process.stdin.close()
        return process


async def _ended(process: Process, patience_s: float) -> int:
    """Wait until a process has ended, for a moment; then kill it. Return its exit code."""
    try:
        async with asyncio.timeout(patience_s):
            return await process.wait()
    except TimeoutError:
        _kill(process)
        return await process.wait()


def _kill(process: Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()
