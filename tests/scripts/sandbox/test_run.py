"""Jobs run in the sandbox as a command line, and what is known of them afterwards."""

import asyncio
import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from mancala.protocol import codec
from mancala.scripts.sandbox.machine import NoSandboxError, require_sandbox
from mancala.scripts.sandbox.run import command_of
from mancala.scripts.sandbox.usage import UsageMeter, control_group
from tests import node
from tests.patience import PATIENCE_S

GREETS = """import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as link:
    link.sendall(b"hello")
    print(link.recv(9).decode())
"""


BURNS = """import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    if os.fork() == 0:
        while time.process_time() < 0.3:
            pass
        os._exit(0)
    try:
        os.wait()
    except ChildProcessError:
        pass
"""
FORKS = """import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(40):
    reading, writing = os.pipe()
    if os.fork() == 0:
        while time.process_time() < 0.02:
            pass
        os._exit(0)
    os.close(writing)
    os.read(reading, 1)
    os.close(reading)
"""
TRUSTED = {"isolated": False}


async def _ordered(
    tmp_path: Path,
    *,
    stdout: int = asyncio.subprocess.PIPE,
    **order: Any,  # noqa: ANN401  # as an order has them
) -> tuple[int | None, bytes, dict[str, Any]]:
    if shutil.which("bwrap") is None and order.get("limits") != TRUSTED:
        node.skip("not installed: bubblewrap")
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "greets.py").write_text(GREETS)
    file, outcome = tmp_path / "order.json", tmp_path / "outcome.json"
    described = {"program": str(tmp_path / "program"), "outcome": str(outcome), **order}
    file.write_bytes(codec.to_json(described))
    process = await asyncio.create_subprocess_exec(*command_of(file), stdout=stdout)
    async with asyncio.timeout(PATIENCE_S):
        printed, _ = await process.communicate()
    return process.returncode, printed, codec.from_json(outcome.read_bytes(), dict[str, Any])


async def test_a_program_reaches_its_server_without_a_network(tmp_path: Path) -> None:
    """It connects to a port of its own loopback, and the bytes pass both ways."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await reader.read(9)).upper())
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        url = f"ws://127.0.0.1:{port}"
        code, printed, _ = await _ordered(tmp_path, command="python3 greets.py {port}", url=url)
    assert (code, printed) == (0, b"HELLO\n")


async def test_a_run_leaves_its_outcome(tmp_path: Path) -> None:
    """The exit code is the program's; the file has the cause, the time and the end of stderr."""
    code, _, outcome = await _ordered(tmp_path, command="echo sorry >&2; exit 7")
    assert code == outcome["exit_code"] == 7
    assert (outcome["ending"], outcome["stderr"]) == ("exited", "sorry\n")
    assert outcome["wall_s"] > 0


async def test_a_program_that_writes_when_its_reader_has_left_is_stopped(tmp_path: Path) -> None:
    """It counted as the host's fault, so a program that always did was never judged."""
    reading, writing = os.pipe()
    os.close(reading)
    _, _, outcome = await _ordered(tmp_path, stdout=writing, command="yes")
    os.close(writing)
    assert outcome["ending"] == "stopped"


async def test_a_trusted_program_runs_without_bubblewrap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It works in a copy of its folder that is removed, sees the machine, and is ended in time."""
    monkeypatch.setenv("PATH", str(tmp_path))
    command = f"ls; test -d {tmp_path} && python3 -c 'import mancala' && pwd; kill -9 $$"
    code, printed, outcome = await _ordered(tmp_path, command=command, limits=TRUSTED)
    name, folder = printed.decode().splitlines()
    assert (code, outcome["signal"], name) == (137, 9, "greets.py")
    assert not os.path.exists(folder)  # noqa: PTH110, ASYNC240  # nothing else waits for it


async def test_a_program_may_not_run_for_ever(tmp_path: Path) -> None:
    """The time from start to end is bounded where a limit says so."""
    code, _, outcome = await _ordered(tmp_path, command="sleep 600", limits={"wall_s": 1})
    assert code == 137
    assert outcome["ending"] == "time"


async def test_time_of_children_that_are_not_waited_for_counts(tmp_path: Path) -> None:
    """A parent that ignores their end has none of it."""
    command = f"python3 -c {shlex.quote(BURNS)}"
    _, _, outcome = await _ordered(tmp_path, command=command, limits={"cpu_s": 1})
    assert outcome["ending"] == "cpu"


async def test_time_of_short_children_counts_in_a_control_group(tmp_path: Path) -> None:
    """Forty of 20 ms each end unseen between two looks; a fifth of their time was counted."""
    with control_group() as group:
        if group is None:
            pytest.skip("this system lets no control group be made")
    _, _, outcome = await _ordered(tmp_path, command=f"python3 -c {shlex.quote(FORKS)}")
    assert outcome["cpu_s"] > 40 * 0.02


def test_a_control_group_that_is_gone_spoils_no_run(tmp_path: Path) -> None:
    """Another run removes what is left of those that ended; the sums of `/proc` count then."""
    assert UsageMeter(os.getpid(), itself=True, group=tmp_path / "gone").look().cpu_s > 0


async def test_what_waits_in_sockets_is_bounded(tmp_path: Path) -> None:
    """The kernel's memory for them escaped the limit: 1.9 GB of 512 MiB were held."""
    holds = "import socket, time; held = [socket.socketpair() for _ in range(50)]; time.sleep(600)"
    _, _, outcome = await _ordered(tmp_path, command=f"python3 -c {shlex.quote(holds)}")
    assert outcome["ending"] == "sockets"


def test_a_machine_without_bubblewrap_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence names what is missing and the package to install."""
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent / "none"))
    with pytest.raises(NoSandboxError, match=r"needs bwrap and setpriv: install .* bubblewrap"):
        require_sandbox()
