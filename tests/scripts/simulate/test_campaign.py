"""The server keeps its promises in simulated worlds, and a seed repeats its run."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.simulate.campaign import Summary, make_template, simulate, temporary
from scripts.simulate.story import Event
from scripts.simulate.world import Plan

NEW_SEEDS = 25
ONCE_BROKEN: tuple[int, ...] = ()
"""Seeds that found a fault; each is run again."""


@pytest.fixture(scope="module")
def template() -> Iterator[Path]:
    """An empty store."""
    with temporary() as folder:
        yield make_template(Path(folder))


def test_no_promise_is_broken_and_every_fault_happens(template: Path) -> None:
    """New seeds each time, and those that ever failed; a failure names its seed."""
    first = secrets.randbelow(1 << 32)
    summary = Summary()
    for seed in (*ONCE_BROKEN, *range(first, first + NEW_SEEDS)):
        summary.add(simulate(Plan.of(seed), template))
    assert [(run.seed, str(run.fault)) for run in summary.broken] == []
    common = {Event.KILL, Event.KILL_BEFORE_COMMIT, Event.RESUME, Event.DROP, Event.OVER}
    assert not common & set(summary.never)


def test_a_seed_repeats_its_run() -> None:
    """Two processes with different hash seeds write the same log, byte for byte."""
    runs = [
        subprocess.run(
            [sys.executable, "-m", "scripts.simulate", "--seed", "5", "--trace"],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()[:-1]
        for hash_seed in ("1", "2")
    ]
    assert len(runs[0]) > 100
    assert runs[0] == runs[1]
