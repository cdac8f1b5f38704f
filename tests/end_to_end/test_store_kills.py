"""``kill -9`` while a store changes its form or its place loses nothing."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from mancala.scripts.bench.serving.store_archive import Size, make
from mancala.server.store.database.database import Access, connect
from mancala.server.store.database.faults import StoreError
from tests.drills.databases import Database
from tests.end_to_end.killed_command import commands
from tests.scripts.commands.results import result_of
from tests.server.store.builders import later_scripts

SEED: Final = 23
TINY: Final = Size(games=300, entrants=20, pairings=100, members=4)
PIECES: Final = ("INSERT INTO copied",)
"""Each piece of a copy notes its last key, in the transaction of its rows."""
CHANGES: Final = (
    *("\nCREATE", "\nALTER", "\nDROP", "CREATE", "ALTER", "DROP"),
    "UPDATE alembic_version",
)
"""The statements of a migration."""


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


def test_a_copy_killed_on_its_way_to_postgresql_and_back_goes_on(
    tmp_path: Path, postgresql: str
) -> None:
    """Each copy is no store while it is unfinished, and ends with the digest of the first."""
    first, last = str(tmp_path / "store.sqlite3"), tmp_path / "back.sqlite3"
    make(first, TINY)
    middle, rng = Database(postgresql).place(tmp_path), random.Random(SEED)
    expected = result_of("store", "digest", "--store", first)
    with commands() as mancala:
        for source, target in ((first, middle), (middle, str(last))):
            copy = ("store", "copy", source, target)
            if target != middle:
                kill_while_growing(last, rng.randrange(1, 200_000), *copy)
            for _ in range(2):
                mancala(*copy, at=(PIECES, rng.randrange(1, 6)))
            with pytest.raises(StoreError, match="unfinished copy"):
                connect(target, Access.READ)
            assert mancala(*copy) == expected


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_migration_killed_at_any_statement_goes_on(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    """The tables are those of the version before until they are all those of the one after it."""
    url = request.getfixturevalue("postgresql") if kind == "postgresql" else None
    place = Database(url).place(tmp_path)
    make(place, TINY)
    at = ("--store", place)
    expected = result_of("store", "digest", *at)
    with commands(later_scripts(tmp_path)) as later:
        for number in (1, 3, 5):
            later("store", "upgrade", *at, at=(CHANGES, number))
            connect(place, Access.READ).close()
        assert later("store", "upgrade", *at) == expected
        for number in (1, 3, 5):
            later("store", "downgrade", *at, at=(CHANGES, number))
            with pytest.raises(StoreError, match=r"later version \(\d{4}, not \d{4}\)"):
                connect(place, Access.READ)
        assert later("store", "downgrade", *at) == expected
    assert result_of("store", "upgrade", *at) == expected
