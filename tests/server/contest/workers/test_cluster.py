"""The cluster drill in short: a Dask scheduler, two workers, one killed in the middle."""

from __future__ import annotations

import json
import subprocess
import sys


def test_a_cluster_loses_no_game_with_a_worker() -> None:
    """An event played elsewhere ends in the same bytes as one played here, though a worker died."""
    command = [sys.executable, "-m", "tests.drills.cluster", "--only", "tournament", "--json"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert run.returncode == 0, run.stderr[-2000:]
    assert all(json.loads(run.stdout)["promises"].values())
