"""The real server and client keep the server's promises in a box, and a seed repeats its run."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from pathlib import Path

from scripts.simulate.campaign import Summary, make_template, simulate
from scripts.simulate.plan import Plan
from scripts.simulate.story import Event
from tests.scripts.simulate.seeds import kept_seeds

NEW_SEEDS = 10


def test_no_promise_is_broken(tmp_path: Path) -> None:
    """New seeds each time, and those that ever failed; a failure names its command."""
    template, summary = make_template(tmp_path), Summary()
    first = secrets.randbelow(1 << 32)
    print(f"first seed {first}")  # noqa: T201  # to repeat it
    for seed in (*kept_seeds("box"), *range(first, first + NEW_SEEDS)):
        summary.add(simulate(Plan.of(seed, circle=2), template))
    assert [(run.plan.command, run.fault) for run in summary.broken] == []
    common = {Event.KILL, Event.RESUME, Event.RESTART_IN_PLAY, Event.SUSPENDED, Event.OVER}
    assert not common & set(summary.never)


def test_a_seed_repeats_its_run() -> None:
    """Two processes with different hash seeds write the same log, byte for byte."""
    runs = [
        subprocess.run(
            [sys.executable, "-m", "scripts.simulate", "--circle", "2", "--seed", "4", "--trace"],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()[:-1]
        for hash_seed in ("1", "2")
    ]
    assert len(runs[0]) > 100
    assert runs[0] == runs[1]
