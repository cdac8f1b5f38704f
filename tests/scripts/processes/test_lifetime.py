"""Workers that end with the process that hired them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from select import poll

from scripts.processes import lifetime as processes
from tests.patience import PATIENCE_S

EMPLOYER = """
import os, time
from scripts.processes import lifetime as processes

if __name__ == "__main__":
    with processes.hired(2) as pool:
        print(*{pool.submit(os.getpid).result() for _ in range(8)}, flush=True)
"""


def employer(folder: Path, then: str) -> subprocess.Popen[str]:
    """Start a program that hires workers, tells their numbers, and does something else."""
    program = folder / "employer.py"
    program.write_text(f"{EMPLOYER}        {then}\n")
    return subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True)


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    """Open the processes that a program names; such a handle tells when its process has ended."""
    assert process.stdout is not None
    return [os.pidfd_open(int(word)) for word in process.stdout.readline().split()]


def has_ended(process: int) -> bool:
    """Wait for a process to end."""
    watch = poll()
    watch.register(process)
    ended = bool(watch.poll(1000 * PATIENCE_S))
    os.close(process)
    return ended


def test_no_worker_outlives_an_employer_that_is_killed(tmp_path: Path) -> None:
    """After SIGKILL nobody is left to send them home; idle or busy, they go by themselves."""
    with employer(tmp_path, "pool.submit(time.sleep, 1000); time.sleep(1000)") as process:
        workers = workers_of(process)
        process.kill()
    assert workers
    assert all(map(has_ended, workers))


def test_workers_are_sent_home_when_the_block_is_left(tmp_path: Path) -> None:
    """What they are busy with is not waited for."""
    with employer(tmp_path, "pool.submit(time.sleep, 1000)") as process:
        workers = workers_of(process)
        assert process.wait(PATIENCE_S) == 0
    assert all(map(has_ended, workers))


def test_a_pool_works() -> None:
    """What is handed in comes back."""
    with processes.hired(1) as pool:
        assert list(pool.map(abs, [-1, 2])) == [1, 2]
