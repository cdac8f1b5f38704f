"""Children that end, hang or are replaced."""

import asyncio
import math
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest

from mancala.server.health import child_process
from mancala.server.health.child_process import (
    ChildProgram,
    Handover,
    IdleChildren,
    Supervisor,
    silence,
)
from mancala.server.health.link import LocalLink
from mancala.server.health.log import Log
from tests.patience import PATIENCE_S
from tests.server.fakes import KeptLog
from tests.simulate.loop import VirtualLoop, run

CHILD = """
import os, socket, threading, time
pair = socket.socket(fileno=0)
assert pair.makefile("rb").readline() == b'{"log_level":"info"}\\n'

def beat():
    while True:
        os.write(1, b".")
        time.sleep(0.05)

threading.Thread(target=beat, daemon=True).start()
pair.sendall(b'{"topic":"started","body":%d}\\n' % os.getpid())
pair.recv(1)
"""

IDLE_CHILD = """
import asyncio
import socket
from mancala.server.health.child_process import Handover, parent_of

async def serve():
    async with parent_of(Handover, {}, 1000) as (_, (link, _, [descriptor])):
        with socket.socket(fileno=descriptor) as listening:
            link.tell("port", listening.getsockname()[1])

asyncio.run(serve())
"""
STARTING_CHILD = "import os, signal, sys; print(os.getpid(), file=sys.stderr); signal.pause()"
PARENT = """
import asyncio
from mancala.server.health.child_process import ChildProgram, Handover, Supervisor
from mancala.server.health.log import NullLog

async def converse(link):
    await asyncio.Event().wait()

handover = lambda: Handover(log_level="info")
program = ChildProgram(
    name="child", module="starting_child", handover=handover, converse=converse, hears={}
)
asyncio.run(Supervisor(program, NullLog(), lambda _low, _high: 1.0).run())
"""


@dataclass
class WatchedProgram(KeptLog):
    """What is seen of the children.

    Attributes:
        started: the ids of those that have said so.
        keeper: what keeps them running.
        seen: whether it said that they were ready, as each one was started.
        ready: whether one was said to be ready.
        ended: set when none runs and none will.
    """

    started: asyncio.Queue[int] = field(default_factory=asyncio.Queue)
    ready: asyncio.Queue[None] = field(default_factory=asyncio.Queue)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    keeper: Supervisor | None = None
    seen: list[bool] = field(default_factory=list)

    async def converse(self, link: LocalLink) -> None:
        self.seen.append(self.keeper is not None and self.keeper.is_ready)
        async for said in link:
            self.started.put_nowait(said.body)

    @property
    def warned(self) -> list[object]:
        return [each["event"] for each in self.warnings]


