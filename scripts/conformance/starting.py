"""The bot's own process, where the robot is to start it."""

import asyncio
import os
import shlex
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from mancala.bot.players.programs.net import restored

END_S: Final = 5.0
STDERR: Final = 2
"""The file descriptor."""


class BotProcess:
    def __init__(self, command: str) -> None:
        self._command = shlex.split(command)
        self._process: asyncio.subprocess.Process | None = None

    async def keep_running(self) -> None:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=STDERR,
                start_new_session=True,
            )

    async def ended(self) -> int:
        """Wait until the command has ended; return its exit code."""
        return 0 if self._process is None else await self._process.wait()

    async def failed(self) -> int:
        """Wait until the command has failed; return its exit code.

        A command that ends well may have left the bot running.
        """
        code = await self.ended()
        if code == 0:
            await asyncio.Event().wait()
        return code

    async def end(self) -> None:
        """End the command, and what it has started."""
        if self._process is not None:
            await end_group(self._process)


async def end_group(process: asyncio.subprocess.Process) -> None:
    """End a process that leads a group, and its group; a sandbox first says how its run ended."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(TimeoutError):
        async with asyncio.timeout(END_S):
            await process.wait()
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


@asynccontextmanager
async def started(command: str | None, url: str) -> AsyncIterator[BotProcess | None]:
    """Run a bot during the block; its output goes to stderr. Without a command do nothing."""
    if command is None:
        yield None
        return
    process = BotProcess(command.replace("{url}", url))
    with restored(Path.cwd()):
        await process.keep_running()
        try:
            yield process
        finally:
            await asyncio.shield(process.end())
