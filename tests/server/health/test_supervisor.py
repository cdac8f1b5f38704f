"""Children that end, hang or are replaced."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from mancala.server.health import supervisor
from mancala.server.health.supervisor import ChildProgram, Supervisor
from tests.patience import PATIENCE_S

CHILD = """
import os, socket, sys, threading, time
number = int(sys.stdin.read())
pair = socket.socket(fileno=number)

def beat():
    while True:
        os.write(1, b".")
        time.sleep(0.05)

threading.Thread(target=beat, daemon=True).start()
pair.sendall(b"%d\\n" % os.getpid())
pair.recv(1)
"""


@dataclass
class WatchedProgram:
    """What is seen of the children.

    Attributes:
        started: the ids of those that have said so.
        ready: whether one was said to be ready.
        ended: set when none runs and none will.
        warnings: what was logged.
    """

    started: asyncio.Queue[int] = field(default_factory=asyncio.Queue)
    ready: asyncio.Queue[None] = field(default_factory=asyncio.Queue)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    warnings: list[str] = field(default_factory=list)

    async def converse(self, reader: StreamReader, _writer: StreamWriter) -> None:
        """Note the child's id, and listen until it ends."""
        while line := await reader.readline():
            self.started.put_nowait(int(line))

    def debug(self, event: str, **facts: object) -> None:
        """Handle an event that there are many of, as a normal one."""
        self.info(event, **facts)

    def info(self, event: str, **facts: object) -> None:
        """Keep nothing of that."""

    def warning(self, event: str, **_facts: object) -> None:
        """Keep it."""
        self.warnings.append(event)


@asynccontextmanager
async def supervised(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Supervisor, WatchedProgram]]:
    """Keep a small child running."""
    (folder / "pulsing_child.py").write_text(CHILD)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    watched = WatchedProgram()
    program = ChildProgram(
        name="child",
        module="pulsing_child",
        handover=lambda pair: str(pair).encode(),
        converse=watched.converse,
    )
    keeper = Supervisor(
        program,
        watched,
        lambda _low, _high: 1.0,
        silent_s=3.0,
        on_ready=lambda: watched.ready.put_nowait(None),
    )
    async with asyncio.timeout(PATIENCE_S):
        running = asyncio.create_task(keeper.run())
        running.add_done_callback(lambda _: watched.ended.set())
        try:
            yield keeper, watched
        finally:
            running.cancel()
            await asyncio.wait([running])


async def test_a_child_that_is_killed_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log says that it ended."""
    async with supervised(tmp_path, monkeypatch) as (_, watched):
        first = await watched.started.get()
        os.kill(first, signal.SIGKILL)
        assert await watched.started.get() != first
    assert watched.warnings == ["child ended"]


async def test_a_child_that_is_stopped_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It once stayed for ever, since only its end was noticed."""
    async with supervised(tmp_path, monkeypatch) as (_, watched):
        first = await watched.started.get()
        os.kill(first, signal.SIGSTOP)
        assert await watched.started.get() != first
    assert watched.warnings == ["child hangs", "child ended"]


async def test_a_child_that_is_superseded_is_asked_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None follows it, and nothing is warned of."""
    async with supervised(tmp_path, monkeypatch) as (keeper, watched):
        first = await watched.started.get()
        keeper.supersede()
        await watched.ended.wait()
    assert watched.warnings == []
    assert watched.started.empty()
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)


async def test_a_child_that_gives_a_pulse_is_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is said once, however many follow the first one."""
    async with supervised(tmp_path, monkeypatch) as (keeper, watched):
        assert not keeper.is_ready
        os.kill(await watched.started.get(), signal.SIGKILL)
        await watched.started.get()
        await watched.ready.get()
        assert keeper.is_ready
    assert watched.ready.empty()


async def test_a_child_that_does_not_end_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is given a moment."""
    monkeypatch.setattr(supervisor, "STOP_S", 0.01)
    async with supervised(tmp_path, monkeypatch) as (keeper, watched):
        first = await watched.started.get()
        os.kill(first, signal.SIGSTOP)
        keeper.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)