def program_of(
    module: str,
    converse: Callable[[LocalLink], Awaitable[None]],
    inherits: Sequence[socket.socket] = (),
    **hears: type,
) -> ChildProgram:
    handover = Handover(log_level="info")
    return ChildProgram(
        name="child",
        module=module,
        handover=lambda: handover,
        converse=converse,
        hears=hears,
        inherits=inherits,
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where children find their modules, that of a pulsing one among them."""
    (tmp_path / "pulsing_child.py").write_text(CHILD)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path


@asynccontextmanager
async def supervised(
    *, silent_s: float | None = 3.0
) -> AsyncIterator[tuple[Supervisor, WatchedProgram]]:
    watched = WatchedProgram()
    patience: dict[str, Any] = {} if silent_s is None else {"silent_s": silent_s}
    program = program_of("pulsing_child", watched.converse, started=int)
    keeper = Supervisor(
        program,
        watched,
        lambda _low, _high: 1.0,
        on_ready=lambda: watched.ready.put_nowait(None),
        **patience,
    )
    watched.keeper = keeper
    async with asyncio.timeout(PATIENCE_S):
        running = asyncio.create_task(keeper.run())
        running.add_done_callback(lambda _: watched.ended.set())
        try:
            yield keeper, watched
        finally:
            running.cancel()
            await asyncio.wait([running])


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("number", "warned"),
    [(signal.SIGKILL, ["child ended"]), (signal.SIGSTOP, ["child hangs", "child ended"])],
)
async def test_a_child_that_is_killed_or_stopped_is_replaced(
    number: signal.Signals, warned: list[str]
) -> None:
    """The log says why; one that was stopped once stayed for ever."""
    async with supervised() as (_, watched):
        first = await watched.started.get()
        await watched.ready.get()  # or it counts as one that never started
        os.kill(first, number)
        assert await watched.started.get() != first
    assert watched.warned == warned


def test_a_child_that_ends_after_a_long_life_is_replaced_soon() -> None:
    """Those that end soon after their start are each replaced later than the one before."""
    lives_s = iter((1.0, 1.0, 1.0, 61.0, 1.0))
    ended_at: list[float] = []
    gaps_s: list[float] = []

    async def converse(_link: LocalLink) -> None:
        now = asyncio.get_running_loop().time
        gaps_s.extend(now() - at for at in ended_at[-1:])
        await asyncio.sleep(next(lives_s, math.inf))
        ended_at.append(now())

    async def start(_program: ChildProgram, _log: Log) -> tuple[Any, Any]:
        return Mock(stdout=None, wait=AsyncMock(return_value=1)), Mock()

    async def act() -> None:
        program = program_of("c", converse)
        keeper = Supervisor(program, KeptLog(), lambda _low, _high: 1.0, start=start)
        with suppress(TimeoutError):
            await asyncio.wait_for(keeper.run(), 100.0)

    run(lambda _loop: act(), VirtualLoop)
    assert gaps_s[0] < gaps_s[1] < gaps_s[2]
    assert gaps_s[3:] == pytest.approx(gaps_s[:2])


async def test_a_child_may_wait_for_its_settings_and_sockets(folder: Path) -> None:
    """Those of a server that stands by; one whose sockets were closed meanwhile ends."""
    (folder / "idle_child.py").write_text(IDLE_CHILD)
    told: list[Any] = []

    async def converse(link: LocalLink) -> None:
        told.extend([said.body async for said in link])

    async with asyncio.timeout(PATIENCE_S), aclosing(IdleChildren()) as children:
        await children.prepare(["idle_child"] * 4)
        waiting = [process for process, _ in children._idle["idle_child"]]
        for _ in range(2):
            with socket.create_server(("127.0.0.1", 0)) as listening:
                program = program_of("idle_child", converse, (listening,), port=int)
                process, link = await children.start(program, KeptLog())
                assert process in waiting
                await converse(link)
                link.close()
                assert await process.wait() == 0
                assert told.pop() == listening.getsockname()[1]
        process, link = await children.start(program, KeptLog())  # its socket is closed by now
        await converse(link)
        link.close()
        assert await process.wait() == 0
    assert [each.returncode for each in waiting] == [-signal.SIGKILL, 0, 0, 0]
    assert not told


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux")
def test_a_child_that_is_still_starting_dies_with_its_parent(folder: Path) -> None:
    """One that had not looked at its link yet held the port for 8.6 s after a ``kill -9``."""
    (folder / "starting_child.py").write_text(STARTING_CHILD)
    with subprocess.Popen([sys.executable, "-c", PARENT], stderr=subprocess.PIPE) as parent:
        assert parent.stderr is not None
        child = int(parent.stderr.readline())
        ended = os.pidfd_open(child)
        parent.kill()
        found, _, _ = select.select([ended], [], [], PATIENCE_S)
    os.close(ended)
    if not found:
        os.kill(child, signal.SIGKILL)
    assert found


@pytest.mark.usefixtures("folder")
async def test_a_child_is_given_up_after_times_that_end_and_the_next_has_longer_to_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where 60 others were at work none of a page's processes had started before it was killed."""
    given: asyncio.Queue[float] = asyncio.Queue()

    async def silence(_beats: asyncio.StreamReader, **times: Any) -> bool:  # noqa: ANN401  # times and a callback
        given.put_nowait(max(times["first_s"], times["silent_s"]))
        return True

    monkeypatch.setattr(child_process, "silence", silence)
    monkeypatch.setattr(child_process, "LONGEST_FIRST_S", 100.0)
    async with supervised(silent_s=None) as (_, watched):
        assert [await given.get() for _ in range(3)] == [60.0, 100.0, 100.0]
    assert watched.warned[:2] == ["child did not start", "child ended"]
    assert watched.warnings[0]["within_s"] == 60.0


@pytest.mark.usefixtures("folder")
async def test_a_child_that_is_superseded_is_asked_to_end() -> None:
    """None follows it, and nothing is warned of."""
    async with supervised() as (keeper, watched):
        first = await watched.started.get()
        keeper.supersede()
        await watched.ended.wait()
    assert watched.warned == []
    assert watched.started.empty()
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)


@pytest.mark.usefixtures("folder")
async def test_a_child_is_ready_while_it_gives_a_pulse() -> None:
    """Its successor once counted as ready before it ran."""
    async with supervised() as (keeper, watched):
        for _ in range(2):
            await watched.ready.get()
            assert keeper.is_ready
            os.kill(await watched.started.get(), signal.SIGKILL)
        await watched.started.get()
    assert watched.seen == [False, False, False]


@pytest.mark.usefixtures("folder")
async def test_a_child_that_does_not_end_is_killed() -> None:
    """It is given a moment."""
    async with supervised() as (keeper, watched):
        keeper._patience_s = 0.01
        first = await watched.started.get()
        os.kill(first, signal.SIGSTOP)
        keeper.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)


@pytest.mark.usefixtures("folder")
async def test_a_superseded_child_that_does_not_end_is_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After its time to finish, not only once it counts as hanging."""
    monkeypatch.setattr(child_process, "REPLACE_S", 0.01)
    async with supervised() as (keeper, watched):
        first = await watched.started.get()
        os.kill(first, signal.SIGSTOP)
        stopped = os.P_PID, first, os.WSTOPPED | os.WNOWAIT
        await asyncio.to_thread(os.waitid, *stopped)  # else the SIGTERM may overtake it
        keeper.supersede()
        await watched.ended.wait()
    assert watched.warned == []
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count beats in milliseconds."""
    monkeypatch.setattr(child_process, "BEAT_S", 0.001)


@pytest.mark.usefixtures("quick")
async def test_a_child_that_never_beats_hangs_after_its_time_to_start() -> None:
    """It may take longer for the first beat than for others."""
    assert await silence(asyncio.StreamReader(), first_s=0.005, silent_s=PATIENCE_S)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("ends", [True, False])
async def test_a_child_that_stops_beating_hangs_unless_it_ends(*, ends: bool) -> None:
    """One beat, then none; or its output is closed."""
    beats = asyncio.StreamReader()
    beats.feed_data(b".")
    if ends:
        beats.feed_eof()
    silent_s = PATIENCE_S if ends else 0.005
    assert await silence(beats, first_s=PATIENCE_S, silent_s=silent_s) is not ends
