"""A running program and its pipes, which are drained and bounded.

Everything that arrives is taken from the pipes as it comes, and kept within bounds: the beginning
of a long line, `MOST_LINES` lines. A program that writes more than that is not read any further.
Nothing waits for a pipe to close, so unread output or a grandchild that holds the pipe open delays
nothing. The program runs under `reaper`, which ends it with all that it started.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
import sys
from asyncio.subprocess import PIPE
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

REAPER: Final = Path(__file__).with_name("reaper.py")
STDERR_LINES: Final = 20
"""Last lines of stderr that are kept."""
MOST_STDERR: Final = 200
"""Lines of stderr passed on for each question; further ones are dropped."""
MOST_LINES: Final = 1000
"""Unread lines of stdout after which a program is not read any further."""
LONGEST_LINE: Final = 4096
TURNS_TO_READ: Final = 4
"""Turns of the event loop in which what is in a pipe becomes lines."""
EXIT_WAIT_S: Final = 2.0
STDERR_WAIT_S: Final = 0.2


class FloodError(Exception):
    """A program wrote more lines than are kept."""


async def start(command: str, log: Callable[[str], None], *, reads_stdout: bool = True) -> Process:
    """Start a program under its reaper; OSError or ValueError say why it can't be started.

    A start that is cancelled is still brought to its end, and then the program is ended by its
    reaper: asyncio would kill the reaper, at a moment when the program may outlive it.

    ``log`` receives the lines of its stderr; its stdout is kept for `Process.word`, or dropped.
    """
    words = shlex.split(command)
    if not words or shutil.which(words[0]) is None:
        raise FileNotFoundError(f"no program {' '.join(words[:1])!r}")
    starting = asyncio.ensure_future(
        asyncio.get_running_loop().subprocess_exec(
            lambda: Process(log, reads_stdout=reads_stdout),
            *(sys.executable, "-I", "-S", str(REAPER), *words),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            start_new_session=True,
        )
    )
    try:
        _, process = await asyncio.shield(starting)
    except asyncio.CancelledError:
        with suppress(OSError):
            _, process = await starting
            await process.end()
        raise
    return process


class Process(asyncio.SubprocessProtocol):
    """A running program and its pipes; ``stderr`` has the last lines it wrote there."""

    def __init__(self, log: Callable[[str], None], *, reads_stdout: bool = True) -> None:
        loop = asyncio.get_running_loop()
        self.stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self._log = log
        self._reads_stdout = reads_stdout
        self._transport: asyncio.SubprocessTransport | None = None
        self._exit = loop.create_future()
        self._stderr_end = loop.create_future()
        self._words: deque[bytes] = deque()
        self._stdout = _Lines(self._take)
        self._stderr = _Lines(self._take_stderr)
        self._stderr_count = 0
        self._news = asyncio.Event()
        self._is_flooded = False
        self._is_closed = False

    @property
    def is_running(self) -> bool:
        return not self._exit.done()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.SubprocessTransport):
            self._transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        (self._stdout if fd == 1 else self._stderr).feed(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002  # asyncio's signature
        """Take what the program wrote last, without the end of a line."""
        if fd == 1:
            self._stdout.end()
            self._is_closed = True
            self._news.set()
        elif fd == 2:
            self._stderr.end()
            if not self._stderr_end.done():
                self._stderr_end.set_result(None)

    def process_exited(self) -> None:
        if not self._exit.done() and self._transport is not None:
            self._exit.set_result(self._transport.get_returncode())

    def put(self, line: str) -> None:
        """Write a line to its stdin; raise EOFError when it has ended."""
        pipe = self._pipe(0)
        if not isinstance(pipe, asyncio.WriteTransport) or pipe.is_closing():
            raise EOFError
        self._stderr_count = 0
        pipe.write(line.encode())

    async def word(self) -> bytes:
        """Return the next line that isn't blank; raise EOFError when its stdout has ended."""
        while True:
            if self._is_flooded:
                raise FloodError
            if self._words:
                return self._words.popleft()
            if self._is_closed:
                raise EOFError
            self._news.clear()
            await self._news.wait()

    async def pass_over(self) -> None:
        """Drop the lines that were written so far."""
        for _ in range(TURNS_TO_READ):
            await asyncio.sleep(0)
        self._words.clear()

    async def exit_code(self, wait_s: float | None) -> int | None:
        """Return its exit code; None when it still runs after a time; None waits for its end."""
        await asyncio.wait([self._exit], timeout=wait_s)
        return self._exit.result() if self._exit.done() else None

    def terminate(self) -> None:
        """End it and all that it started, by its reaper."""
        self._signal(signal.SIGTERM)

    async def end(self) -> None:
        """End it and all that it started; wait for that within bounds."""
        self.terminate()
        if await self.exit_code(EXIT_WAIT_S) is None:
            self._signal(signal.SIGKILL)
            await self.exit_code(EXIT_WAIT_S)
        await asyncio.wait([self._stderr_end], timeout=STDERR_WAIT_S)
        if self._transport is not None:
            self._transport.close()

    def _pipe(self, number: int) -> asyncio.BaseTransport | None:
        return None if self._transport is None else self._transport.get_pipe_transport(number)

    def _signal(self, number: int) -> None:
        if self._transport is not None and not self._exit.done():
            with suppress(ProcessLookupError):
                os.kill(self._transport.get_pid(), number)

    def _take(self, line: bytes) -> None:
        if self._is_flooded or not self._reads_stdout or not (word := line.strip()):
            return
        self._words.append(word)
        self._news.set()
        if len(self._words) > MOST_LINES:
            self._is_flooded = True
            pipe = self._pipe(1)
            if isinstance(pipe, asyncio.ReadTransport):
                pipe.pause_reading()

    def _take_stderr(self, line: bytes) -> None:
        text = line.decode(errors="replace").rstrip()
        self.stderr.append(text)
        self._stderr_count += 1
        if self._stderr_count < MOST_STDERR:
            self._log(text)
        elif self._stderr_count == MOST_STDERR:
            self._log("(further lines are dropped)")


class _Lines:
    """Splits what arrives into lines; of a long one, the beginning is kept."""

    def __init__(self, take: Callable[[bytes], None]) -> None:
        self._take = take
        self._part = b""
        self._is_cut = False

    def feed(self, data: bytes) -> None:
        *lines, rest = data.split(b"\n")
        for line in lines:
            if not self._is_cut:
                self._take((self._part + line)[:LONGEST_LINE])
            self._part, self._is_cut = b"", False
        if not self._is_cut:
            self._part += rest
        if len(self._part) > LONGEST_LINE:
            self._take(self._part[:LONGEST_LINE])
            self._part, self._is_cut = b"", True

    def end(self) -> None:
        if self._part:
            self._take(self._part)
        self._part = b""
