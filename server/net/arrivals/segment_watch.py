"""Running the process that watches connections while the server is stalled."""

import asyncio
import os  # noqa: TID251  # for the memory that it shares
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from mmap import mmap
from typing import Final

from mancala.parent_death import ending_with_us

from . import segment_watcher
from .segments import MEMORY_BYTES, NO_SEGMENTS, SegmentLog

BEAT_S: Final = 0.02
"""How often the loop says that it runs."""


@asynccontextmanager
async def watching_segments(on_end: Callable[[int], object]) -> AsyncIterator[SegmentLog]:
    """Watch connections while the block runs; elsewhere than on Linux, yield a log of nothing."""
    if sys.platform != "linux":
        yield NO_SEGMENTS
        return
    descriptor = os.memfd_create("segments")
    try:
        os.ftruncate(descriptor, MEMORY_BYTES)
        segments = SegmentLog(mmap(descriptor, MEMORY_BYTES))
        watcher = await _start(descriptor)
    finally:
        os.close(descriptor)
    # No task group, which would wrap an error of the block.
    beating = asyncio.create_task(_beat(segments), name="beat")
    waiting = asyncio.create_task(_wait(watcher, on_end), name="segment watch")
    try:
        yield segments
    finally:
        beating.cancel()
        waiting.cancel()
        with suppress(ProcessLookupError):
            watcher.kill()
        await watcher.wait()


async def _beat(segments: SegmentLog) -> None:
    now = asyncio.get_running_loop().time
    while True:
        segments.beat(now())
        await asyncio.sleep(BEAT_S)


async def _start(memory: int) -> Process:
    return await asyncio.create_subprocess_exec(  # noqa: TID251  # a simulated server has none
        *ending_with_us(sys.executable, "-P", "-m", segment_watcher.__name__, str(memory)),
        stdin=PIPE,
        stderr=DEVNULL,
        pass_fds=(memory,),
    )


async def _wait(watcher: Process, on_end: Callable[[int], object]) -> None:
    on_end(await watcher.wait())
