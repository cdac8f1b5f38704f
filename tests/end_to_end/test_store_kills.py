"""``kill -9`` while a store changes its form or its place loses nothing."""

import os
import random
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from mancala.protocol import codec
from mancala.scripts.bench.serving.store_archive import Size, make
from mancala.server.store.database.database import Access, connect
from mancala.server.store.database.faults import StoreError
from tests.drills.databases import Database
from tests.end_to_end.killed_command import AT, LATER, ROW
from tests.forks import forking
from tests.patience import PATIENCE_S
from tests.server.store.builders import later_scripts

SEED: Final = 23
TINY: Final = Size(games=300, entrants=20, pairings=100, members=4)
COPYING: Final = (
    (("CREATE",), 1, 10),
    (("INSERT INTO copied",), 1, 2),
    ((ROW,), 1, 300),
    (("INSERT INTO copied",), 1, 4),
    ((ROW,), 1, 300),
)
"""What ends the runs of a copy, and at which of them: where the target has no tables yet, as the
copy is begun, among the rows of a piece, and where a piece notes its last key."""
CHANGES: Final = ("CREATE", "ALTER", "DROP", "UPDATE alembic_version")
"""The statements of a migration."""


class StoreRuns:
    """Runs commands in this form of the store, or in a later one."""

    def __init__(self, program: Path) -> None:
        self._program = program

    def __call__(
        self,
        *arguments: str,
        at: tuple[tuple[str, ...], int] | None = None,
        later: Path | None = None,
    ) -> dict[str, Any]:
        """Run one that is killed at a statement, or ends well; return what it prints."""
        given = {} if at is None else {AT: codec.to_json(at).decode()}
        given |= {} if later is None else {LATER: str(later)}
        command = [str(self._program), "store", *arguments, "--json"]
        done = subprocess.run(
            command, env=os.environ | given, capture_output=True, check=False, timeout=PATIENCE_S
        )
        assert done.returncode == (0 if at is None else -signal.SIGKILL), done.stderr
        return codec.from_json(done.stdout or b"{}", dict[str, Any])


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoreRuns]:
    folder = tmp_path_factory.mktemp("forks")
    with forking(folder, "tests.end_to_end.killed_command") as program:
        yield StoreRuns(program)


def test_a_copy_killed_on_its_way_to_postgresql_and_back_goes_on(
    store: StoreRuns, tmp_path: Path, postgresql: str
) -> None:
    """Each copy is no store while it is unfinished, and ends with the digest of the first."""
    first, last = (str(tmp_path / f"{name}.sqlite3") for name in ("store", "back"))
    make(first, TINY)
    middle, rng = Database(postgresql).place(tmp_path), random.Random(SEED)
    expected = store("digest", "--store", first)
    for source, target in ((first, middle), (middle, last)):
        copy = ("copy", source, target)
        for kind, least, above in COPYING:
            store(*copy, at=(kind, rng.randrange(least, above)))
        with pytest.raises(StoreError, match="unfinished copy"):
            connect(target, Access.READ)
        assert store(*copy) == expected


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_migration_killed_at_any_statement_goes_on(
    request: pytest.FixtureRequest, store: StoreRuns, tmp_path: Path, kind: str
) -> None:
    """The tables are those of the version before until they are all those of the one after it."""
    url = request.getfixturevalue("postgresql") if kind == "postgresql" else None
    place = Database(url).place(tmp_path)
    make(place, TINY)
    at, later = ("--store", place), later_scripts(tmp_path)
    expected = store("digest", *at)
    for number in (1, 3, 5):
        store("upgrade", *at, at=(CHANGES, number), later=later)
        connect(place, Access.READ).close()
    assert store("upgrade", *at, later=later) == expected
    for number in (1, 3, 5):
        store("downgrade", *at, at=(CHANGES, number), later=later)
        with pytest.raises(StoreError, match=r"later version \(\d{4}, not \d{4}\)"):
            connect(place, Access.READ)
    assert store("downgrade", *at, later=later) == expected
    assert store("upgrade", *at) == expected
