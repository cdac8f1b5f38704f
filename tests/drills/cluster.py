"""Drill: a Dask cluster does the work of each command, and a worker is killed in the middle.

    python -m tests.drills.cluster --only rate

The programs and commands are those of "More than one machine" in docs/hosting.md, on loopback. Each
command runs on this machine undisturbed and on the cluster, where a worker gets ``kill -9`` once
some of its calls have been made. It fails when what was printed, apart from the time, or a file
differs in a byte. Reviews have as much time as their games need. Of a proof, whose subproofs depend
on the order in which they end, the values count; of a course, whose evidence has times, the marks
and the season's positions.
"""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import typer

from mancala.scripts.course.settings import SEED
from mancala.scripts.hosting.shelf import STATE
from mancala.server.contest.headless.journal import GAMES
from tests.clusters import lasting
from tests.drills.ports import free_port
from tests.drills.pretend_programs import write_python
from tests.drills.report import DrillReport, command_line
from tests.sources import ROOT

WORKERS: Final = 2
LOOK_S: Final = 0.02
PATIENCE_S: Final = 1800.0
MOST_ATTEMPTS: Final = 5
"""How often a command is begun that ends before the kill, as when the drill is held up."""
SEEN: Final = 3
"""Calls that the cluster has begun before a worker is killed."""
ADDRESS: Final = "tcp://192.0.2.1:8786"
PROGRAMS: Final = Path(sys.executable).parent
VALUES: Final = ("low", "high", "moves")
"""What a proof has found."""
COURSE: Final = "positions = 12\ngames = 2\nmovetime_s = 60.0\n"
UNHURRIED: Final = ("--time 2 ", "--time 600 ")
"""An option of the page, and what it is here, where results are compared."""


class CommandRun(NamedTuple):
    """What a command printed and wrote, and how long it took."""

    told: dict[str, Any]
    files: dict[str, bytes]
    seconds: float
    was_disturbed: bool


def documented() -> list[str]:
    text = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
    section = text.partition("\n## More than one machine\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```bash\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in block.splitlines()]


def drill(
    only: Annotated[
        str | None, typer.Option(help="Only the commands with this word, such as rate.")
    ] = None,
) -> DrillReport:
    """Kill a worker of a cluster that does the work of a command."""
    scheduler, worker, *commands = documented()
    event = commands[0]  # others need its games
    chosen = [line for line in commands if only is None or line is event or only in line.split()]
    port = str(free_port())
    figures: dict[str, Any] = {"processors": os.cpu_count()}
    promises = {}
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mancala-drill-")))
        address = f"tcp://127.0.0.1:{port}"
        stack.enter_context(_running(scheduler.replace("8786", port), place))
        before = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mancala-drill-")))
        _write_course(before / "course")
        for typed in chosen:
            line, name = typed.replace(*UNHURRIED), " ".join(shlex.split(typed)[1:3])
            home = place / name / "here"
            here = _ran(line.partition(" --cluster ")[0], before, home, None)
            last, before = before, home
            if typed is event and only is not None and only not in typed.split():
                continue
            for attempt in range(MOST_ATTEMPTS):
                with ExitStack() as beside:
                    for _ in range(WORKERS):
                        beside.enter_context(_running(worker.replace(ADDRESS, address), place))
                    home = place / name / f"there-{attempt}"
                    there = _ran(line.replace(ADDRESS, address), last, home, address)
                if there.was_disturbed:
                    break
            figures[f"{name}_ratio"] = round(here.seconds / there.seconds, 2)
            figures[f"{name}_load"] = round(os.getloadavg()[0], 1)
            promises[f"{name}: the same to the byte"] = here[:2] == there[:2]
            promises[f"{name}: a worker was killed in the middle"] = there.was_disturbed
    return DrillReport("cluster", 0, figures, promises)


def _write_course(course: Path) -> None:
    write_python(course / "teams" / "ada")
    (course / "course.toml").write_text(COURSE)
    seeds = course / STATE / SEED
    seeds.mkdir(parents=True)
    (seeds / "first").write_text("1")  # each run has the same season


@contextmanager
def _running(line: str, place: Path) -> Iterator[None]:
    """Run a program of Dask during the block; one that was killed has ended by itself."""
    words = [*shlex.split(line), "--no-dashboard", "--host", "127.0.0.1"]
    if words[1] == "worker":  # a worker that is killed stays dead
        words += ["--no-nanny", "--local-directory", str(place)]
    with (place / "dask.log").open("ab") as log:
        process = subprocess.Popen([str(PROGRAMS / words[0]), *words[1:]], stdout=log, stderr=log)
    try:
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def _ran(line: str, before: Path, home: Path, address: str | None) -> CommandRun:
    """Run a command in a copy of a folder; with an address, kill a worker there in the middle."""
    shutil.copytree(before, home)
    command = [str(PROGRAMS / "mancala"), *shlex.split(line)[1:], "--json"]
    if address is not None:
        _await_workers(address)
    began = time.monotonic()
    process = subprocess.Popen(command, cwd=home, stdout=subprocess.PIPE)
    was_disturbed = address is not None and _kill_a_worker(address, process)
    printed, _ = process.communicate(timeout=PATIENCE_S)
    if process.returncode:
        raise RuntimeError(f"{line} ended with code {process.returncode}")
    seconds = time.monotonic() - began
    told = json.loads(printed, object_pairs_hook=lasting)
    if "prove" in command:
        return CommandRun({name: told[name] for name in VALUES}, {}, seconds, was_disturbed)
    for mark in told.get("grades", ()):
        del mark["handed_in"]
    files = {
        str(path.relative_to(home)): path.read_bytes()
        for path in home.rglob("*.positions" if "course" in command else "*")
        if path.is_file() and path.name != GAMES  # which has times
    }
    return CommandRun(told, files, seconds, was_disturbed)


@contextmanager
def _client(address: str) -> Iterator[Any]:
    import distributed

    client_of: Any = distributed.Client  # it has no annotations
    with client_of(address, set_as_default=False) as client:
        yield client


def _await_workers(address: str) -> None:
    with _client(address) as client:
        client.wait_for_workers(WORKERS, timeout=PATIENCE_S)


def _kill_a_worker(address: str, process: subprocess.Popen[bytes]) -> bool:
    """Kill a worker that makes a call, once some were begun; return whether one was killed."""
    seen = set[str]()
    with _client(address) as client:
        pids = client.run(os.getpid)
        while process.poll() is None:
            for worker, calls in client.processing().items():
                seen.update(calls)
                if calls and len(seen) >= SEEN:
                    os.kill(pids[worker], signal.SIGKILL)
                    return True
            time.sleep(LOOK_S)
    return False


if __name__ == "__main__":
    command_line(drill)
