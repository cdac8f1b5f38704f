"""``mancala`` commands as child processes that end with the block that started them."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from mancala.parent_death import ending_with_us

LONGEST_LINE: Final = 1 << 28
"""Bytes; with `--json` a bot reports all the games of its life in one line."""
PATIENCE_S: Final = 5.0
QUOTED_LINES: Final = 20


class ChildError(Exception):
    """A child process ended unexpectedly; a negative code is the signal that ended it."""

    def __init__(self, name: str, code: int, stderr: str) -> None:
        self.name = name
        self.code = code
        self.stderr = stderr
        super().__init__(f"{name} ended with code {code}" + (f":\n{stderr}" if stderr else ""))


class Child:
    """A running ``mancala`` command, by its role."""

    def __init__(
        self, name: str, process: asyncio.subprocess.Process, log: Path, patience_s: float
    ) -> None:
        self.name = name
        self.process = process
        self._log = log
        self._patience_s = patience_s

    async def line(self) -> str:
        async for line in self.lines():
            return line
        raise await self._error()

    async def lines(self) -> AsyncIterator[str]:
        if self.process.stdout is None:
            raise ValueError("the child was started without a pipe")
        async for line in self.process.stdout:
            yield line.decode().rstrip("\n")

    async def succeed(self) -> None:
        """Wait for it to end with code 0."""
        if await self.process.wait() != 0:
            raise await self._error()

    async def stop(self) -> None:
        """Send SIGTERM; after a timeout, kill it and its process group."""
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGTERM)
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience_s):
                await self.process.wait()
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        await self.process.wait()
        # A process that it left behind may hold the pipe, which must not outlive the event loop.
        self.process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001  # the only way
        await asyncio.sleep(0)

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
    within: Sequence[str] = (),
) -> AsyncIterator[Child]:
    """Run a ``mancala`` command during the block; its log file in the folder takes its stderr.

    The child leads its own process group, so Ctrl-C reaches only the parent, which ends it: after
    SIGTERM it has ``patience_s``. If the parent is killed, the child ends as well. ``within`` is a
    command that runs it elsewhere, as in another network.
    """
    log = folder / f"{name}.log"
    with log.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            *within,
            *ending_with_us(sys.executable, "-P", "-m", "mancala", *arguments),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
            limit=LONGEST_LINE,
            env=env,
            start_new_session=True,
        )
    child = Child(name, process, log, patience_s)
    try:
        yield child
    finally:
        await asyncio.shield(child.stop())
