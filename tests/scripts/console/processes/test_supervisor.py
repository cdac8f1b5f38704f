"""Child programs: what they say, how they fail, and that none is left behind."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from mancala.scripts.console.processes.supervisor import Child, ChildError, mancala
from tests.patience import PATIENCE_S

ASYNCIO_LIMIT = 1 << 16


def serve(folder: Path) -> tuple[str, ...]:
    return ("serve", "--port", "0", "--store", str(folder / "s.sqlite3"), "--json")


def is_alive(child: Child) -> bool:
    try:
        os.killpg(child.process.pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_childs_lines_are_read_and_its_good_end_is_no_error(tmp_path: Path) -> None:
    """The output of a command is passed on line by line."""
    async with mancala("version", "--version", folder=tmp_path, env=os.environ) as child:
        assert (await child.line()).startswith("mancala ")
        await child.succeed()


async def test_a_line_may_be_longer_than_asyncio_reads_by_default(tmp_path: Path) -> None:
    """A house bot that had played for hours ended the server by the one line of its report."""
    tree = f"({'12.5 ' * 16_000}2)"
    command = ("learn", "tree", tree, "--json")
    async with mancala("lesson", *command, folder=tmp_path, env=os.environ) as child:
        assert len(await child.line()) > ASYNCIO_LIMIT


async def test_a_child_that_fails_tells_what_it_said(tmp_path: Path) -> None:
    """The error carries the exit code and the end of its stderr."""
    command = ("play", "--rules", "x")
    with pytest.raises(ChildError) as caught:
        async with mancala("player", *command, folder=tmp_path, env=os.environ) as child:
            await child.line()
    assert caught.value.code == 2
    assert "no rules named 'x'" in caught.value.stderr


async def test_a_child_ends_with_its_block(tmp_path: Path) -> None:
    """A server that would run for ever is asked to end."""
    async with mancala("server", *serve(tmp_path), folder=tmp_path, env=os.environ) as child:
        await child.line()
    assert child.process.returncode == 0
    assert not is_alive(child)


async def test_a_child_that_does_not_listen_is_ended_all_the_same(tmp_path: Path) -> None:
    """A stopped process hears no SIGTERM; after a while it is killed."""
    async with mancala(
        "server", *serve(tmp_path), folder=tmp_path, env=os.environ, patience_s=0.05
    ) as child:
        await child.line()
        child.process.send_signal(signal.SIGSTOP)
    assert child.process.returncode == -signal.SIGKILL
    async with asyncio.timeout(PATIENCE_S):
        while is_alive(child):  # noqa: ASYNC110  # its own children end soon after it, unseen
            await asyncio.sleep(0.01)


async def test_a_process_left_behind_does_not_keep_the_pipe_open(tmp_path: Path) -> None:
    """A grandchild in a session of its own still has the child's stdout."""
    left = "subprocess.Popen(['sleep', '60'], start_new_session=True)"
    program = f"import subprocess; print({left}.pid, flush=True)"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", program), stdout=asyncio.subprocess.PIPE, start_new_session=True
    )
    (tmp_path / "log").touch()
    child = Child("owner", process, tmp_path / "log", 5.0)
    grandchild = int(await child.line())
    try:
        await child.stop()
        with pytest.raises(ChildError, match="owner ended"):
            await asyncio.wait_for(child.line(), PATIENCE_S)
    finally:
        os.kill(grandchild, signal.SIGKILL)
