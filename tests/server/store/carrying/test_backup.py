"""A store is copied whole, or not at all."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from mancala.server.config.settings import IN_MEMORY
from mancala.server.model.journal import MatchOpened
from mancala.server.store.carrying.backup import back_up
from mancala.server.store.carrying.moving import digest_of
from mancala.server.store.database.database import connect
from mancala.server.store.database.faults import StoreError, StoreMissingError
from mancala.server.store.entries import write_all
from tests.server.store.builders import GAMES, at, do, ignore, played
from tests.server.store.test_store import TERMS


@pytest.fixture(params=["absolute", "relative"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A SQLite file with a table of one row, and a log as a server has it."""
    monkeypatch.chdir(tmp_path)
    place = "store.db" if request.param == "relative" else str(tmp_path / "store.db")
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE numbers (n CHECK (n > 0))")
        connection.execute("INSERT INTO numbers VALUES (7)")
        connection.commit()
    return place


def test_a_copy_is_one_private_file_with_all_rows(place: str, tmp_path: Path) -> None:
    """What an interrupted copy left is overwritten."""
    target = tmp_path / "copies" / "monday.db"
    target.parent.mkdir()
    target.with_name("monday.db.part").write_bytes(b"half")
    back_up(place, target)
    assert [path.name for path in target.parent.iterdir()] == ["monday.db"]
    assert target.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(target)) as copy:
        assert copy.execute("SELECT n FROM numbers").fetchall() == [(7,)]
        assert copy.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_nothing_is_made_where_there_is_no_store(tmp_path: Path) -> None:
    """A store in memory has nothing to copy."""
    for place in (IN_MEMORY, str(tmp_path / "none.db")):
        with pytest.raises(StoreMissingError, match="no store at"):
            back_up(place, tmp_path / "copy.db")
    assert list(tmp_path.iterdir()) == []


def test_a_target_must_be_new_and_in_a_directory(place: str, tmp_path: Path) -> None:
    """A backup never replaces another one."""
    former = tmp_path / "former.db"
    former.write_bytes(b"of value")
    with pytest.raises(StoreError, match="exists already"):
        back_up(place, former)
    assert former.read_bytes() == b"of value"
    with pytest.raises(StoreError, match="there is no directory"):
        back_up(place, tmp_path / "none" / "copy.db")


def test_a_postgresql_store_becomes_one_file_as_of_one_instant(
    postgresql: str, tmp_path: Path
) -> None:
    """A server that owns it plays on; what it writes meanwhile is not in the copy."""
    place, target = f"{postgresql}?schema=backup", tmp_path / "copy.db"
    with closing(connect(place)) as owner:
        do(owner, lambda transaction: write_all(played(GAMES), transaction))
        digest = digest_of(place, ignore)

        def play_on(_done: int, _total: int) -> None:
            if not meanwhile:
                meanwhile.append("a match")
                entries = [MatchOpened("new", ("ann", "bob"), TERMS, at(1000))]
                do(owner, lambda transaction: write_all(entries, transaction))

        meanwhile: list[str] = []
        back_up(place, target, play_on)
    assert digest_of(str(target), ignore) == digest
    with closing(sqlite3.connect(target)) as copy:
        assert copy.execute("SELECT count(*) FROM matches").fetchone() == (GAMES,)
        assert copy.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    assert target.stat().st_mode & 0o777 == 0o600
    assert not target.with_name("copy.db.part.lock").exists()


def test_a_damaged_store_makes_no_backup(place: str, tmp_path: Path) -> None:
    """The copy is checked before it has its name."""
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("PRAGMA ignore_check_constraints=ON")
        connection.execute("INSERT INTO numbers VALUES (-7)")
        connection.commit()
    with pytest.raises(StoreError, match="is damaged: CHECK constraint failed"):
        back_up(place, tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


def test_what_is_no_database_leaves_nothing_behind(tmp_path: Path) -> None:
    """The error names both files."""
    place = tmp_path / "store.db"
    place.write_bytes(b"no database" * 100)
    with pytest.raises(StoreError, match=r"store\.db cannot be copied to .*copy\.db"):
        back_up(str(place), tmp_path / "copy.db")
    assert [path.name for path in tmp_path.iterdir()] == ["store.db"]
