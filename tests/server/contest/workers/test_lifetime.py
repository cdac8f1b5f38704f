"""Workers that end with the process that started them."""

import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.patience import PATIENCE_S
from tests.processes import have_ended

OWNER = """
import os, time
from mancala.server.contest.workers.pool import WorkerPool

if __name__ == "__main__":
    with WorkerPool(2) as pool:
        print(*{pool.submit(os.getpid).result() for _ in range(8)}, flush=True)
        input()
"""


def owner(folder: Path, then: str) -> subprocess.Popen[str]:
    """Start a program that starts workers, prints their process ids, and once asked goes on."""
    program = folder / "owner.py"
    program.write_text(f"{OWNER}        {then}\n")
    command = [sys.executable, str(program)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def workers_of(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """Return the processes that a program names, and let the program go on.

    Until we have hold of them the program waits: one that has ended is no more to be found.
    """
    assert process.stdin is not None
    assert process.stdout is not None
    workers = [psutil.Process(int(word)) for word in process.stdout.readline().split()]
    print(file=process.stdin, flush=True)
    return workers


def test_no_worker_outlives_an_owner_that_is_killed(tmp_path: Path) -> None:
    """A killed owner cannot end its workers; idle or busy, they end by themselves."""
    with owner(tmp_path, "pool.submit(time.sleep, 1000); time.sleep(1000)") as process:
        workers = workers_of(process)
        process.kill()
    assert workers
    assert have_ended(workers)


@pytest.mark.parametrize(
    "then",
    [
        "pool.submit(time.sleep, 1000)",
        "[pool.submit(bytes, 50_000_000) for _ in range(9)][0].result()",
    ],
    ids=["at work", "sending"],
)
def test_an_owner_ends_and_its_workers_with_it(tmp_path: Path, then: str) -> None:
    """It waits neither for work in progress nor for the rest of a large result."""
    with owner(tmp_path, then) as process:
        workers = workers_of(process)
        try:
            assert process.wait(PATIENCE_S) == 0
        finally:
            process.kill()
    assert have_ended(workers)
