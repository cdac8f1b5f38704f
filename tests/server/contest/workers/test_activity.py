"""Whether a process runs."""

import os
import signal
import subprocess
import sys

import pytest

from mancala.server.contest.workers.pool import IDLE, activity_of


def test_this_process_runs_and_has_used_a_processor() -> None:
    """Its own threads are seen."""
    found = activity_of(os.getpid())
    assert found.runs
    assert found.cpu_s > 0


@pytest.mark.parametrize("pid", [None, 2**22 + 1])
def test_a_process_that_is_not_there_is_idle(pid: int | None) -> None:
    """Nothing is raised."""
    assert activity_of(pid) == IDLE


def test_a_stopped_process_does_not_run() -> None:
    """A worker that SIGSTOP holds is not one that works hard."""
    with subprocess.Popen(
        [sys.executable, "-c", "print(flush=True)\nwhile True: pass"], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert activity_of(process.pid).runs
        process.send_signal(signal.SIGSTOP)
        os.waitpid(process.pid, os.WUNTRACED)
        assert not activity_of(process.pid).runs
        process.kill()
