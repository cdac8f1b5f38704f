"""``kill -9`` while a store changes its form or its place loses nothing."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mancala.protocol import codec
from mancala.scripts.bench.serving.store_archive import Size, make
from mancala.server.store.database.database import Access, connect
from mancala.server.store.database.faults import StoreError
from tests.drills.databases import Database
from tests.end_to_end.killed_command import LATER
from tests.server.store.builders import later_scripts

SEED = 23
SMALL = Size(games=2_000, entrants=20, pairings=100, members=4)
KILLS = 2
LONGEST_S = 60.0
TINY = Size(games=300, entrants=20, pairings=100, members=4)
PIECES = "INSERT INTO copied"
"""Each piece of a copy notes its last key, in the transaction of its rows."""
CHANGES = "\nCREATE,\nALTER,\nDROP,CREATE,ALTER,DROP,UPDATE alembic_version"
"""The statements of a migration."""


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


def kill_at(prefixes: str, number: int, *arguments: str) -> None:
    """Run a command that is killed at a statement of its store; see ``killed_command.py``."""
    program = (sys.executable, "-m", "tests.end_to_end.killed_command", prefixes, str(number))
    done = subprocess.run([*program, *arguments], check=False, timeout=LONGEST_S)
    assert done.returncode == -signal.SIGKILL


def size_of(file: Path) -> int:
    """Return the size of a SQLite file and its log."""
    files = (file, file.with_name(f"{file.name}-wal"))
    return sum(each.stat().st_size for each in files if each.exists())


def test_a_copy_that_was_killed_goes_on_to_the_same_digest(tmp_path: Path) -> None:
    """Whatever the moment."""
    place, copy = tmp_path / "store.sqlite3", tmp_path / "copy.sqlite3"
    make(str(place), SMALL)
    arguments, rng = ("store", "copy", str(place), str(copy)), random.Random(SEED)
    for _ in range(KILLS):
        kill_while_growing(copy, rng.randrange(1, 200_000), *arguments)
    assert mancala(*arguments) == mancala("store", "digest", "--store", str(place))


def test_a_copy_killed_on_its_way_to_postgresql_and_back_goes_on(
    tmp_path: Path, postgresql: str
) -> None:
    """Each copy is no store while it is unfinished, and ends with the digest of the first."""
    first, last = str(tmp_path / "store.sqlite3"), str(tmp_path / "back.sqlite3")
    make(first, TINY)
    expected = mancala("store", "digest", "--store", first)
    middle, rng = Database(postgresql).place(tmp_path), random.Random(SEED)
    for source, target in ((first, middle), (middle, last)):
        for _ in range(KILLS):
            kill_at(PIECES, rng.randrange(1, 6), "store", "copy", source, target)
        with pytest.raises(StoreError, match="unfinished copy"):
            connect(target, Access.READ)
        assert mancala("store", "copy", source, target) == expected


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_migration_killed_at_any_statement_goes_on(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
) -> None:
    """The tables are those of the version before until they are all those of the one after it."""
    url = request.getfixturevalue("postgresql") if kind == "postgresql" else None
    place = Database(url).place(tmp_path)
    make(place, TINY)
    expected = mancala("store", "digest", "--store", place)
    scripts = str(later_scripts(tmp_path))
    monkeypatch.setenv(LATER, scripts)
    for number in (1, 3, 5):
        kill_at(CHANGES, number, "store", "upgrade", "--store", place)
        connect(place, Access.READ).close()
    assert later("upgrade", place) == expected
    for number in (1, 3, 5):
        kill_at(CHANGES, number, "store", "downgrade", "--store", place)
        with pytest.raises(StoreError, match=r"later version \(\d{4}, not \d{4}\)"):
            connect(place, Access.READ)
    assert later("downgrade", place) == expected
    assert mancala("store", "upgrade", "--store", place) == expected


def later(verb: str, place: str) -> dict[str, object]:
    """Run a command of the later version to its end, and return its JSON object."""
    program = (sys.executable, "-m", "tests.end_to_end.killed_command", CHANGES, "-1")
    command = [*program, "store", verb, "--store", place, "--json"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=LONGEST_S)
    return codec.from_json(done.stdout, dict[str, object])
