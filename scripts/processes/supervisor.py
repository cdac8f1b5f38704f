"""Programs of ours as child processes, none of which outlives the block that started it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

PATIENCE_S: Final = 5.0
QUOTED_LINES: Final = 20


class ChildError(Exception):
    """A program ended when it should not have.

    Attributes:
        name: what it was to do.
        code: its exit code; negative when a signal ended it.
        said: the end of what it wrote to stderr.
    """

    def __init__(self, name: str, code: int, said: str) -> None:
        self.name = name
        self.code = code
        self.said = said
        super().__init__(f"{name} ended with code {code}" + (f":\n{said}" if said else ""))


class Child:
    """A running ``mancala`` command.

    Attributes:
        name: what it is to do, for people.
        process: the process.
    """

    def __init__(
        self, name: str, process: asyncio.subprocess.Process, log: Path, patience_s: float
    ) -> None:
        """Take a process started by :func:`mancala`."""
        self.name = name
        self.process = process
        self._log = log
        self._patience_s = patience_s

    async def line(self) -> str:
        """Read the next line of its stdout.

        Raises:
            ChildError: when there are no more.
        """
        async for line in self.lines():
            return line
        raise await self._error()

    async def lines(self) -> AsyncIterator[str]:
        """Read its stdout line by line, to the end."""
        if self.process.stdout is None:
            raise ValueError("the child was started without a pipe")
        async for line in self.process.stdout:
            yield line.decode().rstrip("\n")

    async def succeed(self) -> None:
        """Wait for it to end well.

        Raises:
            ChildError: when it ends otherwise.
        """
        if await self.process.wait() != 0:
            raise await self._error()

    async def stop(self) -> None:
        """Ask it to end; when it does not, end it and whatever it started."""
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGTERM)
        with suppress(TimeoutError):
            await asyncio.wait_for(self.process.wait(), self._patience_s)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        await self.process.wait()

    async def _error(self) -> ChildError:
        code = await self.process.wait()
        lines = self._log.read_text(errors="replace").splitlines()
        return ChildError(self.name, code, "\n".join(lines[-QUOTED_LINES:]))


@asynccontextmanager
async def mancala(
    name: str,
    *arguments: str,
    folder: Path,
    env: Mapping[str, str],
    patience_s: float = PATIENCE_S,
) -> AsyncIterator[Child]:
    """Run a ``mancala`` command for as long as the block lasts.

    The child leads a process group of its own: Ctrl-C reaches only us, and we end it in order.

    Args:
        name: what it is to do; also names the file that takes its stderr.
        arguments: the command line.
        folder: where that file goes.
        env: the environment.
        patience_s: how long it may take to end when it is asked to.
    """
    log = folder / f"{name}.log"
    with log.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "mancala", *arguments),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
            env=env,
            start_new_session=True,
        )
    child = Child(name, process, log, patience_s)
    try:
        yield child
    finally:
        await asyncio.shield(child.stop())
