"""A store that another program has locked: the server waits, then says who it is."""

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from mancala.server.model.journal import SessionOpened
from mancala.server.store import Store
from mancala.server.store.database import database, writer
from mancala.server.store.database.faults import BrokenStoreError
from mancala.server.store.database.lock_holders import holders

FORGOTTEN = """
import sqlite3, sys
shell = sqlite3.connect(sys.argv[1], isolation_level=None)
shell.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite itself waits a moment only."""
    hasty = (*database.PRAGMAS[:3], "PRAGMA busy_timeout=1")
    monkeypatch.setattr(database, "PRAGMAS", hasty)


@contextmanager
def shell(path: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", FORGOTTEN, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        try:
            yield process
        finally:
            process.kill()


async def test_a_lock_that_ends_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The work is done once the other program lets go; before, the server stopped after 5 s."""
    monkeypatch.setattr(writer, "LOCKED_TRIES", 100_000)
    path, durable, failures = tmp_path / "store", asyncio.Event(), list[Exception]()
    async with Store(str(path), failed=failures.append) as store:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            store.commit([SessionOpened("ann's", "ann", None)], durable.set)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(durable.wait(), 0.05)
            other.execute("ROLLBACK")
        await durable.wait()
    assert not failures


async def test_a_lock_without_an_end_is_blamed_on_its_holder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the name and the number of its process."""
    monkeypatch.setattr(writer, "LOCKED_TRIES", 2)
    path = tmp_path / "store"
    failed: asyncio.Queue[Exception] = asyncio.Queue()
    async with Store(str(path), failed=failed.put_nowait) as store:
        with shell(path) as process:
            store.commit([SessionOpened("ann's", "ann", None)], lambda: None)
            fault = await failed.get()
    assert isinstance(fault, BrokenStoreError)
    assert f"(process {process.pid})" in str(fault)


def test_a_store_that_no_program_locks_has_no_holders(tmp_path: Path) -> None:
    """Nor one that is not there."""
    assert holders(str(tmp_path / "store")) == []
