"""Drill: a Dask cluster plays an event, and one of its workers is killed in the middle.

    python -m scripts.drills.cluster --games 120

A scheduler and two workers run on loopback. The same round robin is played there, with a
``kill -9`` for one worker once games are coming in, and by processes of this machine in peace. It
fails when a game is missing or the tables differ in a byte.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from scripts.drills.report import Report, conclude
from server.headless.journal import GAMES, Journal
from server.headless.tables import TABLE

PLAYERS: Final = ("random", "captures", "engine:nodes=50", "mcts:playouts=20")
ENCOUNTERS: Final = 6
WORKERS: Final = 2
LOOK_S: Final = 0.01
PATIENCE_S: Final = 300.0


def main() -> None:
    """Run the drill from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=120, help="games of the event, about")
    parser.add_argument("--seed", type=int, default=1, help="all chance in the games")
    parser.add_argument("--json", action="store_true", help="one JSON object on one line")
    options = parser.parse_args()
    conclude(drill(options.games, options.seed), json=options.json)


def drill(games: int, seed: int) -> Report:
    """Play the event in both places and compare.

    Args:
        games: about how many; whole pairs for each of the encounters.
        seed: all chance in the games.
    """
    import distributed

    each = max(2, 2 * round(games / ENCOUNTERS / 2))
    cluster_of: Any = distributed.LocalCluster  # it has no annotations
    with tempfile.TemporaryDirectory(prefix="mancala-drill-") as place:
        here, there = Path(place) / "here", Path(place) / "there"
        _finish(_start(here, each, seed))
        with cluster_of(
            n_workers=WORKERS,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        ) as cluster:
            process = _start(there, each, seed, "--cluster", cluster.scheduler_address)
            kept = _kill_a_worker(cluster, process, there)
            _finish(process)
        journal = Journal(there)
        journal.close()
        promises = {
            "every_game_was_played_once": sorted(journal.games) == list(range(each * ENCOUNTERS)),
            "the_tables_are_the_same_bytes": _table(here) == _table(there),
            "a_worker_was_killed_in_the_middle": 0 < kept < each * ENCOUNTERS,
        }
    figures = {"games": each * ENCOUNTERS, "workers": WORKERS, "games_kept_at_the_kill": kept}
    return Report("cluster", seed, figures, promises)


def _kill_a_worker(cluster: Any, process: subprocess.Popen[bytes], home: Path) -> int:  # noqa: ANN401  # Dask has no annotations
    """Kill one worker once games have come in; gives how many had."""
    import distributed

    client_of: Any = distributed.Client
    with client_of(cluster, set_as_default=False) as client:
        pids = list(client.run(os.getpid).values())
    deadline = time.monotonic() + PATIENCE_S
    while not (kept := _kept(home)):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError("no game came in")
        time.sleep(LOOK_S)
    os.kill(pids[0], signal.SIGKILL)
    return kept


def _start(home: Path, each: int, seed: int, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "scripts.mancala", "tournament", *PLAYERS, *options]
    command += ["--games", str(each), "--seed", str(seed), "--resume", str(home), "--json"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: S603  # our own program


def _finish(process: subprocess.Popen[bytes]) -> None:
    try:
        code = process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    if code:
        raise RuntimeError(f"the tournament ended with code {code}")


def _kept(home: Path) -> int:
    try:
        return (home / GAMES).read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0


def _table(home: Path) -> bytes:
    return (home / TABLE).read_bytes()


if __name__ == "__main__":
    main()
