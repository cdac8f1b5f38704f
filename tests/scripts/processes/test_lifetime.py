"""Workers that end with the process that started them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from select import poll

from tests.patience import PATIENCE_S

OWNER = """
import os, time
from scripts.processes.pool import worker_pool

if __name__ == "__main__":
    with worker_pool(2) as pool:
        print(*{pool.submit(os.getpid).result() for _ in range(8)}, flush=True)
"""


def owner(folder: Path, then: str) -> subprocess.Popen[str]:
    """Start a program that starts workers, prints their process ids, and does something else."""
    program = folder / "owner.py"
    program.write_text(f"{OWNER}        {then}\n")
    return subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True)


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    """Return a handle for each process that a program names; it shows when the process ends."""
    assert process.stdout is not None
    return [os.pidfd_open(int(word)) for word in process.stdout.readline().split()]


def has_ended(process: int) -> bool:
    """Return whether a process ends in time."""
    watch = poll()
    watch.register(process)
    ended = bool(watch.poll(1000 * PATIENCE_S))
    os.close(process)
    return ended


def test_no_worker_outlives_an_owner_that_is_killed(tmp_path: Path) -> None:
    """A killed owner cannot end its workers; idle or busy, they end by themselves."""
    with owner(tmp_path, "pool.submit(time.sleep, 1000); time.sleep(1000)") as process:
        workers = workers_of(process)
        process.kill()
    assert workers
    assert all(map(has_ended, workers))


def test_workers_end_with_the_block(tmp_path: Path) -> None:
    """The end of the block does not wait for work in progress."""
    with owner(tmp_path, "pool.submit(time.sleep, 1000)") as process:
        workers = workers_of(process)
        assert process.wait(PATIENCE_S) == 0
    assert all(map(has_ended, workers))


def test_an_owner_ends_though_its_workers_were_sending(tmp_path: Path) -> None:
    """Workers that end in the middle of a large result do not keep their owner waiting."""
    then = "[pool.submit(bytes, 50_000_000) for _ in range(9)][0].result()"
    with owner(tmp_path, then) as process:
        assert workers_of(process)
        try:
            assert process.wait(PATIENCE_S) == 0
        finally:
            process.kill()
