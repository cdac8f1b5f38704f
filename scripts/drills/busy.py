"""Drill: the test suite beside busy loops, which shows tests that depend on speed.

    python -m scripts.drills.busy [PATH…]

Four processes compute without end while pytest runs the tests named, or the whole suite. What
pytest prints goes to stderr. It fails when a test failed; the report lists them.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final
from xml.etree import ElementTree as ET

import typer

from scripts.drills.report import JsonOption, Report, command_line, conclude
from scripts.processes.pool import worker_pool

LOOPS: Final = 4
PYTEST: Final = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")


def drill(paths: list[str], loops: int = LOOPS) -> Report:
    """Run tests beside busy loops and return the report.

    Args:
        paths: what pytest is to run; none for the whole suite.
        loops: number of busy processes.
    """
    began = time.monotonic()
    with worker_pool(loops) as pool, TemporaryDirectory() as folder:
        for _ in range(loops):
            pool.submit(_compute_without_end)
        results = Path(folder, "results.xml")
        command = [*PYTEST, f"--junitxml={results}", *paths]
        code = subprocess.run(command, stdout=sys.stderr, check=False).returncode  # noqa: S603  # our own suite
        suite = ET.parse(results).getroot() if results.exists() else ET.Element("none")  # noqa: S314  # pytest's own
    figures: dict[str, Any] = {
        "busy_loops": loops,
        "tests": len(list(suite.iter("testcase"))),
        "failed": sorted(_failed(suite)),
        "pytest_code": code,
        "seconds": round(time.monotonic() - began, 1),
    }
    return Report("busy", 0, figures, {"every test passes on a busy machine": code == 0})


def _compute_without_end() -> None:
    while True:
        pass


def _failed(suite: ET.Element) -> Iterator[str]:
    """Yield the names of tests that failed or could not run."""
    for test in suite.iter("testcase"):
        if test.find("failure") is not None or test.find("error") is not None:
            yield f"{test.get('classname')}::{test.get('name')}"


def main(
    paths: Annotated[list[str] | None, typer.Argument(help="What pytest is to run.")] = None,
    *,
    loops: Annotated[int, typer.Option(min=1, help="Busy processes.")] = LOOPS,
    json: JsonOption = False,
) -> None:
    """Run the tests beside busy loops."""
    conclude(drill(paths or [], loops), json=json)


if __name__ == "__main__":
    command_line(main)
