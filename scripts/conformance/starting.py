"""The bot's own process, where the robot is to start it."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

END_S: Final = 5.0
STDERR: Final = 2
"""The file descriptor."""


@asynccontextmanager
async def started(command: str | None, url: str) -> AsyncIterator[None]:
    """Run a bot during the block; its output goes to stderr. Without a command do nothing.

    Args:
        command: the command; ``{url}`` in it stands for the address.
        url: where the bot connects.

    Raises:
        OSError: when it can't be started.
    """
    if command is None:
        yield
        return
    process = await asyncio.create_subprocess_exec(
        *shlex.split(command.replace("{url}", url)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=STDERR,
        start_new_session=True,
    )
    try:
        yield
    finally:
        await asyncio.shield(_ended(process))


async def _ended(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), END_S)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
