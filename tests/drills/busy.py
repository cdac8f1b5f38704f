"""Drill: the test suite on a busy machine, which shows tests that depend on speed.

    python -m tests.drills.busy [--loops N] [--pauses SECONDS] [--seed N] [-- ARGUMENT…]

Processes compute without end while pytest runs with the arguments named, or the whole suite. With
``--pauses``, processes of the suite (workers of pytest, and what their tests have started) are
stopped besides, some at a time and each for at most so long, while the others go on: a test that
takes for granted which of two processes is first fails. What pytest prints goes to stderr. The
drill fails when a test failed; the report lists them.
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final
from xml.etree import ElementTree as ET

import typer

from mancala.parent_death import ending_with_us
from tests.drills.pauses import pausing
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


if __name__ == "__main__":
    command_line(drill)
