"""Drill: the test suite on a busy machine, which shows tests that depend on speed.

    python -m tests.drills.busy [--loops N] [--pauses SECONDS] [--seed N] [-- ARGUMENT…]

Processes compute without end while pytest runs with the arguments named, or the whole suite. With
``--pauses``, processes of the suite (workers of pytest, and what their tests have started) are
stopped besides, some at a time and each for at most so long, while the others go on: a test that
takes for granted which of two processes is first fails. What pytest prints goes to stderr. The
drill fails when a test failed; the report lists them.
"""

import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final
from xml.etree import ElementTree as ET

import psutil
import typer

from mancala.parent_death import ending_with_us
from tests.drills.report import DrillReport, SeedOption, command_line

LOOPS: Final = 4
PYTEST: Final = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")


def drill(
    arguments: Annotated[list[str] | None, typer.Argument(help="What pytest is given.")] = None,
    *,
    loops: Annotated[int, typer.Option(min=0, help="Processes that compute.")] = LOOPS,
    pauses: Annotated[float, typer.Option(min=0.0, help="Longest pause of a process, in s.")] = 0.0,
    seed: SeedOption = 1,
) -> DrillReport:
    """Run tests on a machine that is kept busy; without arguments the whole suite."""
    began = time.monotonic()
    with TemporaryDirectory() as folder:
        results = Path(folder, "results.xml")
        with computing(loops) as busy:
            code = _run([*PYTEST, f"--junitxml={results}", *(arguments or ())], pauses, seed)
            left = sum(loop.poll() is None for loop in busy)
        suite = ET.parse(results).getroot() if results.exists() else ET.Element("none")  # noqa: S314  # pytest's own
    figures: dict[str, Any] = {
        "busy_loops": left,
        "pauses_s": pauses,
        "tests": len(list(suite.iter("testcase"))),
        "failed": sorted(_failed(suite)),
        "pytest_code": code,
        "seconds": round(time.monotonic() - began, 1),
    }
    return DrillReport("busy", seed, figures, {"every test passes on a busy machine": code == 0})


def _run(command: list[str], pauses_s: float, seed: int) -> int:
    with ExitStack() as around:
        process = around.enter_context(subprocess.Popen(command, stdout=sys.stderr))
        if pauses_s:
            around.enter_context(pausing(process.pid, pauses_s, seed))
        return process.wait()


@contextmanager
def computing(loops: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    with ExitStack() as around:
        busy = []
        for _ in range(loops):
            loop = subprocess.Popen(ending_with_us(sys.executable, "-c", "while True: pass"))
            around.callback(loop.wait)
            around.callback(loop.kill)
            busy.append(loop)
        yield busy


def _failed(suite: ET.Element) -> Iterator[str]:
    for test in suite.iter("testcase"):
        if test.find("failure") is not None or test.find("error") is not None:
            yield f"{test.get('classname')}::{test.get('name')}"


SHARE: Final = 0.4
"""The share of the processes that pause together."""

BETWEEN: Final = 0.25
"""The time between two pauses, as a share of a pause."""


@contextmanager
def pausing(root: int, longest_s: float, seed: int) -> Iterator[None]:
    """Pause some of a process and its descendants, then let all go on, again and again.

    Args:
        root: id of the process.
        longest_s: how long a pause takes at most.
        seed: for the draws; which processes there are to draw from is up to the machine.
    """
    ended = threading.Event()
    rng = random.Random(seed)
    thread = threading.Thread(target=_pause, args=(psutil.Process(root), longest_s, rng, ended))
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _pause(
    root: psutil.Process, longest_s: float, rng: random.Random, ended: threading.Event
) -> None:
    while not ended.wait(BETWEEN * rng.uniform(0, longest_s)):
        paused = [each for each in _running(root) if rng.random() < SHARE and _suspended(each)]
        ended.wait(rng.uniform(0, longest_s))
        for process in paused:
            with suppress(psutil.NoSuchProcess):
                process.resume()


def _running(root: psutil.Process) -> list[psutil.Process]:
    """List a process and its descendants, without those that something else has stopped."""
    found = []
    with suppress(psutil.NoSuchProcess):
        for process in (root, *root.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                if process.status() != psutil.STATUS_STOPPED:
                    found.append(process)
    return found


def _suspended(process: psutil.Process) -> bool:
    """Stop a process; return False if it has ended."""
    try:
        process.suspend()
    except psutil.NoSuchProcess:
        return False
    return True


if __name__ == "__main__":
    command_line(drill)
