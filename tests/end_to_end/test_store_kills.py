"""``kill -9`` while a store changes its form or its place loses nothing."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from mancala.protocol import codec
from mancala.scripts.bench.store import Size, make

SEED = 23
SMALL = Size(games=2_000, entrants=20, pairings=100, members=4)
KILLS = 2
LONGEST_S = 60.0


def mancala(*arguments: str) -> dict[str, object]:
    """Run a command to its end, and return its JSON object."""
    command = [sys.executable, "-m", "mancala", *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=LONGEST_S)
    return codec.from_json(done.stdout, dict[str, object])


def kill_while_growing(file: Path, grown: int, *arguments: str) -> None:
    """Run a command, and kill it once the size of a file has changed by N bytes."""
    process = subprocess.Popen([sys.executable, "-m", "mancala", *arguments])
    try:
        before = size_of(file)
        while process.poll() is None and abs(size_of(file) - before) < grown:
            try:
                process.wait(0.01)
            except subprocess.TimeoutExpired:
                continue
    finally:
        process.kill()
        process.wait()


def size_of(file: Path) -> int:
    """Return the size of a SQLite file and its log."""
    files = (file, file.with_name(f"{file.name}-wal"))
    return sum(each.stat().st_size for each in files if each.exists())


@pytest.mark.parametrize("verb", ["upgrade", "downgrade", "copy"])
def test_what_was_killed_goes_on_to_the_same_digest(tmp_path: Path, verb: str) -> None:
    """Whatever the moment."""
    place, copy = tmp_path / "store.sqlite3", tmp_path / "copy.sqlite3"
    make(str(place), SMALL, former=verb == "upgrade")
    arguments = ("store", verb, "--store", str(place))
    watched = place
    if verb == "copy":
        arguments, watched = ("store", "copy", str(place), str(copy)), copy
    rng = random.Random(SEED)
    expected = None if verb == "upgrade" else mancala("store", "digest", "--store", str(place))
    for _ in range(KILLS):
        kill_while_growing(watched, rng.randrange(1, 200_000), *arguments)
    found = mancala(*arguments)
    if verb == "upgrade":
        expected = of_another_like_it(tmp_path)
    assert found == expected


def of_another_like_it(folder: Path) -> dict[str, object]:
    """Return the digest of a store with the same games, which was never in the former version."""
    other = folder / "other.sqlite3"
    make(str(other), SMALL)
    return mancala("store", "digest", "--store", str(other))
