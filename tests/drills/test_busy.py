"""The drill that runs tests on a busy machine, and the pauses of its processes."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from mancala.protocol import codec
from tests.drills.busy import pausing
from tests.sources import ROOT

TESTS = """
def test_that_passes():
    pass

def test_that_fails():
    assert False
"""


def test_failing_tests_are_named(tmp_path: Path) -> None:
    """The report counts the tests and lists those that failed, beside loops that do compute."""
    (tmp_path / "test_some.py").write_text(TESTS)
    pytest = (str(tmp_path), f"--rootdir={tmp_path}", "-c", "/dev/null")
    command = (sys.executable, "-m", "tests.drills.busy", "--loops", "2", "--json", "--", *pytest)
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    assert ended.returncode == 1
    figures = codec.from_json(ended.stdout, dict[str, Any])
    assert figures["busy_loops"] == 2
    assert figures["tests"] == 2
    assert [name.split("::")[1] for name in figures["failed"]] == ["test_that_fails"]


CHILD = "print(flush=True); input()"
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {CHILD!r}])"


@pytest.fixture
def family() -> Iterator[list[psutil.Process]]:
    command = [sys.executable, "-c", PARENT]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()  # one that is stopped before it runs would hold its parent up
        parent = psutil.Process(process.pid)
        yield [parent, *parent.children()]


def is_stopped(process: psutil.Process) -> bool:
    return bool(process.status() == psutil.STATUS_STOPPED)


def test_a_process_and_what_it_started_pause_and_go_on(family: list[psutil.Process]) -> None:
    """At the end none of them is paused."""
    with pausing(family[0].pid, longest_s=0.05, seed=1):
        for process in family:
            while not is_stopped(process):
                pass
            while is_stopped(process):
                pass
    assert not any(map(is_stopped, family))


def test_what_was_stopped_by_another_stays_so(family: list[psutil.Process]) -> None:
    """The pauses wake only what they have put to sleep."""
    parent, child = family
    child.suspend()
    while not is_stopped(child):
        pass
    with pausing(parent.pid, longest_s=0.01, seed=1):
        for _ in range(3):
            while not is_stopped(parent):
                pass
            while is_stopped(parent):
                pass
        assert is_stopped(child)
    child.resume()
