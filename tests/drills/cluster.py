"""Drill: a Dask cluster plays an event, and one of its workers is killed in the middle.

    python -m tests.drills.cluster --games 120

A scheduler and two workers run on loopback. The same round robin is played there, where
one worker gets ``kill -9`` once games come in, and by processes of this machine undisturbed. It
fails when a game is missing or the tables differ in a byte.
"""

from __future__ import annotations

import os
import signal
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tests.clusters import local_cluster
from tests.drills.headless import PATIENCE_S, EventFolder, Process, encounter_of, finish
from tests.drills.report import DrillReport, SeedOption, command_line

WORKERS: Final = 2
LOOK_S: Final = 0.01
MOST_ATTEMPTS: Final = 5
"""How often an event is begun that ends before the kill, as when the drill is held up."""


def drill(games: int, seed: int) -> DrillReport:
    """Play the event in both places and compare.

    Args:
        games: approximate number; each encounter has whole pairs.
        seed: seed of the games.
    """
    each = encounter_of(games)
    with tempfile.TemporaryDirectory(prefix="mancala-drill-") as place:
        here = EventFolder(Path(place) / "here", each, seed)
        finish(here.start())
        for attempt in range(MOST_ATTEMPTS):
            there = EventFolder(Path(place) / f"there-{attempt}", each, seed)
            kept = _play_there(there)
            if kept < there.games:
                break
        promises = {
            "every_game_was_played_once": sorted(there.moves()) == list(range(there.games)),
            "the_tables_are_the_same_bytes": here.table() == there.table(),
            "a_worker_was_killed_in_the_middle": 0 < kept < there.games,
        }
    figures = {"games": there.games, "workers": WORKERS, "games_kept_at_the_kill": kept}
    return DrillReport("cluster", seed, figures, promises)


def _play_there(event: EventFolder) -> int:
    """Play an event on a cluster, kill a worker, and return how many games had come in then."""
    with local_cluster(WORKERS, threads=1) as cluster:
        process = event.start("--cluster", cluster.scheduler_address)
        kept = _kill_a_worker(cluster, process, event)
        finish(process)
    return kept


def _kill_a_worker(cluster: Any, process: Process, event: EventFolder) -> int:  # noqa: ANN401  # Dask has no annotations
    """Kill one worker once games have come in; return how many had."""
    import distributed

    client_of: Any = distributed.Client
    with client_of(cluster, set_as_default=False) as client:
        pids = list(client.run(os.getpid).values())
    deadline = time.monotonic() + PATIENCE_S
    while not (kept := event.kept()):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError("no game came in")
        time.sleep(LOOK_S)
    os.kill(pids[0], signal.SIGKILL)
    return kept


def main(
    *,
    games: Annotated[int, typer.Option(min=1, help="Approximate number of games.")] = 120,
    seed: SeedOption = 1,
) -> DrillReport:
    """Kill a worker of a cluster that plays an event."""
    return drill(games, seed)


if __name__ == "__main__":
    command_line(main)
