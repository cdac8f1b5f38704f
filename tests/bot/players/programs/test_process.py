"""Pipes to a program: drained, bounded, and closed with everything that it started."""

import asyncio
import os
import shlex
import sys
from collections.abc import Callable

import psutil
import pytest

from mancala.bot.players.programs.process import (
    LONGEST_LINE,
    MOST_LINES,
    FloodError,
    Process,
    start,
)
from tests.patience import PATIENCE_S


async def python(
    code: str, heard: Callable[[str], object] = lambda _: None
) -> tuple[Process, list[str]]:
    """Start a Python program; return it with a list of what it writes to stderr."""
    stderr: list[str] = []

    def log(line: str) -> None:
        stderr.append(line)
        heard(line)

    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"
    return await start(command, log), stderr


async def words(process: Process, count: int) -> list[bytes]:
    async with asyncio.timeout(PATIENCE_S):
        return [await process.word() for _ in range(count)]


async def test_lines_arrive_as_they_are_written() -> None:
    """Blank lines are left out, and the last one needs no end."""
    process, _ = await python("print('0\\n\\n  2  '); print('done', end='')")
    assert await words(process, 3) == [b"0", b"2", b"done"]
    with pytest.raises(EOFError):
        await words(process, 1)
    await process.end()


async def test_of_a_long_line_the_beginning_is_kept() -> None:
    """A line of any length takes bounded memory."""
    process, _ = await python("print('x' * 1_000_000); print('done')")
    assert await words(process, 2) == [b"x" * LONGEST_LINE, b"done"]
    await process.end()


async def test_a_flood_is_an_error() -> None:
    """A program that writes more than is kept is not read any further."""
    lines = f"print(*range({2 * MOST_LINES}), sep=chr(10), flush=True)"
    written = asyncio.Event()
    program = f"import sys; {lines}; print(0, file=sys.stderr); input()"
    process, _ = await python(program, lambda _: written.set())
    await asyncio.wait_for(written.wait(), PATIENCE_S)
    with pytest.raises(FloodError):
        await words(process, 1)
    await process.end()


async def test_the_end_of_stderr_is_kept_and_passed_on() -> None:
    """What a program says before it fails can be quoted."""
    process, passed_on = await python("import sys; print('no tables', file=sys.stderr)")
    with pytest.raises(EOFError):
        await words(process, 1)
    await process.end()
    assert list(process.stderr) == passed_on == ["no tables"]
    assert await process.exit_code(PATIENCE_S) == 0


async def test_a_program_that_is_not_there_is_not_started() -> None:
    """The error names it."""
    with pytest.raises(FileNotFoundError, match="no program 'nowhere'"):
        await start("nowhere --fast", print)


@pytest.mark.parametrize("turns", range(10))
async def test_a_start_that_is_cancelled_ends_and_leaves_nothing(turns: int) -> None:
    """Whatever it has come to, in any turn of the event loop."""
    marker = f"marker-{os.getpid()}-{turns}"
    starting = asyncio.create_task(python(f"import sys; sys.stdin.read()  # {marker}"))
    for _ in range(turns):
        await asyncio.sleep(0)
    starting.cancel()
    async with asyncio.timeout(PATIENCE_S):
        await asyncio.wait([starting])
    if not starting.cancelled():
        await starting.result()[0].end()
    running = [each.info["cmdline"] or () for each in psutil.process_iter(["cmdline"])]
    assert not [command for command in running if marker in " ".join(command)]
